# SPDX-License-Identifier: Apache-2.0
# The executable specification: numerics, functional model, cycle model.

SIM_SOURCES := $(wildcard sim/numerics/*.c sim/model/*.c sim/cycle/*.c)
SIM_OBJECTS := $(SIM_SOURCES:%.c=$(BUILD)/%.o)
SIM_LIB     := $(BUILD)/sim/libtulle-sim.a
DEPS        += $(SIM_OBJECTS:.o=.d)

$(SIM_LIB): $(SIM_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

# The measurements behind docs/performance.md.
EXPLORE_SOURCES := $(wildcard sim/explore/*.c)
EXPLORE_OBJECTS := $(EXPLORE_SOURCES:%.c=$(BUILD)/%.o)
DEPS            += $(EXPLORE_OBJECTS:.o=.d)
PROGRAMS        += $(BUILD)/bin/tulle-explore

$(BUILD)/bin/tulle-explore: $(EXPLORE_OBJECTS) $(BUILD)/host/libtulle-plan.a $(BUILD)/host/libtulle-formats.a $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -pthread -o $@

.PHONY: explore
explore: $(BUILD)/bin/tulle-explore ## Print every table of the exploration (docs/performance.md)
	@$<

# host/host.mk comes later, so its library is named in full.
TEST_LIBS-sim_numerics := $(SIM_LIB) -lm
TEST_LIBS-sim_model    := $(BUILD)/obj/tests/sim_numerics/reference.o $(BUILD)/host/libtulle-plan.a $(SIM_LIB) -pthread
TEST_LIBS-sim_cycle    := $(patsubst %,$(BUILD)/obj/tests/sim_model/%.o,support stream tile victims) \
                          $(BUILD)/obj/tests/sim_numerics/reference.o $(BUILD)/sim/explore/run.o \
                          $(BUILD)/host/libtulle-plan.a $(BUILD)/host/libtulle-formats.a $(SIM_LIB) -pthread

.PHONY: bench-cases
bench-cases: $(BUILD)/bin/tulle-explore ## Run the frozen cases on the cycle model against their bars
	@$< --cases tests/bench/cases.tsv

.PHONY: explore-doc
explore-doc: $(BUILD)/bin/tulle-explore ## Put the tables of the exploration into docs/performance.md
	@scripts/fill-tables $< < docs/performance.md > $(BUILD)/performance.md && cp $(BUILD)/performance.md docs/performance.md

# The planner's choices on its frozen cases.
PLAN_BENCH_OBJECTS := $(patsubst %,$(BUILD)/sim/%.o,bench/plan bench/plan_cases bench/plan_run explore/run explore/case_file)
DEPS               += $(PLAN_BENCH_OBJECTS:.o=.d)
PROGRAMS           += $(BUILD)/bin/bench-plan
$(BUILD)/bin/bench-plan: $(PLAN_BENCH_OBJECTS) $(BUILD)/host/libtulle-plan.a $(BUILD)/host/libtulle-formats.a $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -pthread -o $@

.PHONY: bench-plan
bench-plan: $(BUILD)/bin/bench-plan ## Run the planner on its frozen cases (PLAN_ARGS=--json, --forced, --explain)
	@$< $(PLAN_ARGS) tests/bench/plan-cases.tsv

# The functional model's speed, beside what loops over CSR do. Not a test: it depends on the machine.
DEPS += $(BUILD)/sim/bench/model.d
$(BUILD)/bin/bench-model: $(BUILD)/sim/bench/model.o $(BUILD)/host/libtulle-plan.a $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -pthread -o $@

.PHONY: bench-model
bench-model: $(BUILD)/bin/bench-model ## Measure the functional model's MACs a second
	@$<
