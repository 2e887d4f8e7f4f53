# SPDX-License-Identifier: Apache-2.0
# Programs that measure and try: benches (tests/bench/tool), the explorer (tests/explore/tool) and operators on a board
# (tests/sim_board/tulle_sim).

# $(call bench,NAME,OBJECTS,LIBRARIES): $(BUILD)/bin/NAME.
define bench
PROGRAMS += $(BUILD)/bin/$(1)
$(call executable,$(BUILD)/bin/$(1),$(2),$(3) $(TEST_LIBS),$(TEST_FLAGS))
endef

BOARD_PROBLEM := $(call shared,sim_board/tulle_sim/problem)
BOARD_ATTEMPT := $(call shared,sim_board/tulle_sim/attempt) $(BOARD_PROBLEM)
bench-object   = $(call shared,$(addprefix bench/tool/,$(1)))

$(eval $(call bench,tulle-explore,$(call test-objects,tests/explore/tool)))
$(eval $(call bench,tulle-sim,$(call test-objects,tests/sim_board/tulle_sim)))
$(eval $(call bench,bench-plan,$(call bench-object,plan misses)))
$(eval $(call bench,bench-model,$(call bench-object,model)))
$(eval $(call bench,bench-pcie,$(call bench-object,pcie)))
$(eval $(call bench,bench-device,$(call bench-object,device misses) $(BOARD_ATTEMPT)))
$(eval $(call bench,bench-sim,$(call bench-object,speed) $(BOARD_PROBLEM)))
$(eval $(call bench,bench-cluster,$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/bench/tool/cluster*.c))))
$(eval $(call bench,bench-library,$(call bench-object,library misses),$(LIBTULLE)))
$(eval $(call bench,bench-pool,$(call bench-object,pool places),$(LIBTULLE)))
$(eval $(call bench,bench-between,$(call bench-object,between places),$(LIBTULLE)))
$(BUILD)/bin/bench-library $(BUILD)/bin/bench-pool $(BUILD)/bin/bench-between: | $(LIB_SHARED) $(ICD)

.PHONY: explore explore-doc bench-plan bench-planning bench-choice bench-model bench-device bench-sim bench-cluster bench-pcie
.PHONY: bench-icd bench-library bench-net bench-software bench-pool bench-between bench bench-quick bench-record fuzz

explore: $(BUILD)/bin/tulle-explore ## Print every table of the exploration (docs/performance.md)
	@$<

explore-doc: $(BUILD)/bin/tulle-explore ## Put the tables of the exploration into docs/performance.md
	@scripts/fill-tables $< < docs/performance.md > $(BUILD)/performance.md && cp $(BUILD)/performance.md docs/performance.md

bench-plan: $(BUILD)/bin/bench-plan ## Run the planner on its frozen cases (PLAN_ARGS=--json, --forced, --explain)
	@$< $(PLAN_ARGS) --misses tests/bench/known-misses.tsv host/measure/plan-cases.tsv

bench-choice: $(BUILD)/bin/tulle ## Compare the planner's choice with all plans, on 200 drawn operators (CHOICE_ARGS=--seed 2)
	@BUILD='$(abspath $(BUILD))' tests/bench/choice $(CHOICE_ARGS)

BENCH_ARGS ?=
bench-device: $(BUILD)/bin/bench-device $(BUILD)/bin/tulle-gen ## The frozen cases on the Verilated device, beside the cycle model (BENCH_ARGS=--json)
	@BUILD='$(abspath $(BUILD))' $< $(BENCH_ARGS) --misses tests/bench/known-misses.tsv tests/bench/cases.tsv tests/bench/device-cases.tsv

bench-cluster: $(BUILD)/bin/bench-cluster $(BUILD)/bin/tulle-gen ## Utilization of a Verilated cluster, against its bars (BENCH_ARGS=--json)
	@BUILD='$(abspath $(BUILD))' $< $(BENCH_ARGS) tests/bench/cluster-cases.tsv

bench-library: $(BUILD)/bin/bench-library ## Run the planner's cases through libtulle on simulated devices (CASE=name)
	@BUILD='$(abspath $(BUILD))' scripts/bench-library $(CASE)

bench: $(BUILD)/bin/tulle $(BUILD)/bin/tulle-gen ## All cases, on the cycle model and simulated devices, against the record (docs/bench.md)
	@BUILD='$(abspath $(BUILD))' scripts/bench

bench-quick: $(BUILD)/bin/tulle ## The generated cases on the cycle model: seconds
	@BUILD='$(abspath $(BUILD))' scripts/bench --quick

