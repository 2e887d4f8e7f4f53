# SPDX-License-Identifier: Apache-2.0
# The host's side: plans so far.

PLAN_SOURCES := $(wildcard host/plan/*.c)
PLAN_OBJECTS := $(PLAN_SOURCES:%.c=$(BUILD)/%.o)
PLAN_LIB     := $(BUILD)/host/libtulle-plan.a
DEPS         += $(PLAN_OBJECTS:.o=.d)

$(PLAN_LIB): $(PLAN_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

PROGRAMS += $(PLAN_LIB) $(SIM_LIB)
