# SPDX-License-Identifier: Apache-2.0
# Lint, format and check targets. What they run is in scripts/, each with --help. Exit status 77 of a script is a
# skip: it has said why, and make goes on; scripts/check counts it.

RUN         := BUILD='$(abspath $(BUILD))'
C_SOURCES    = $(shell find $(wildcard gen host sim) tests/bench tests/explore tests/fuzz tests/goldens tests/sim_board/tulle_sim -name "*.c" | sort)
# Everything that begins as a shell script, and the fragments that scripts source.
SHELL_SCRIPTS = $(shell grep -rlE '^(\#!/bin/bash|\# shellcheck shell=)' scripts sim tests .ci | sort)

# How many random variants: lint takes SWEEP (20 unless told), lint-sweep 100 unless told, or those of SEEDS.
SWEEP ?=
SEEDS ?=

include scripts/hardware.mk

.PHONY: lint lint-variant lint-variants lint-sweep simulate-sweep lint-c lint-sh format format-check
.PHONY: quickstart check long check-quick check-fresh check-vm check-loader check-packages deb dist
lint: lint-c lint-sh format-check all ## Every lint: C, shell, format, named variants and SWEEP random ones
	@$(RUN) scripts/lint-variants --all --sweep $(or $(SWEEP),20)

lint-variant: all ## Generate and lint one variant: VARIANT=base or a .yaml file
	@$(RUN) scripts/lint-variants '$(VARIANT)'

lint-variants: all ## Generate and lint every named variant
	@$(RUN) scripts/lint-variants --all

lint-sweep: all ## Generate and lint SWEEP (100) random legal variants, or those of SEEDS="1 2"
	@$(RUN) scripts/lint-variants $(if $(SEEDS),--seeds '$(SEEDS)',--sweep $(or $(SWEEP),100))

simulate-sweep: all tests ## Simulate SWEEP (4) random legal variants, or those of SEEDS="1 c2"
	@$(RUN) scripts/simulate-variants $(if $(SEEDS),--seeds '$(SEEDS)',--sweep $(or $(SWEEP),4))

lint-c: all ## clang-tidy over the C code; LINT_C=--shallow-tests is what CI runs
	@$(RUN) scripts/lint-c $(LINT_C) $(C_SOURCES) -- $(CSTD) -I. -I$(BUILD) -Ihost || test $$? = 77

lint-sh: ## shellcheck over every script
	@shellcheck -x $(SHELL_SCRIPTS)
	@echo 'lint-sh: $(words $(SHELL_SCRIPTS)) scripts, no findings'

format: ## Lay out the C code
	@scripts/format

format-check: ## Fail when the C code is not laid out so
	@scripts/format --check || test $$? = 77

quickstart: ## scripts/quickstart: install what is missing, build, run the main job
	@$(RUN) scripts/quickstart

check: ## scripts/check: everything that CI checks
	@$(RUN) scripts/check

check-quick: ## scripts/check --quick: what to run before a commit
	@$(RUN) scripts/check --quick

# MINUTES bounds this part of it.
MINUTES ?=
long: all tests ## What CI leaves out; goes on where it stopped (MINUTES=150 bounds a part)
	@$(RUN) scripts/long-run $(if $(MINUTES),--minutes $(MINUTES)) || test $$? = 75

check-vm: all tests ## A device behind PCIe in a virtual machine, through the kernel's VFIO
	@$(RUN) scripts/check-vm || test $$? = 77

check-loader: all tests ## The OpenCL driver by the Khronos loader
	@$(RUN) scripts/check-loader || test $$? = 77

check-packages: all ## Debian packages in a minimal system: installed, used, removed
	@$(RUN) scripts/check-packages || test $$? = 77

deb: all ## Debian packages of what install installs, into $(BUILD)/deb
	@$(RUN) scripts/make-deb

dist: ## The sources of HEAD as $(BUILD)/tulle-VERSION.tar.gz, the same bytes everywhere
	@$(RUN) scripts/make-dist

check-fresh: ## Prove README commands and tutorials on bare Debian systems (root; SUITES="bookworm trixie")
	@scripts/check-fresh
