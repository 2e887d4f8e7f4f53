# SPDX-License-Identifier: Apache-2.0
# Every folder tests/<unit> with C files is one Criterion program, $(BUILD)/tests/<unit>. Every executable
# tests/<unit>/*.sh is a shell test, which scripts/run-tests finds by itself. A program that a shell test runs has its
# sources in a folder below its unit's. All of them link the whole project below, and what TEST_LIBS-<unit> adds.

TEST_UNITS    := $(sort $(patsubst tests/%/,%,$(dir $(wildcard tests/*/*.c))))
TEST_PROGRAMS := $(TEST_UNITS:%=$(BUILD)/tests/%)
TESTS         += $(TEST_PROGRAMS)

TEST_LIBS  := $(VERILATED_LIB) $(HOST_LIBS)
TEST_FLAGS := $(HOST_FLAGS)

# Objects are not under $(BUILD)/tests/<unit>/: that name is the program's.
test-objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)/*.c))
# What tests share with each other: $(call shared,unit/name ...).
shared = $(patsubst %,$(BUILD)/obj/tests/%.o,$(1))
SHARED_MODEL := $(call shared,sim_model/support sim_model/stream sim_model/table sim_model/tile sim_numerics/reference)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(COMPILE)

LIBTULLE := -L$(BUILD)/lib -ltulle -Wl,-rpath,'$$$$ORIGIN/../lib' -Wl,-rpath,'$$$$ORIGIN/../../lib' -lOpenCL

TEST_LIBS-gen_emit       := $(call shared,gen_base/scratch)
TEST_LIBS-gen_variant    := $(call shared,gen_base/scratch)
TEST_LIBS-sim_model      := $(call shared,sim_numerics/reference)
TEST_LIBS-sim_cycle      := $(SHARED_MODEL) $(call shared,sim_model/victims sim_model/banked)
# Calls of the kernel that tests/sim_pcie/kernel.c stands in for.
PCIE_WRAPPED             := open close ioctl pread pwrite mmap memfd_create
TEST_LIBS-sim_pcie       := $(PCIE_WRAPPED:%=-Wl,--wrap=%) $(call shared,sim_board/tulle_sim/attempt sim_board/tulle_sim/problem)
TEST_LIBS-host_formats   := $(call shared,gen_base/scratch)
TEST_LIBS-host_net       := $(call shared,gen_base/scratch) $(IMAGE_NEEDS)
TEST_LIBS-host_software  := $(call shared,fuzz/tool/subject fuzz/tool/recipe fuzz/tool/mutate sim_model/victims sim_model/banked host_plan/results) $(SHARED_MODEL)
TEST_LIBS-host_container := $(call shared,gen_base/scratch)
TEST_LIBS-host_monitor   := $(call shared,gen_base/scratch)
TEST_LIBS-host_plan      := $(call shared,sim_model/support sim_numerics/reference)
# The tests see the driver through the loader, and the library as applications do; space.c and pace.c are tested by themselves.
TEST_LIBS-host_icd       := $(BUILD)/host/icd/space.o $(call shared,gen_base/scratch) -lOpenCL
TEST_LIBS-host_lib       := $(BUILD)/host/lib/pace.o $(call shared,host_icd/support host_net/mutate host_net/support gen_base/scratch) $(LIBTULLE)
TEST_LIBS-host_net_place := $(call shared,gen_base/scratch host_net/support)
TEST_LIBS-host_net_group := $(call shared,gen_base/scratch host_net/support) $(IMAGE_NEEDS) $(LIBTULLE)
TEST_LIBS-host_net_device := $(call shared,host_lib/support host_icd/support host_net/graphs host_net/marked host_net/mutate host_net/random_graphs host_net/support gen_base/scratch) $(LIBTULLE)
DEPS                     += $(BUILD)/host/icd/space.d $(BUILD)/host/lib/pace.d
$(BUILD)/tests/host_icd: $(ICD) $(ICD_FILE)
$(BUILD)/tests/host_lib: $(LIB_SHARED) $(ICD) $(ICD_FILE)
$(BUILD)/tests/host_net_device $(BUILD)/tests/host_net_group: $(LIB_SHARED) $(ICD) $(ICD_FILE)

$(foreach unit,$(TEST_UNITS),$(eval $(call executable,$(BUILD)/tests/$(unit),$(call test-objects,tests/$(unit)),$(TEST_LIBS-$(unit)) $(TEST_LIBS),$(TEST_FLAGS) -lcriterion)))

# $(call tool,NAME,OBJECTS,LIBRARIES): $(BUILD)/tests/tool/NAME, which shell tests run.
define tool
TESTS += $(BUILD)/tests/tool/$(1)
$(call executable,$(BUILD)/tests/tool/$(1),$(2),$(3) $(TEST_LIBS),$(TEST_FLAGS) -lcriterion)
endef

$(eval $(call tool,command-cases,$(call shared,rtl/command/programs)))
$(eval $(call tool,cluster-test,$(call test-objects,tests/rtl_cluster/tool) $(SHARED_MODEL)))
$(eval $(call tool,board-test,$(call test-objects,tests/sim_board/tool)))
$(eval $(call tool,dispatch-test,$(call shared,sim_board/dispatch/dispatch)))
$(eval $(call tool,queue-test,$(call shared,sim_board/queue/queue sim_board/tulle_sim/options sim_board/tulle_sim/problem) $(SHARED_MODEL)))
$(eval $(call tool,kept-test,$(call shared,sim_board/kept/kept sim_board/tulle_sim/options sim_board/tulle_sim/problem) $(SHARED_MODEL)))
$(eval $(call tool,bank-test,$(call shared,sim_board/bank/bank) $(SHARED_MODEL)))
$(eval $(call tool,serial-probe,$(call test-objects,tests/sim_serial/tool)))
$(eval $(call tool,formats-check,$(call shared,host_formats/tool/formats-check)))
$(eval $(call tool,tap,$(call shared,host_cli/tool/tap)))
# The arithmetic of quantised networks against the test data of CMSIS-NN (docs/numerics.md).
$(eval $(call tool,goldens,$(call test-objects,tests/goldens/tool) $(call shared,host_net/graphs),$(LIBTULLE)))
# The proof for every field (docs/fields.md).
$(eval $(call tool,fields-test,$(call test-objects,tests/fields/tool) $(call shared,fields/program fields/play fields/case fields/reserved)))
# The fuzzer of the whole device (docs/fuzz.md) makes its operators with the help of the models' tests.
$(eval $(call tool,tulle-fuzz,$(call test-objects,tests/fuzz/tool) $(SHARED_MODEL) $(call shared,sim_model/victims sim_model/banked host_plan/results)))
# Data flow of random programs (docs/software.md).
$(eval $(call tool,tulle-flows,$(call shared,host_software/tool/flows host_software/tool/written host_software/tool/device fuzz/tool/scene fuzz/tool/subject fuzz/tool/recipe fuzz/tool/mutate) $(SHARED_MODEL) $(call shared,sim_model/victims sim_model/banked host_plan/results)))
# Tables of networks' formats, and the fuzzer of their readers with its seeds.
$(eval $(call tool,net-tables,$(call shared,host_net/tool/tables)))
# It chooses the form of the kernels itself.
FEED_WRAPS := -Wl,--wrap=tile_form_best
$(eval $(call tool,net-feed,$(call shared,host_net/tool/feed),$(FEED_WRAPS)))
$(eval $(call tool,net-seeds,$(call shared,host_net/tool/seeds host_net/random_graphs host_net/support)))
$(eval $(call tool,net-graph,$(call shared,host_net/tool/graphs host_net/random_graphs host_net/support)))
NET_FUZZ := $(BUILD)/tests/tool/net-fuzz
NET_FUZZ_SECONDS ?= 600
$(eval $(call executable,$(NET_FUZZ),$(call shared,host_net/tool/fuzz),$(NET_LIB) $(SIM_LIB) $(GEN_LIB),-lm -fsanitize=fuzzer))

# What scripts/check-vm runs in its guest.
$(eval $(call tool,pcie-guest,$(call shared,sim_pcie/tool/guest sim_pcie/engine sim_board/tulle_sim/problem)))

# The driver: allocations that fail, faults of a simulated device, threads, lost devices, leaks, what a job costs, how
# fast contents move.
$(eval $(call tool,icd-fault,$(call shared,host_icd/tool/fault host_icd/tool/allocation host_icd/tool/image),-lOpenCL))
$(eval $(call tool,icd-sim,$(call shared,host_icd/tool/sim host_icd/support),-lOpenCL))
$(eval $(call tool,icd-threads,$(call shared,host_icd/tool/threads),-lOpenCL))
$(eval $(call tool,icd-stress,$(call shared,host_icd/tool/stress host_icd/tool/image),-lOpenCL))
$(eval $(call tool,icd-cycles,$(call shared,host_icd/tool/cycles host_icd/tool/allocation host_icd/tool/image),-lOpenCL))
$(eval $(call tool,icd-latency,$(call shared,host_icd/tool/latency host_icd/tool/image),-lOpenCL))
$(eval $(call tool,icd-bandwidth,$(call shared,host_icd/tool/bandwidth),-lOpenCL))
$(eval $(call tool,lib-fault,$(call shared,host_lib/tool/fault host_icd/tool/allocation),$(LIBTULLE)))
$(eval $(call tool,lib-sim,$(call shared,host_lib/tool/sim host_lib/support host_icd/support),$(LIBTULLE)))
$(patsubst %,$(BUILD)/tests/tool/icd-%,fault sim threads stress cycles latency bandwidth): | $(ICD) $(ICD_FILE)
$(patsubst %,$(BUILD)/tests/tool/lib-%,fault sim): | $(LIB_SHARED) $(ICD) $(ICD_FILE)

# A hostile client of the PCIe server, by libFuzzer: everything that it reaches is built for that, with clang.
PCIE_FUZZ         := $(BUILD)/tests/tool/pcie-fuzz
PCIE_FUZZ_SECONDS ?= 600
$(eval $(call executable,$(PCIE_FUZZ),$(call shared,sim_pcie/tool/fuzz),$(TEST_LIBS),$(TEST_FLAGS) -fsanitize=fuzzer))

# make test UNITS="gen_isa scripts": only these; TEST_ARGS=--quick: without the long tier.
# TEST_ARGS=--soak: with the soak tier, hours of seeded faults and sizes.
UNITS     ?=
TEST_ARGS ?=

# make seeded BUGS="planner rtl:5": these lists and bugs (tests/seeded/play --help).
BUGS ?=

.PHONY: tests test coverage fuzz-net fuzz-pcie seeded
tests: $(TESTS) ## Build the test programs without running them

test: all $(TESTS) ## Build and run the tests (UNITS="a b" selects, TEST_ARGS=--quick)
	@BUILD='$(abspath $(BUILD))' scripts/run-tests $(TEST_ARGS) $(UNITS)

coverage: ## Line coverage of the C code, per file and total, into $(BUILD)/coverage/
	@BUILD='$(BUILD)' scripts/coverage

seeded: all $(TESTS) ## Play the seeded bugs of tests/seeded, each of which a test must notice (BUGS="planner rtl:5" selects)
	@BUILD='$(abspath $(BUILD))' tests/seeded/play $(BUGS)

fuzz-net: ## Fuzz the readers of networks (NET_FUZZ_SECONDS=600; docs/networks.md)
	@$(RUN) tests/host_net/tool/fuzz $(NET_FUZZ_SECONDS)

fuzz-pcie: ## Fuzz the server of the PCIe function (PCIE_FUZZ_SECONDS=600; docs/pcie.md)
	@$(RUN) tests/sim_pcie/tool/fuzz $(PCIE_FUZZ_SECONDS)
