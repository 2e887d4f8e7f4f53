# SPDX-License-Identifier: Apache-2.0
# Every folder tests/<unit> with C files is one Criterion program, $(BUILD)/tests/<unit>. Every executable
# tests/<unit>/*.sh is a shell test, which scripts/run-tests finds by itself. A unit that needs more than
# the generator's library says so in its own line:
#   TEST_LIBS-<unit> := $(SOME_LIB) -lsomething

TEST_UNITS    := $(sort $(patsubst tests/%/,%,$(dir $(wildcard tests/*/*.c))))
TEST_PROGRAMS := $(TEST_UNITS:%=$(BUILD)/tests/%)
TESTS         += $(TEST_PROGRAMS)

# Objects are not under $(BUILD)/tests/<unit>/: that name is the program's.
test-objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/$(1)/*.c))
DEPS += $(foreach unit,$(TEST_UNITS),$(patsubst %.o,%.d,$(call test-objects,$(unit))))

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(COMPILE)

define test-program
$(BUILD)/tests/$(1): $(call test-objects,$(1)) $$(filter %.a %.o,$$(TEST_LIBS-$(1))) $(GEN_LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) $$(filter %.o %.a,$$^) $$(filter-out %.a %.o,$$(TEST_LIBS-$(1))) $$(GEN_LIBS) -lcriterion -o $$@
endef
$(foreach unit,$(TEST_UNITS),$(eval $(call test-program,$(unit))))

# What tests/rtl/command*.sh run: it writes the cases of the command processor's bench.
COMMAND_CASES := $(BUILD)/tests/tool/command-cases
TESTS         += $(COMMAND_CASES)
DEPS          += $(BUILD)/obj/tests/rtl/command/programs.d
$(COMMAND_CASES): $(BUILD)/obj/tests/rtl/command/programs.o $(PLAN_LIB) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -pthread -o $@

# make test UNITS="gen_isa scripts": only these; TEST_ARGS=--quick: without the long tier.
# TEST_ARGS=--soak: with the soak tier, hours of seeded faults and sizes.
UNITS     ?=
TEST_ARGS ?=

.PHONY: tests test coverage
tests: $(TESTS) ## Build the test programs without running them

test: all $(TESTS) ## Build and run the tests (UNITS="a b" selects, TEST_ARGS=--quick)
	@BUILD='$(abspath $(BUILD))' scripts/run-tests $(TEST_ARGS) $(UNITS)

coverage: ## Line coverage of the C code, per file and total, into $(BUILD)/coverage/
	@BUILD='$(BUILD)' scripts/coverage
