# SPDX-License-Identifier: Apache-2.0
# A simulated board at the other end of a pseudo terminal (docs/serial.md). The driver's side is host/serial, and in the
# boards' library.

SERIALD         := $(BUILD)/bin/tulle-seriald
SERIALD_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard sim/serial/*.c))
PROGRAMS        += $(SERIALD)
DEPS            += $(SERIALD_OBJECTS:.o=.d)

$(SERIALD): $(SERIALD_OBJECTS) $(BUILD)/sim/board/settings.o $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ldl -o $@

TEST_LIBS-sim_serial := $(BOARD_LIB) $(SIM_LIB) -ljansson -pthread -ldl -lm

# What tests/sim_serial/simulated.long.sh sends.
SERIAL_PROBE         := $(BUILD)/tests/tool/serial-probe
SERIAL_PROBE_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/sim_serial/tool/*.c))
TESTS                += $(SERIAL_PROBE)
DEPS                 += $(SERIAL_PROBE_OBJECTS:.o=.d)

$(SERIAL_PROBE): $(SERIAL_PROBE_OBJECTS) $(BOARD_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -o $@
