# SPDX-License-Identifier: Apache-2.0
# The generator and the assembler: no OpenCL, no Verilator.

GEN_SOURCES := $(wildcard gen/base/*.c gen/isa/*.c gen/variant/*.c gen/emit/*.c gen/estimate/*.c)
GEN_OBJECTS := $(GEN_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/gen/variants.o $(BUILD)/gen/leaf_modules.o $(BUILD)/gen/templates.o $(BUILD)/gen/vendor_scripts.o $(BUILD)/gen/estimates.o $(BUILD)/gen/evidence_rows.o
GEN_LIB     := $(BUILD)/gen/libtulle-gen.a
GEN_LIBS    := -lyaml
DEPS        += $(GEN_OBJECTS:.o=.d)

$(GEN_LIB): $(GEN_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

# What the library carries: named variants, the modules of rtl/, templates, scripts for vendors' flows, fits to synthesis.
TEMPLATE_FILES := $(sort $(wildcard gen/templates/*))
$(eval $(call embed,$(BUILD)/gen/variants.c,variant,gen/variant/named.h,.yaml,built-in ,$(sort $(wildcard gen/variants/*.yaml)),gen/variants))
$(eval $(call embed,$(BUILD)/gen/leaf_modules.c,leaf,gen/emit/leaf.h,.v,rtl/,$(sort $(wildcard rtl/*.v)),rtl))
$(eval $(call embed,$(BUILD)/gen/templates.c,template,gen/emit/template.h,,gen/templates/,$(TEMPLATE_FILES),gen/templates))
$(eval $(call embed,$(BUILD)/gen/vendor_scripts.c,vendor,gen/emit/vendor.h,,vendor/,$(sort $(wildcard bitstreams/vendor/*.tcl bitstreams/vendor/*.xdc)),bitstreams/vendor))
$(eval $(call embed,$(BUILD)/gen/estimates.c,estimate,gen/estimate/estimate.h,.tsv,bitstreams/estimate/,$(sort $(wildcard bitstreams/estimate/*.tsv)),bitstreams/estimate))
$(eval $(call embed,$(BUILD)/gen/evidence_rows.c,evidence,gen/isa/evidence.h,.tsv,gen/isa/,gen/isa/evidence.tsv,gen/isa))

# No program is linked with templates that are wrong.
$(BUILD)/gen/check-templates: $(BUILD)/gen/check-templates.o $(GEN_LIB)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -o $@

$(BUILD)/gen/templates.checked: $(BUILD)/gen/check-templates $(TEMPLATE_FILES)
	$< $(TEMPLATE_FILES)
	@touch $@

GEN_PROGRAMS := tulle-gen tulle-asm
PROGRAMS     += $(GEN_PROGRAMS:%=$(BUILD)/bin/%)
DEPS         += $(GEN_PROGRAMS:%=$(BUILD)/gen/%.d) $(BUILD)/gen/check-templates.d $(BUILD)/gen/list-encodings.d

$(BUILD)/bin/%: $(BUILD)/gen/%.o $(GEN_LIB) | $(BUILD)/gen/templates.checked
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -o $@

# Documents that come from the generator's tables: <document> <option of tulle-gen> ...
GENERATED_DOCS := docs/isa.md --isa-doc docs/registers.md --register-doc docs/fields.md --field-doc docs/variants.md --list-keys

.PHONY: regenerate check-generated bench-gen
regenerate: $(BUILD)/bin/tulle-gen ## Rewrite the documents that come from tables of the source
	@set -e; set -- $(GENERATED_DOCS); while [ $$# -gt 0 ]; do $< $$2 -o $$1; shift 2; done

check-generated: $(BUILD)/bin/tulle-gen ## Fail when one of those documents is not what the tables give
	@set -e; set -- $(GENERATED_DOCS); while [ $$# -gt 0 ]; do \
	    $< $$2 | cmp -s - $$1 || { echo "$$1 is not what the tables give: run make regenerate" >&2; exit 1; }; \
	    shift 2; done

BENCH_RUNS := 20
bench-gen: $(BUILD)/bin/tulle-gen ## Time that tulle-gen takes for the variant wide (the aim: under 0.1 s)
	@bash -c 'TIMEFORMAT="tulle-gen wide: $(BENCH_RUNS) runs in %R s, %U s of them in the program"; \
	    time for ((i = 0; i < $(BENCH_RUNS); i++)); do $< wide -o $(BUILD)/bench-gen; done > /dev/null'

