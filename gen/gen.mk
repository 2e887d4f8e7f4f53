# SPDX-License-Identifier: Apache-2.0
# The generator and the assembler: no OpenCL, no Verilator.

GEN_SOURCES := $(wildcard gen/base/*.c gen/isa/*.c gen/variant/*.c gen/emit/*.c)
GEN_OBJECTS := $(GEN_SOURCES:%.c=$(BUILD)/%.o)
GEN_LIB     := $(BUILD)/gen/libtulle-gen.a
GEN_LIBS    := -lyaml
DEPS        += $(GEN_OBJECTS:.o=.d)

$(GEN_LIB): $(GEN_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

GEN_PROGRAMS := tulle-gen tulle-asm
PROGRAMS     += $(GEN_PROGRAMS:%=$(BUILD)/bin/%)
DEPS         += $(GEN_PROGRAMS:%=$(BUILD)/gen/%.d)

$(BUILD)/bin/%: $(BUILD)/gen/%.o $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -o $@