bench-record: $(BUILD)/bin/tulle $(BUILD)/bin/tulle-gen ## Write the cycles of make bench into tests/bench/bench-cycles.tsv
	@BUILD='$(abspath $(BUILD))' scripts/bench --record

# The following depend on the machine, so no test runs them.

bench-net: $(BUILD)/bin/tulle $(BUILD)/tests/tool/net-feed ## Time networks on the CPU in turn with ONNX Runtime (scripts/bench-networks)
	@BUILD='$(abspath $(BUILD))' scripts/bench-networks || test $$? = 77

bench-software: $(BUILD)/bin/tulle $(BUILD)/tests/tool/net-feed ## Time the C of MobileNetV2 in turn with the CPU's kernels (scripts/bench-software)
	@BUILD='$(abspath $(BUILD))' scripts/bench-software || test $$? = 77

bench-pool: $(BUILD)/bin/bench-pool $(BUILD)/bin/tulle ## Requests a second of a network on one functional model, on that twice, and on two (NET=FILE)
	@$(BUILD)/bin/tulle compile $(NET) -o $(BUILD)/bench-pool.net --force --device model:networks --quiet > /dev/null
	@OCL_ICD_VENDORS='$(abspath $(dir $(ICD_FILE)))' TULLE_DEVICES=model:networks,model:networks $< $(BUILD)/bench-pool.net

bench-between: $(BUILD)/bin/bench-between $(BUILD)/bin/tulle ## Time that the host takes between two networks back to back (NET=FILE)
	@$(BUILD)/bin/tulle compile $(NET) -o $(BUILD)/bench-between.net --force --mode fused --device model:networks --quiet > /dev/null
	@OCL_ICD_VENDORS='$(abspath $(dir $(ICD_FILE)))' TULLE_DEVICES=model:networks $< $(BUILD)/bench-between.net

bench-planning: $(BUILD)/bin/bench-library ## Time that operators take to create: MobileNetV2, a million entries, a thousand in a million rows (CASE=name)
	@OCL_ICD_VENDORS='$(abspath $(dir $(ICD_FILE)))' $< --creation model tests/bench/planning-cases.tsv $(CASE)

bench-model: $(BUILD)/bin/bench-model $(BUILD)/bin/tulle ## Measure the functional model's MACs a second, alone and by tulle run, beside a plain loop
	@$<
	@BUILD='$(abspath $(BUILD))' tests/bench/model-runs

bench-sim: $(BUILD)/bin/bench-sim $(BUILD)/bin/tulle-gen ## Measure the simulated board's PE-cycles a second
	@sim/board/build -o '$(abspath $(BUILD))/board/$(VARIANT)' $(VARIANT)
	@BUILD='$(abspath $(BUILD))' $< $(VARIANT)

bench-pcie: $(BUILD)/bin/bench-pcie $(BUILD)/bin/tulle-gen ## Measure register reads, copies and interrupts of a device behind the PCIe function
	@$<
	@BUILD='$(abspath $(BUILD))' sim/board/build -o '$(abspath $(BUILD))/board/tiny-host' tiny --set host_port=on
	@$< 'sim:$(BUILD)/board/tiny-host'

bench-icd: $(BUILD)/tests/tool/icd-latency $(BUILD)/tests/tool/icd-bandwidth $(ICD) $(ICD_FILE) ## Time that the OpenCL driver takes for an empty job (the aim: under 20 us), and transfers beside memcpy
	@OCL_ICD_VENDORS='$(abspath $(dir $(ICD_FILE)))' TULLE_DEVICES=model:tiny,model:tiny $<
	@sim/board/build -o $(BUILD)/board/tiny tiny
	@OCL_ICD_VENDORS='$(abspath $(dir $(ICD_FILE)))' TULLE_DEVICES='model:tiny,sim:$(BUILD)/board/tiny' $(BUILD)/tests/tool/icd-bandwidth

# Fuzzing (docs/fuzz.md): COUNT operators on tiny, EACH on each of VARIANTS random variants, all with every key; SEED is the
# first case.
COUNT    ?= 10000
VARIANTS ?= 20
EACH     ?= 50
SEED     ?= 1

fuzz: all $(BUILD)/tests/tool/tulle-fuzz ## Fuzz the whole device against the models (COUNT=, VARIANTS=, EACH=, SEED=; docs/fuzz.md)
	@$(RUN) tests/fuzz/fuzz --every-key tiny --seed $(SEED) --count $(COUNT)
	@$(RUN) tests/fuzz/fuzz --every-key --sweep $(VARIANTS) --seed $(SEED) --count $(EACH)
