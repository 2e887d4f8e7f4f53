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

TEST_LIBS-host_container := $(CONTAINER_LIB) $(BUILD)/obj/tests/gen_base/scratch.o -ljansson

# The command `tulle`.
CLI_SOURCES := $(wildcard host/cli/*.c)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$(BUILD)/%.o)
DEPS        += $(CLI_OBJECTS:.o=.d)
PROGRAMS    += $(BUILD)/bin/tulle

$(BUILD)/bin/tulle: $(CLI_OBJECTS) $(CONTAINER_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -o $@
