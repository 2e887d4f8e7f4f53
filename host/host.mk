# SPDX-License-Identifier: Apache-2.0
# The host's side: plans so far.

PLAN_SOURCES := $(wildcard host/plan/*.c)
PLAN_OBJECTS := $(PLAN_SOURCES:%.c=$(BUILD)/%.o)
PLAN_LIB     := $(BUILD)/host/libtulle-plan.a
DEPS         += $(PLAN_OBJECTS:.o=.d)

$(PLAN_LIB): $(PLAN_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

PROGRAMS += $(PLAN_LIB) $(SIM_LIB)

# Matrix files, and generated matrices.
FORMATS_SOURCES := $(wildcard host/formats/*.c)
FORMATS_OBJECTS := $(FORMATS_SOURCES:%.c=$(BUILD)/%.o)
FORMATS_LIB     := $(BUILD)/host/libtulle-formats.a
DEPS            += $(FORMATS_OBJECTS:.o=.d)
PROGRAMS        += $(FORMATS_LIB)

$(FORMATS_LIB): $(FORMATS_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

# The program that tests/host_formats/*.sh read files with.
FORMATS_CHECK := $(BUILD)/tests/tool/formats-check
TESTS         += $(FORMATS_CHECK)
DEPS          += $(BUILD)/obj/tests/host_formats/tool/formats-check.d

$(FORMATS_CHECK): $(BUILD)/obj/tests/host_formats/tool/formats-check.o $(FORMATS_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@

TEST_LIBS-host_formats := $(FORMATS_LIB) $(BUILD)/obj/tests/gen_base/scratch.o

TEST_LIBS-host_plan := $(BUILD)/obj/tests/sim_model/support.o $(BUILD)/obj/tests/sim_numerics/reference.o \
                       $(PLAN_LIB) $(SIM_LIB) -pthread

# Containers (docs/containers.md).
CONTAINER_SOURCES := $(wildcard host/container/*.c)
CONTAINER_OBJECTS := $(CONTAINER_SOURCES:%.c=$(BUILD)/%.o)
CONTAINER_LIB     := $(BUILD)/host/libtulle-container.a
DEPS              += $(CONTAINER_OBJECTS:.o=.d)
PROGRAMS          += $(CONTAINER_LIB)

$(CONTAINER_LIB): $(CONTAINER_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

# The OpenCL driver (docs/opencl.md): a shared object, so everything in it is compiled again, fit to be loaded anywhere.
ICD_SOURCES := $(wildcard host/icd/*.c)
ICD         := $(BUILD)/lib/libtulle-icd.so
ICD_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(ICD_SOURCES))
PIC_SOURCES := $(CONTAINER_SOURCES) $(BOARD_SOURCES) $(PLAN_SOURCES) $(SIM_SOURCES) host/formats/random.c
PIC_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(PIC_SOURCES)) $(GEN_OBJECTS:$(BUILD)/%=$(BUILD)/pic/%)
PIC_LIB     := $(BUILD)/host/libtulle-pic.a
DEPS        += $(ICD_OBJECTS:.o=.d) $(PIC_OBJECTS:.o=.d)
# The folder that a loader is told of (OCL_ICD_VENDORS): a file would be the way of ocl-icd alone.
ICD_FILE    := $(BUILD)/vendors/tulle.icd
PROGRAMS    += $(ICD) $(ICD_FILE)

PIC_FLAGS := -fPIC -fvisibility=hidden
$(BUILD)/pic/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CCACHE) $(CC) $(ALL_CFLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/pic/%.o: $(BUILD)/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CCACHE) $(CC) $(ALL_CFLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@

# With the lists: an object that is new in them is older than the library, and make would pass it over.
$(PIC_LIB): $(PIC_OBJECTS) host/host.mk gen/gen.mk
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# It stays loaded: its threads may run until the end of the process.
$(ICD): $(ICD_OBJECTS) $(PIC_LIB) host/icd/exports.map
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -shared -Wl,--version-script=host/icd/exports.map $(if $(SAN),,-Wl,-z,defs) -Wl,-z,nodelete,-z,relro,-z,now \
	    $(filter %.o %.a,$^) $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

$(ICD_FILE): host/host.mk
	@mkdir -p $(@D)
	echo '$(abspath $(ICD))' > $@

TEST_LIBS-host_container := $(CONTAINER_LIB) $(BUILD)/obj/tests/gen_base/scratch.o -ljansson

# The tests see the driver through the loader; space.c is tested by itself.
TEST_LIBS-host_icd := $(BUILD)/host/icd/space.o $(BUILD)/sim/explore/run.o $(BUILD)/obj/tests/gen_base/scratch.o $(CONTAINER_LIB) $(BOARD_LIB) \
                      $(PLAN_LIB) $(FORMATS_LIB) $(SIM_LIB) -lOpenCL -ljansson -pthread -ldl -lm
DEPS               += $(BUILD)/host/icd/space.d
$(BUILD)/tests/host_icd: $(ICD) $(ICD_FILE)

# What the driver costs a job. Not a test: it depends on the machine.
ICD_LATENCY := $(BUILD)/tests/tool/icd-latency
DEPS        += $(BUILD)/obj/tests/host_icd/tool/latency.d
$(ICD_LATENCY): $(patsubst %,$(BUILD)/obj/tests/host_icd/tool/%.o,latency image) $(PLAN_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -lOpenCL -o $@

# How fast it moves contents, likewise.
ICD_BANDWIDTH := $(BUILD)/tests/tool/icd-bandwidth
DEPS          += $(BUILD)/obj/tests/host_icd/tool/bandwidth.d
$(ICD_BANDWIDTH): $(BUILD)/obj/tests/host_icd/tool/bandwidth.o
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -lOpenCL -o $@

.PHONY: bench-icd
bench-icd: $(ICD_LATENCY) $(ICD_BANDWIDTH) $(ICD) $(ICD_FILE) ## Time that the OpenCL driver takes for an empty job (the aim: under 20 us), and transfers beside memcpy
	@OCL_ICD_VENDORS='$(abspath $(dir $(ICD_FILE)))' TULLE_DEVICES=model:tiny $<
	@sim/board/build -o $(BUILD)/board/tiny tiny
	@OCL_ICD_VENDORS='$(abspath $(dir $(ICD_FILE)))' TULLE_DEVICES='model:tiny,sim:$(BUILD)/board/tiny' $(ICD_BANDWIDTH)

# What tests/host_icd/*.sh run: allocations that fail, faults of a simulated device, threads, lost devices, leaks.
ICD_FAULT := $(BUILD)/tests/tool/icd-fault
ICD_SIM   := $(BUILD)/tests/tool/icd-sim
ICD_MINDS := $(BUILD)/tests/tool/icd-threads
ICD_STRESS := $(BUILD)/tests/tool/icd-stress
ICD_CYCLES := $(BUILD)/tests/tool/icd-cycles
TESTS     += $(ICD_FAULT) $(ICD_SIM) $(ICD_MINDS) $(ICD_LATENCY) $(ICD_BANDWIDTH) $(ICD_STRESS) $(ICD_CYCLES)
DEPS      += $(patsubst %,$(BUILD)/obj/tests/host_icd/tool/%.d,fault sim threads stress cycles image allocation)

$(ICD_FAULT): $(patsubst %,$(BUILD)/obj/tests/host_icd/tool/%.o,fault allocation image) $(CONTAINER_LIB) $(PLAN_LIB) $(GEN_LIB) | $(ICD)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -lOpenCL -pthread -o $@

$(ICD_SIM): $(patsubst %,$(BUILD)/obj/tests/host_icd/%.o,tool/sim support) $(BUILD)/sim/explore/run.o $(PLAN_LIB) $(FORMATS_LIB) $(SIM_LIB) $(GEN_LIB) | $(ICD)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -lcriterion -lOpenCL -pthread -ldl -lm -o $@

$(ICD_STRESS): $(patsubst %,$(BUILD)/obj/tests/host_icd/tool/%.o,stress image) $(PLAN_LIB) $(GEN_LIB) | $(ICD) $(ICD_FILE)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -lOpenCL -pthread -o $@

$(ICD_CYCLES): $(patsubst %,$(BUILD)/obj/tests/host_icd/tool/%.o,cycles allocation image) $(PLAN_LIB) $(GEN_LIB) | $(ICD)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -lOpenCL -pthread -o $@

$(ICD_MINDS): $(BUILD)/obj/tests/host_icd/tool/threads.o | $(ICD)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -lOpenCL -pthread -o $@

# libtulle: shared, and static as one object that shows nothing but the header's functions (docs/libtulle.md).
LIB_SOURCES := $(wildcard host/lib/*.c)
LIB_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(LIB_SOURCES))
LIB_SHARED  := $(BUILD)/lib/libtulle.so
LIB_STATIC  := $(BUILD)/lib/libtulle.a
LIB_NEEDS   := -lOpenCL -ljansson $(GEN_LIBS) -pthread -lm
LIB_SONAME  := libtulle.so.0
DEPS        += $(LIB_OBJECTS:.o=.d)
PROGRAMS    += $(LIB_SHARED) $(LIB_STATIC)

$(LIB_SHARED): $(LIB_OBJECTS) $(PIC_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(LIB_SONAME) -Wl,--exclude-libs,ALL $(if $(SAN),,-Wl,-z,defs) -Wl,-z,relro,-z,now \
	    $^ $(LIB_NEEDS) -o $@.tmp
	mv $@.tmp $(@D)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $@

$(LIB_STATIC): $(LIB_OBJECTS) $(PIC_LIB)
	@mkdir -p $(@D)
	$(LD) -r $(LIB_OBJECTS) $(PIC_LIB) -o $@.o
	$(OBJCOPY) --localize-hidden $@.o
	rm -f $@ && $(AR) rcs $@ $@.o && rm -f $@.o

TEST_LIBS-host_lib := $(BUILD)/obj/tests/host_icd/support.o $(BUILD)/obj/tests/gen_base/scratch.o $(BUILD)/sim/explore/run.o $(PLAN_LIB) \
                      $(FORMATS_LIB) $(SIM_LIB) -L$(BUILD)/lib -ltulle -Wl,-rpath,'$$ORIGIN/../lib' -lOpenCL -pthread -lm
$(BUILD)/tests/host_lib: $(LIB_SHARED) $(ICD) $(ICD_FILE)

LIB_FAULT := $(BUILD)/tests/tool/lib-fault
TESTS     += $(LIB_FAULT)
DEPS      += $(patsubst %,$(BUILD)/obj/tests/%.d,host_lib/tool/fault host_icd/tool/allocation)
$(LIB_FAULT): $(patsubst %,$(BUILD)/obj/tests/%.o,host_lib/tool/fault host_icd/tool/allocation) | $(LIB_SHARED) $(ICD)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -L$(BUILD)/lib -ltulle -Wl,-rpath,'$$ORIGIN/../../lib' -lOpenCL -o $@

# The planner's frozen cases through libtulle, on simulated devices.
LIB_BENCH_OBJECTS := $(patsubst %,$(BUILD)/sim/%.o,bench/library bench/plan_cases bench/plan_run explore/run explore/case_file)
DEPS              += $(LIB_BENCH_OBJECTS:.o=.d)
PROGRAMS          += $(BUILD)/bin/bench-library
$(BUILD)/bin/bench-library: $(LIB_BENCH_OBJECTS) $(PLAN_LIB) $(FORMATS_LIB) $(SIM_LIB) $(GEN_LIB) | $(LIB_SHARED) $(ICD)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -L$(BUILD)/lib -ltulle -Wl,-rpath,'$$ORIGIN/../lib' -lOpenCL -pthread -lm -o $@

.PHONY: bench-library
bench-library: $(BUILD)/bin/bench-library ## Run the planner's cases through libtulle on simulated devices (CASE=name)
	@BUILD='$(abspath $(BUILD))' scripts/bench-library $(CASE)

# The command `tulle`.
CLI_SOURCES := $(wildcard host/cli/*.c)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/host/boards.o
DEPS        += $(CLI_OBJECTS:.o=.d) $(BUILD)/host/icd/candidate.d
PROGRAMS    += $(BUILD)/bin/tulle

# What is known of FPGA boards is in it.
BOARD_FILES := $(sort $(wildcard bitstreams/boards/*.board))
$(BUILD)/host/boards.c: gen/base/embed.awk $(BOARD_FILES) bitstreams/boards
	@mkdir -p $(@D)
	awk -v prefix=board -v header=host/cli/boards.h -v extension=.board -v label=bitstreams/boards/ \
	    -f gen/base/embed.awk $(BOARD_FILES) < /dev/null > $@

# Cases and records of areas are in the command.
$(BUILD)/host/cli/bench_sources.c: gen/base/embed.awk $(patsubst %,tests/bench/%-cases.tsv,plan generated)
	@mkdir -p $(@D)
	awk -v prefix=bench_cases -v header=host/cli/bench_cases.h -v extension=-cases.tsv -v label=tests/bench/ -f $^ > $@

AREA_FILES := $(sort $(wildcard bitstreams/figures/*.tsv))
$(BUILD)/host/cli/area_sources.c: gen/base/embed.awk $(AREA_FILES) bitstreams/figures
	@mkdir -p $(@D)
	awk -v prefix=area -v header=host/cli/area.h -v extension=.tsv -v label=bitstreams/figures/ -f gen/base/embed.awk $(AREA_FILES) > $@

# So is what FPGAs have.
$(BUILD)/host/cli/part_sources.c: gen/base/embed.awk bitstreams/parts.tsv
	@mkdir -p $(@D)
	awk -v prefix=part -v header=host/cli/parts.h -v extension=.tsv -v label=bitstreams/ -f $^ > $@

$(BUILD)/host/cli/page_sources.c: gen/base/embed.awk host/cli/page.css
	@mkdir -p $(@D)
	awk -v prefix=page -v header=host/cli/page.h -v extension=.css -v label=host/cli/ -f $^ > $@

CLI_BENCH_OBJECTS := $(patsubst %,$(BUILD)/sim/%.o,bench/measure bench/plan_cases bench/plan_run explore/run explore/case_file) \
                     $(patsubst %,$(BUILD)/host/cli/%.o,bench_sources area_sources page_sources part_sources)
DEPS              += $(CLI_BENCH_OBJECTS:.o=.d)

$(BUILD)/bin/tulle: $(CLI_OBJECTS) $(CLI_BENCH_OBJECTS) $(BUILD)/host/icd/candidate.o $(BUILD)/pic/host/lib/cost.o $(LIB_STATIC) $(CONTAINER_LIB) $(BOARD_LIB) \
                    $(PLAN_LIB) $(FORMATS_LIB) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(LIB_NEEDS) -ldl -o $@

# An FPGA's test access port, for loaders.
TAP   := $(BUILD)/tests/tool/tap
TESTS += $(TAP)
DEPS  += $(BUILD)/obj/tests/host_cli/tool/tap.d
$(TAP): $(BUILD)/obj/tests/host_cli/tool/tap.o
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@

# The page of all cases has their tables.
CASES_PAGE := docs/cases.md
.PHONY: regenerate-cases check-cases
regenerate: regenerate-cases
check-generated: check-cases
regenerate-cases: $(BUILD)/bin/tulle ## The part of regenerate that is docs/cases.md
	@scripts/fill-tables $< < $(CASES_PAGE) > $(BUILD)/cases.md && cp $(BUILD)/cases.md $(CASES_PAGE)
check-cases: $(BUILD)/bin/tulle ## The part of check-generated that is docs/cases.md
	@scripts/fill-tables $< < $(CASES_PAGE) | cmp -s - $(CASES_PAGE) || \
	    { echo "$(CASES_PAGE) is not what tulle bench --list says: run make regenerate" >&2; exit 1; }

.PHONY: bench bench-quick bench-record
bench: $(BUILD)/bin/tulle $(BUILD)/bin/tulle-gen ## All cases, on the cycle model and simulated devices, against the record (docs/bench.md)
	@BUILD='$(abspath $(BUILD))' scripts/bench

bench-quick: $(BUILD)/bin/tulle ## The generated cases on the cycle model: seconds
	@BUILD='$(abspath $(BUILD))' scripts/bench --quick

bench-record: $(BUILD)/bin/tulle $(BUILD)/bin/tulle-gen ## Write the cycles of make bench into tests/bench/bench-cycles.tsv
	@BUILD='$(abspath $(BUILD))' scripts/bench --record

LIB_SIM := $(BUILD)/tests/tool/lib-sim
TESTS   += $(LIB_SIM)
DEPS    += $(BUILD)/obj/tests/host_lib/tool/sim.d
$(LIB_SIM): $(patsubst %,$(BUILD)/obj/tests/%.o,host_lib/tool/sim host_lib/support host_icd/support) $(BUILD)/sim/explore/run.o \
            $(PLAN_LIB) $(FORMATS_LIB) $(SIM_LIB) $(GEN_LIB) | $(LIB_SHARED) $(ICD)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -L$(BUILD)/lib -ltulle -Wl,-rpath,'$$ORIGIN/../../lib' -lcriterion -lOpenCL -pthread -lm -o $@
