# SPDX-License-Identifier: Apache-2.0
# What users get, and where (docs/libtulle.md, "Installing"). Everything but the .icd file is found by where it
# lies beside the rest, so an installed tree may be moved.
#
#   PREFIX   where programs will find it (/usr/local)
#   DESTDIR  put in front of every path, for packages
#   ICD_DIR  a folder of the OpenCL loader, as /etc/OpenCL/vendors: tulle.icd goes there. Not set: it goes nowhere

PREFIX  ?= /usr/local
DESTDIR ?=
ICD_DIR ?=

INSTALL_VERSION  = $(shell sed -n 's/^.define TULLE_VERSION "\(.*\)"$$/\1/p' gen/version.h)
INSTALL_COMMANDS := tulle tulle-gen tulle-asm
INSTALL_SCRIPTS  := scripts/tulle-pci-bind
INSTALL_PAGES    := $(sort $(wildcard host/man/*.[1-9]))
INSTALL_EXAMPLES := $(sort $(wildcard host/examples/*.c host/examples/*.cpp))

# Made of what the commands say of themselves: pages of those that have none in host/man, and completion for bash.
INSTALL_MADE_PAGES := $(patsubst %,$(BUILD)/install/man/%.1,$(filter-out $(basename $(notdir $(INSTALL_PAGES))),$(INSTALL_COMMANDS)))
INSTALL_COMPLETION := $(patsubst %,$(BUILD)/install/completion/%,$(INSTALL_COMMANDS) $(notdir $(INSTALL_SCRIPTS)))
$(BUILD)/install/man/%.1: $(BUILD)/bin/% scripts/manual gen/version.h
	@mkdir -p $(@D)
	scripts/manual $< $(INSTALL_VERSION) > $@.part && mv $@.part $@
complete = @mkdir -p $(@D) && scripts/completion $(1) $$($(BUILD)/bin/tulle-gen --list | sed 's/ .*//') > $@.part && mv $@.part $@
$(BUILD)/install/completion/%: $(BUILD)/bin/% scripts/completion scripts/options.awk $(BUILD)/bin/tulle-gen
	$(call complete,$<)
$(BUILD)/install/completion/%: scripts/% scripts/completion scripts/options.awk $(BUILD)/bin/tulle-gen
	$(call complete,$<)

# Files whose templates have @VERSION@, @MAJOR@, @MINOR@ and @SONAME@.
INSTALL_FILLED := $(BUILD)/install/tulle.pc $(BUILD)/install/tulleConfig.cmake $(BUILD)/install/tulleConfigVersion.cmake
$(BUILD)/install/%: host/lib/%.in gen/version.h host/install.mk
	@mkdir -p $(@D)
	sed -e 's/@VERSION@/$(INSTALL_VERSION)/g' -e 's/@SONAME@/$(LIB_SONAME)/g' \
	    -e 's/@MAJOR@/$(word 1,$(subst ., ,$(INSTALL_VERSION)))/g' \
	    -e 's/@MINOR@/$(word 2,$(subst ., ,$(INSTALL_VERSION)))/g' $< > $@

# Further names of a page of section 3: those before .Nd that are not the page's own.
page-names = $(filter-out $(basename $(notdir $(1))),$(shell sed -n '/^\.Nd/q; s/^\.Nm \([^ ]*\).*/\1/p' $(1)))
INSTALL_LINKS = $(foreach page,$(filter %.3,$(INSTALL_PAGES)),$(foreach name,$(call page-names,$(page)),$(name):$(notdir $(page))))

INSTALL_SHARED = libtulle.so.$(INSTALL_VERSION)

# Every file, once: install and uninstall cannot differ. In folders below PREFIX.
INSTALL_FILES = $(INSTALL_COMMANDS:%=bin/%) $(patsubst %,bin/%,$(notdir $(INSTALL_SCRIPTS))) include/tulle.h include/tulle_cl.h \
    $(patsubst %,lib/%,$(INSTALL_SHARED) $(LIB_SONAME) libtulle.so libtulle.a libtulle-icd.so) \
    lib/pkgconfig/tulle.pc $(patsubst %,lib/cmake/tulle/tulle%.cmake,Config ConfigVersion) \
    $(foreach page,$(INSTALL_PAGES),share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
    $(foreach link,$(INSTALL_LINKS),share/man/man3/$(word 1,$(subst :, ,$(link))).3) \
    $(patsubst %,share/man/man1/%,$(notdir $(INSTALL_MADE_PAGES))) \
    $(patsubst %,share/bash-completion/completions/%,$(notdir $(INSTALL_COMPLETION))) \
    $(patsubst %,share/doc/tulle/examples/%,$(notdir $(INSTALL_EXAMPLES)))

TO = $(DESTDIR)$(PREFIX)

.PHONY: install uninstall
install: $(INSTALL_COMMANDS:%=$(BUILD)/bin/%) $(LIB_SHARED) $(LIB_STATIC) $(ICD) $(INSTALL_FILLED) $(INSTALL_MADE_PAGES) $(INSTALL_COMPLETION) ## Install commands, libtulle and the OpenCL driver (PREFIX, DESTDIR, ICD_DIR)
	install -d $(patsubst %,'$(TO)/%',$(sort $(dir $(INSTALL_FILES))))
	install -m 755 $(INSTALL_COMMANDS:%=$(BUILD)/bin/%) $(INSTALL_SCRIPTS) '$(TO)/bin'
	install -m 644 host/tulle.h host/icd/tulle_cl.h '$(TO)/include'
	install -m 644 $(BUILD)/lib/$(LIB_SONAME) '$(TO)/lib/$(INSTALL_SHARED)'
	ln -sf $(INSTALL_SHARED) '$(TO)/lib/$(LIB_SONAME)'
	ln -sf $(LIB_SONAME) '$(TO)/lib/libtulle.so'
	install -m 644 $(LIB_STATIC) $(ICD) '$(TO)/lib'
	install -m 644 $(BUILD)/install/tulle.pc '$(TO)/lib/pkgconfig'
	install -m 644 $(filter %.cmake,$(INSTALL_FILLED)) '$(TO)/lib/cmake/tulle'
	set -e; for page in $(INSTALL_PAGES); do install -m 644 $$page "$(TO)/share/man/man$${page##*.}"; done
	install -m 644 $(INSTALL_MADE_PAGES) '$(TO)/share/man/man1'
	install -m 644 $(INSTALL_COMPLETION) '$(TO)/share/bash-completion/completions'
	install -m 644 $(INSTALL_EXAMPLES) '$(TO)/share/doc/tulle/examples'
	set -e; for link in $(INSTALL_LINKS); do \
	    echo ".so man3/$${link#*:}" > "$(TO)/share/man/man3/$${link%%:*}.3"; \
	    chmod 644 "$(TO)/share/man/man3/$${link%%:*}.3"; done
	$(if $(ICD_DIR),install -d '$(DESTDIR)$(ICD_DIR)' && \
	    echo '$(abspath $(PREFIX))/lib/libtulle-icd.so' > '$(DESTDIR)$(ICD_DIR)/tulle.icd' && \
	    chmod 644 '$(DESTDIR)$(ICD_DIR)/tulle.icd')

# Folders of others stay: only those go that install alone makes, once they are empty.
uninstall: ## Remove what install put there (the same PREFIX, DESTDIR and ICD_DIR)
	rm -f $(patsubst %,'$(TO)/%',$(INSTALL_FILES)) $(if $(ICD_DIR),'$(DESTDIR)$(ICD_DIR)/tulle.icd')
	rmdir '$(TO)/lib/cmake/tulle' '$(TO)/share/doc/tulle/examples' '$(TO)/share/doc/tulle' 2> /dev/null || true
