# SPDX-License-Identifier: Apache-2.0
# Verilated rows and what plays packets into them. The C code needs no Verilator; rows are shared objects that
# sim/verilated/build makes, for a test or a benchmark that wants them.

VERILATED_SOURCES := $(wildcard sim/verilated/*.c)
VERILATED_OBJECTS := $(VERILATED_SOURCES:%.c=$(BUILD)/%.o)
VERILATED_LIB     := $(BUILD)/sim/libtulle-verilated.a
DEPS              += $(VERILATED_OBJECTS:.o=.d)
PROGRAMS          += $(VERILATED_LIB)

$(VERILATED_LIB): $(VERILATED_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

# The program behind tests/rtl_cluster/*.sh. It makes its operators with the help of the models' tests, which
# want Criterion.
CLUSTER_TEST         := $(BUILD)/tests/tool/cluster-test
CLUSTER_TEST_SOURCES := $(wildcard tests/rtl_cluster/tool/*.c)
CLUSTER_TEST_OBJECTS := $(CLUSTER_TEST_SOURCES:%.c=$(BUILD)/obj/%.o)
TESTS                += $(if $(CLUSTER_TEST_SOURCES),$(CLUSTER_TEST))
DEPS                 += $(CLUSTER_TEST_OBJECTS:.o=.d)

$(CLUSTER_TEST): $(CLUSTER_TEST_OBJECTS) $(patsubst %,$(BUILD)/obj/tests/sim_model/%.o,support stream tile) \
                 $(BUILD)/obj/tests/sim_numerics/reference.o $(VERILATED_LIB) \
                 $(BUILD)/host/libtulle-plan.a $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -lcriterion -ldl -lm -o $@

# Utilization of a Verilated cluster beside what the cycle model says of it (docs/cluster-bench.md).
BENCH_CLUSTER         := $(BUILD)/bin/bench-cluster
BENCH_CLUSTER_SOURCES := $(wildcard sim/bench/cluster*.c)
BENCH_CLUSTER_OBJECTS := $(BENCH_CLUSTER_SOURCES:%.c=$(BUILD)/%.o)
PROGRAMS              += $(if $(BENCH_CLUSTER_SOURCES),$(BENCH_CLUSTER))
DEPS                  += $(BENCH_CLUSTER_OBJECTS:.o=.d)

$(BENCH_CLUSTER): $(BENCH_CLUSTER_OBJECTS) $(BUILD)/sim/explore/run.o $(VERILATED_LIB) \
                  $(BUILD)/host/libtulle-plan.a $(BUILD)/host/libtulle-formats.a $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ldl -lm -o $@

BENCH_ARGS ?=
.PHONY: bench-cluster
bench-cluster: $(BENCH_CLUSTER) $(BUILD)/bin/tulle-gen ## Utilization of a Verilated cluster, against its bars (BENCH_ARGS=--json)
	@BUILD='$(abspath $(BUILD))' $< $(BENCH_ARGS) tests/bench/cluster-cases.tsv
