# SPDX-License-Identifier: Apache-2.0
# The host's side, from the bottom: matrix files, plans, containers, devices and how they are reached, measurements,
# the OpenCL driver, libtulle, and the command `tulle`.

FORMATS_LIB := $(BUILD)/host/libtulle-formats.a
$(eval $(call archive,$(FORMATS_LIB),$(wildcard host/formats/*.c)))

PLAN_SOURCES := $(wildcard host/plan/*.c)
PLAN_LIB     := $(BUILD)/host/libtulle-plan.a
$(eval $(call archive,$(PLAN_LIB),$(PLAN_SOURCES)))

# Containers (docs/containers.md).
CONTAINER_SOURCES := $(wildcard host/container/*.c)
CONTAINER_LIB     := $(BUILD)/host/libtulle-container.a
$(eval $(call archive,$(CONTAINER_LIB),$(CONTAINER_SOURCES)))

# The half of an operator that needs no device.
OPERATOR_SOURCES := $(wildcard host/operator/*.c)
OPERATOR_LIB     := $(BUILD)/host/libtulle-operator.a
$(eval $(call archive,$(OPERATOR_LIB),$(OPERATOR_SOURCES)))

# Every kind of board, and the devices that TULLE_DEVICES names.
DEVICES_SOURCES := $(wildcard host/devices/*.c host/pcie/*.c host/serial/*.c)
DEVICES_LIB     := $(BUILD)/host/libtulle-devices.a
$(eval $(call archive,$(DEVICES_LIB),$(DEVICES_SOURCES)))

# What processes show each other of their devices.
MONITOR_SOURCES := $(wildcard host/monitor/*.c)
MONITOR_LIB     := $(BUILD)/host/libtulle-monitor.a
$(eval $(call archive,$(MONITOR_LIB),$(MONITOR_SOURCES)))

# Cases and how they are measured: for `tulle bench` and for the benches of tests/. The cases are in the library.
MEASURE_LIB := $(BUILD)/host/libtulle-measure.a
$(eval $(call archive,$(MEASURE_LIB),$(wildcard host/measure/*.c) host/measure/case_sources.c))
$(eval $(call embed,$(BUILD)/host/measure/case_sources.c,bench_cases,host/measure/bench_cases.h,-cases.tsv,host/measure/,$(sort $(wildcard host/measure/*-cases.tsv)),host/measure))

# Networks: protocol buffers, graphs, readers and the writer (docs/networks.md).
NET_SOURCES := $(wildcard host/net/*/*.c)
NET_LIB     := $(BUILD)/host/libtulle-net.a
# With the times of operators on the host, which placement takes before any are measured.
$(eval $(call archive,$(NET_LIB),$(NET_SOURCES) host/net/place/times_sources.c))
$(eval $(call embed,$(BUILD)/host/net/place/times_sources.c,place_times,host/net/place/times.h,.tsv,host/net/place/,host/net/place/times.tsv))

# Software that is made of device programs (docs/software.md).
SOFTWARE_SOURCES := $(wildcard host/software/*.c) $(wildcard host/software/model/*.c)
SOFTWARE_LIB     := $(BUILD)/host/libtulle-software.a
$(eval $(call archive,$(SOFTWARE_LIB),$(SOFTWARE_SOURCES) host/software/c_text_sources.c host/software/handlers_check.c))
$(eval $(call embed,$(BUILD)/host/software/c_text_sources.c,c_text,host/software/c_text.h,.h,host/software/text/,$(sort $(wildcard host/software/text/*.h)),host/software/text))

# Each encoding of these sets has a handler, or nothing is built.
HANDLED := command instruction opcode target queue_state column operand join element rounding function
$(BUILD)/gen/list-encodings: $(BUILD)/gen/list-encodings.o $(GEN_LIB)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -o $@

$(BUILD)/host/software/handlers_check.c: $(BUILD)/gen/list-encodings host/host.mk
	@mkdir -p $(@D)
	$< host/software/handlers.h $(HANDLED) > $@

# What reads PNG and JPEG, for programs that call image_read(). libtulle does not.
IMAGE_NEEDS := -lpng -ljpeg

# What a program of this floor links, in an order that works.
HOST_LIBS  := $(SOFTWARE_LIB) $(NET_LIB) $(MEASURE_LIB) $(OPERATOR_LIB) $(MONITOR_LIB) $(DEVICES_LIB) $(CONTAINER_LIB) $(PCIE_LIB) $(BOARD_LIB) $(PLAN_LIB) $(FORMATS_LIB) $(SIM_LIB) $(GEN_LIB)
HOST_FLAGS := $(SIM_FLAGS)

# The OpenCL driver (docs/opencl.md): a shared object, so everything in it is compiled again, fit to be loaded anywhere.
ICD_SOURCES := $(wildcard host/icd/*.c)
ICD         := $(BUILD)/lib/libtulle-icd.so
ICD_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(ICD_SOURCES))
PIC_SOURCES := $(DEVICES_SOURCES) $(MONITOR_SOURCES) $(CONTAINER_SOURCES) $(PCIE_SOURCES) $(BOARD_SOURCES) $(PLAN_SOURCES) $(SIM_SOURCES) host/formats/random.c
PIC_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(PIC_SOURCES)) $(GEN_OBJECTS:$(BUILD)/%=$(BUILD)/pic/%)
PIC_LIB     := $(BUILD)/host/libtulle-pic.a
DEPS        += $(ICD_OBJECTS:.o=.d) $(PIC_OBJECTS:.o=.d)
# The folder that a loader is told of (OCL_ICD_VENDORS): a file would be the way of ocl-icd alone.
ICD_FILE    := $(BUILD)/vendors/tulle.icd
PROGRAMS    += $(ICD) $(ICD_FILE)

PIC_FLAGS := -fPIC -fvisibility=hidden
$(BUILD)/pic/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CCACHE) $(CC) $(ALL_CFLAGS) $(NO_PATH) $(PIC_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/pic/%.o: $(BUILD)/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(AS_NAMED) $(CCACHE) $(CC) $(ALL_CFLAGS) $(NO_PATH) $(PIC_FLAGS) -MMD -MP -c $< -o $@

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

# libtulle: shared, and static as four objects (docs/libtulle.md): products, networks, software, and the messages of all. A
# program without networks does not link theirs. Each shows the header's functions and nothing else, but for what the others
# need of the last, which gets names of its own. Software has copies of what it asks of the first two.
LIB_NET_SOURCES := $(wildcard host/lib/net*.c) $(foreach folder,base proto graph read write cpu device marks compiled,$(wildcard host/net/$(folder)/*.c))
LIB_SOFTWARE_SOURCES := host/lib/software.c $(SOFTWARE_SOURCES)
LIB_SOFTWARE_PARTS   := host/lib/net_message.c $(filter-out host/operator/message.c,$(OPERATOR_SOURCES)) $(foreach folder,base proto graph cpu device,$(wildcard host/net/$(folder)/*.c))
LIB_BOTH_SOURCES := host/lib/sized.c host/operator/message.c
LIB_BOTH_NAMES  := message_set message_text message_no_memory sized_take sized_check sized_give
LIB_SOURCES := $(sort $(wildcard host/lib/*.c) $(OPERATOR_SOURCES) $(LIB_NET_SOURCES) $(SOFTWARE_SOURCES))
LIB_PARTS   := products networks software both
LIB_RENAME  := $(foreach name,$(LIB_BOTH_NAMES),--redefine-sym $(name)=tulle_private_$(name))
lib-objects = $(patsubst %.c,$(BUILD)/pic/%.o,$(1))
LIB_TEXTS   := $(BUILD)/pic/host/software/c_text_sources.o
LIB_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(LIB_SOURCES)) $(LIB_TEXTS)
LIB_SHARED  := $(BUILD)/lib/libtulle.so
LIB_STATIC  := $(BUILD)/lib/libtulle.a
LIB_NEEDS   := -lOpenCL -ljansson $(GEN_LIBS) -pthread -lm
# The number changes when programs must be compiled again, which fields appended to structures do not ask for (host/tulle.h).
LIB_ABI     := 1
LIB_SONAME  := libtulle.so.$(LIB_ABI)
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
	$(LD) -r $(filter-out $(LIB_TEXTS) $(call lib-objects,$(LIB_NET_SOURCES) $(LIB_SOFTWARE_SOURCES) $(LIB_BOTH_SOURCES)),$(LIB_OBJECTS)) $(PIC_LIB) -o $@.products.o
	$(LD) -r $(call lib-objects,$(LIB_NET_SOURCES)) $(PIC_LIB) -o $@.networks.o
	$(LD) -r $(call lib-objects,$(LIB_SOFTWARE_SOURCES) $(LIB_SOFTWARE_PARTS)) $(LIB_TEXTS) $(PIC_LIB) -o $@.software.o
	$(LD) -r $(call lib-objects,$(LIB_BOTH_SOURCES)) -o $@.both.o
	$(OBJCOPY) $(LIB_RENAME) --localize-hidden $@.products.o
	$(OBJCOPY) $(LIB_RENAME) --localize-hidden $@.networks.o
	$(OBJCOPY) $(LIB_RENAME) --localize-hidden $@.software.o
	$(OBJCOPY) $(LIB_RENAME) $@.both.o
	rm -f $@ && $(AR) rcs $@ $(LIB_PARTS:%=$@.%.o) && rm -f $(LIB_PARTS:%=$@.%.o)

# The command `tulle`.
CLI_SOURCES := $(wildcard host/cli/*.c)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/host/boards.o
PROGRAMS    += $(BUILD)/bin/tulle

# The command contains what is known of FPGA boards and parts, the recorded areas, and the style of its pages.
$(eval $(call embed,$(BUILD)/host/boards.c,board,host/cli/boards.h,.board,bitstreams/boards/,$(sort $(wildcard bitstreams/boards/*.board)),bitstreams/boards))
$(eval $(call embed,$(BUILD)/host/cli/area_sources.c,area,host/cli/area.h,.tsv,bitstreams/figures/,$(sort $(wildcard bitstreams/figures/*.tsv)),bitstreams/figures))
$(eval $(call embed,$(BUILD)/host/cli/part_sources.c,part,host/cli/parts.h,.tsv,bitstreams/,bitstreams/parts.tsv))
$(eval $(call embed,$(BUILD)/host/cli/page_sources.c,page,host/cli/page.h,.css,host/cli/,host/cli/page.css))
CLI_OBJECTS += $(patsubst %,$(BUILD)/host/cli/%.o,area_sources page_sources part_sources)
$(eval $(call executable,$(BUILD)/bin/tulle,$(CLI_OBJECTS),$(LIB_STATIC) $(HOST_LIBS),$(LIB_NEEDS) $(IMAGE_NEEDS) -ldl))

# The page of operators of networks is the table.
OPERATORS_PAGE := docs/operators.md
.PHONY: regenerate-operators
regenerate: regenerate-operators
regenerate-operators: $(BUILD)/bin/tulle ## The part of regenerate that is docs/operators.md
	@$< net operators > $(OPERATORS_PAGE)

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
