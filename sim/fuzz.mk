# SPDX-License-Identifier: Apache-2.0
# The fuzzer of the whole device (docs/fuzz.md). It makes its operators with the help of the models' tests, which want
# Criterion, and so is built with the tests.

TULLE_FUZZ         := $(BUILD)/tests/tool/tulle-fuzz
TULLE_FUZZ_SOURCES := $(wildcard sim/fuzz/*.c)
TULLE_FUZZ_OBJECTS := $(TULLE_FUZZ_SOURCES:%.c=$(BUILD)/obj/%.o)
TESTS              += $(if $(TULLE_FUZZ_SOURCES),$(TULLE_FUZZ))
DEPS               += $(TULLE_FUZZ_OBJECTS:.o=.d)

$(TULLE_FUZZ): $(TULLE_FUZZ_OBJECTS) $(patsubst %,$(BUILD)/obj/tests/sim_model/%.o,support stream tile victims) \
               $(BUILD)/obj/tests/sim_numerics/reference.o $(BOARD_LIB) $(VERILATED_LIB) $(BOARD_HOST) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -lcriterion -ljansson -pthread -ldl -lm -o $@

# COUNT operators on tiny, EACH on each of VARIANTS random variants; SEED is the first case.
COUNT    ?= 10000
VARIANTS ?= 20
EACH     ?= 50
SEED     ?= 1

.PHONY: fuzz
fuzz: all $(TULLE_FUZZ) ## Fuzz the whole device against the models (COUNT=, VARIANTS=, EACH=, SEED=; docs/fuzz.md)
	@$(RUN) sim/fuzz/fuzz tiny --seed $(SEED) --count $(COUNT)
	@$(RUN) sim/fuzz/fuzz --sweep $(VARIANTS) --seed $(SEED) --count $(EACH)
