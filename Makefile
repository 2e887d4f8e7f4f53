# SPDX-License-Identifier: Apache-2.0
#
# Every entry point of the project. `make help` lists the targets. The build is
# out of tree (BUILD, default build/) and not recursive: each folder brings a
# fragment (<folder>/<folder>.mk) that adds programs, tests and targets to the
# lists below, so that one dependency graph sees everything.
#
# A fragment says
#   objs-<folder>/<name> := sources   and calls $(call program,<name>,...)
# See gen/gen.mk for the pattern. Targets carry a `## text` that help prints.

BUILD   ?= build
AR      ?= ar
OBJCOPY ?= objcopy
VARIANT ?= base
# make presets CC, so ?= would never apply.
ifeq ($(origin CC),default)
CC := gcc
endif

# A compiler cache is used when there is one that can write; it is not part of the flags that decide a rebuild. What one
# clone compiled serves the others, since no object has the path of its clone in it.
CCACHE := $(shell d=$$(ccache -k cache_dir 2>/dev/null) && mkdir -p "$$d" 2>/dev/null && test -w "$$d" && echo ccache)
export OBJCACHE ?= $(CCACHE)
export CCACHE_BASEDIR ?= $(CURDIR)
NO_PATH := -fdebug-prefix-map=$(CURDIR)=.

# WERROR=1 in CI; SAN=address,undefined builds with sanitizers; COVERAGE=1 with gcov.
WERROR   ?= 0
SAN      ?=
COVERAGE ?= 0

CSTD     := -std=c11 -D_POSIX_C_SOURCE=200809L
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wformat=2 -Wvla
OPT      ?= -O2 -g
ALL_CFLAGS = $(CSTD) $(WARNINGS) $(OPT) $(if $(filter 1,$(WERROR)),-Werror) \
             $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all) \
             $(if $(filter 1,$(COVERAGE)),--coverage -fprofile-update=atomic -O1) -I. -I$(BUILD) $(CFLAGS)
ALL_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN)) $(if $(filter 1,$(COVERAGE)),--coverage) $(LDFLAGS)

# Lists that the fragments extend.
PROGRAMS :=
TESTS    :=
DEPS      =

# $(call archive,FILE,SOURCES): a static library. Its objects lie under $(BUILD) where the sources lie in the tree.
define archive
DEPS     += $(2:%.c=$(BUILD)/%.d)
PROGRAMS += $(1)
$(1): $(2:%.c=$(BUILD)/%.o)
	@mkdir -p $$(@D)
	rm -f $$@ && $$(AR) rcs $$@ $$^
endef

# $(call executable,FILE,OBJECTS,LIBRARIES,FLAGS): a program. Archives among the libraries are prerequisites.
define executable
DEPS += $(patsubst %.o,%.d,$(filter %.o,$(2)))
$(1): $(2) $(filter %.a %.o,$(3))
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) $$(filter %.o %.a,$$^) $(filter-out %.a %.o,$(3)) $(4) -o $$@
endef

# $(call embed,FILE.c,PREFIX,HEADER,EXTENSION,LABEL,FILES,FOLDERS): files as strings of a program. The folders that they
# lie in are inputs too, so that a file that is removed counts.
define embed
$(1): gen/base/embed.awk $(6) $(7)
	@mkdir -p $$(@D)
	awk -v prefix=$(2) -v header=$(3) -v extension=$(4) -v label='$(5)' -f $$< $(6) < /dev/null > $$@
endef

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
# Keep what pattern rules chain through (objects, generated sources): make would delete it and build it again.
.SECONDARY:
.SUFFIXES:

include gen/gen.mk
include sim/sim.mk
include host/host.mk
include host/install.mk
include tests/tests.mk
include tests/bench/bench.mk
include scripts/scripts.mk

.PHONY: all help clean
all: $(PROGRAMS) ## Build every program and library

help: ## List the targets
	@sed -n 's/^\([a-z][a-zA-Z0-9_-]*\):.*## \(.*\)/  \1\t\2/p' $(sort $(filter-out %.d,$(MAKEFILE_LIST))) | sort | expand -t 22

clean: ## Remove everything that was built
	rm -rf $(BUILD)

# Compiler and flags are an input of every object: a change of either rebuilds. The comparison is made while
# reading, so that an up-to-date tree stays up to date for `make -q`.
FLAGS := $(strip $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS))
ifneq ($(strip $(file <$(BUILD)/flags)),$(FLAGS))
$(BUILD)/flags: FORCE
endif
$(BUILD)/flags:
	@mkdir -p $(@D)
	@printf '%s\n' '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

# A source that was generated keeps its name among the dependencies: ccache would name it from this folder, and make, which
# knows it below an absolute BUILD, would have no rule for it.
AS_NAMED = $(if $(filter $(BUILD)/%,$<),CCACHE_BASEDIR=)

define COMPILE
@mkdir -p $(@D)
$(AS_NAMED) $(CCACHE) $(CC) $(ALL_CFLAGS) $(NO_PATH) $(CPPFLAGS-$*) -MMD -MP -c $< -o $@
endef

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(COMPILE)

$(BUILD)/%.o: $(BUILD)/%.c $(BUILD)/flags
	$(COMPILE)

-include $(DEPS)
