# SPDX-License-Identifier: GPL-2.0-or-later
#
# make            the tool, build/bufstat
# make module     the module for KVER (default: the running kernel)
# make unit       unit tests
# make check      unit and command-line tests (tools/check also runs those in
#                 virtual machines)
# make install    honours DESTDIR and PREFIX, and STRIP= leaves the debug
#                 information in; module-install adds the module
# make dkms-install
#                 gives the module's sources to DKMS, which builds it for each
#                 kernel; honours DESTDIR, PREFIX and DKMSDIR
# make sign       signs the built module for Secure Boot with KEY and CERT
# Each install target has an uninstall target.
#
# make dist       the source archive of the working tree, in build/packages
# make release TAG=vVERSION
#                 all that is published of a version, in build/release
#
# Kbuild is the module's makefile. The module is built in a copy under build/
# because Kbuild's clean removes every object file below the tree it is given.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPLETIONDIR ?= $(PREFIX)/share/zsh/site-functions
UNITDIR ?= $(PREFIX)/lib/systemd/system
MODULESLOADDIR ?= $(PREFIX)/lib/modules-load.d
# The directory of node_exporter's textfile collector; the default is Debian's.
TEXTFILEDIR ?= /var/lib/prometheus/node-exporter
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
MODDIR ?= /lib/modules/$(KVER)/extra
BUILD ?= build

# version.h is the only place that has the version.
VERSION := $(shell sed -n 's/^.define BUFSTAT_VERSION "\(.*\)"$$/\1/p' \
	include/bufstat/version.h)

PKG_CONFIG ?= pkg-config
# The compiler's own, if that is for another processor.
STRIP ?= $(if $(filter %-gcc,$(firstword $(CC))),$(patsubst \
	%gcc,%strip,$(firstword $(CC))),strip)
# Only their headers: src/base/lib/library.c loads them.
LIBRARIES := smartcols >= 2.37

CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wformat=2 -Wmissing-prototypes \
	-Wstrict-prototypes -Wundef -Wvla
# src/rooms.txt says what each has. The commands are in src/commands itself.
WINGS := base sources questions past actions views
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc $(WINGS:%=-Isrc/%) \
	$(WARNINGS) $(LIB_CFLAGS) $(CFLAGS)

# Only targets that compile the tool need its libraries.
NO_TOOL := module module-install module-uninstall sign dkms-install \
	dkms-uninstall uninstall print-version clean distclean realclean \
	dist release
ifeq ($(if $(MAKECMDGOALS),$(filter-out $(NO_TOOL),$(MAKECMDGOALS)),all),)
else
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags '$(LIBRARIES)' libkmod 2>/dev/null)
LIB_FOUND := $(shell $(PKG_CONFIG) --exists '$(LIBRARIES)' libkmod && echo yes)

# $(call need,COMMAND,WHAT,DEBIAN,FEDORA): "missing" if COMMAND fails. Prints
# that WHAT is missing and the packages of Debian and Fedora that have it.
need = $(if $(shell $(1) >/dev/null 2>&1 && echo yes),,missing $(shell \
	echo 'make: missing: $(2) (Debian: $(3), Fedora: $(4))' >&2))
# Whether # needs a backslash in a function depends on make's version.
HASH := \#
include = echo '$(HASH)include <$(1)>' | $(CC) $(CPPFLAGS) $(LIB_CFLAGS) -E -x c -
HEADERS := stdio.h linux/openat2.h libsmartcols.h libkmod.h ext2fs/ext2fs.h \
	blkid/blkid.h
missing_tools = \
	$(call need,command -v $(firstword $(CC)),$(CC),gcc,gcc) \
	$(call need,command -v $(firstword $(PKG_CONFIG)),$(PKG_CONFIG),pkg-config,pkgconf-pkg-config)
missing_headers = \
	$(call need,$(call include,stdio.h),stdio.h,libc6-dev,glibc-devel) \
	$(call need,$(call include,linux/openat2.h),linux/openat2.h,linux-libc-dev,kernel-headers) \
	$(call need,$(PKG_CONFIG) --exists '$(LIBRARIES)',$(LIBRARIES),libsmartcols-dev,libsmartcols-devel) \
	$(call need,$(PKG_CONFIG) --exists libkmod && $(call include,libkmod.h),libkmod.h,libkmod-dev,kmod-devel) \
	$(call need,$(call include,ext2fs/ext2fs.h),ext2fs/ext2fs.h,libext2fs-dev,e2fsprogs-devel) \
	$(call need,$(call include,blkid/blkid.h),blkid/blkid.h,libblkid-dev,libblkid-devel)

# Tests all headers at once. Only if that fails, tests one by one.
ifeq ($(and $(LIB_FOUND),$(shell printf '$(HASH)include <%s>\n' $(HEADERS) | \
	$(CC) $(CPPFLAGS) $(LIB_CFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)),)
ifneq ($(strip $(or $(strip $(missing_tools)),$(strip $(missing_headers)))),)
$(error sudo tools/try installs what is missing)
endif
endif
endif

SOURCES := $(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c))
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/obj/%.o)

all: $(BUILD)/bufstat

$(BUILD)/bufstat: $(OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJECTS:.o=.d)

MODULE_TREE = $(abspath $(BUILD)/module-$(KVER))
# The flags of a kernel that clang built are not for gcc.
MODULE_LLVM = $(if $(LLVM),,$(if $(shell grep -s '^CONFIG_CC_IS_CLANG=y' \
	$(KDIR)/.config $(KDIR)/include/config/auto.conf),LLVM=1))

module:
	@mkdir -p $(MODULE_TREE)
	cp -rpu Kbuild kmod include $(MODULE_TREE)/
	$(MAKE) -C $(KDIR) M=$(MODULE_TREE) $(MODULE_LLVM) $(MODULE_FLAGS) modules

module-install:
	install -D -m 644 $(MODULE_TREE)/bufstat.ko \
		$(DESTDIR)$(MODDIR)/bufstat.ko
	$(if $(DESTDIR),,depmod $(KVER))

module-uninstall:
	rm -f $(DESTDIR)$(MODDIR)/bufstat.ko
	$(if $(DESTDIR),,depmod $(KVER))

# The default is the key that DKMS creates and signs with.
KEY ?= /var/lib/dkms/mok.key
CERT ?= /var/lib/dkms/mok.pub

sign:
	@for file in '$(KEY)' '$(CERT)'; do [ -r "$$file" ] || { \
		echo "make sign: $$file: not there or not readable; say make" \
			"sign KEY=PRIVATE-KEY CERT=CERTIFICATE (DER)"; \
		exit 1; } >&2; done
	$(KDIR)/scripts/sign-file sha256 '$(KEY)' '$(CERT)' \
		$(MODULE_TREE)/bufstat.ko
	@echo "If the kernel does not know the key yet:" \
		"sudo mokutil --import $(CERT), then reboot"

# All files that DKMS needs to build the module.
DKMS_FILES := Kbuild kmod/bufstat.h kmod/collect.c kmod/compat.h \
	kmod/control.c kmod/debugfs.c kmod/device.c kmod/features.mk \
	kmod/files.c kmod/filesystem.c kmod/late.c kmod/late.h kmod/main.c \
	kmod/mapping.c kmod/walk.c kmod/walk.h include/bufstat/devices.h \
	include/bufstat/filesystems.h include/bufstat/version.h
DKMSDIR ?= $(PREFIX)/src
DKMS_TREE = $(DESTDIR)$(DKMSDIR)/bufstat-$(VERSION)
DKMS_MODULE = -m bufstat -v $(VERSION)
# What runs when a kernel is installed: on Debian the first two, where there is
# kernel-install the last. Whichever comes second has nothing to do.
KERNEL_HOOKS ?= /etc/kernel/postinst.d/bufstat-dkms \
	/etc/kernel/header_postinst.d/bufstat-dkms \
	/etc/kernel/install.d/45-bufstat.install

# DKMS may have a build that failed or is of older sources: --force redoes it.
dkms-install:
	install -d $(DKMS_TREE)/kmod $(DKMS_TREE)/include/bufstat
	for file in $(DKMS_FILES); do \
		install -m 644 $$file $(DKMS_TREE)/$$file || exit; done
	sed 's/#MODULE_VERSION#/$(VERSION)/' dkms.conf >$(DKMS_TREE)/dkms.conf
	chmod 644 $(DKMS_TREE)/dkms.conf
	install -D -m 644 tools/packaging/modules-load.conf \
		$(DESTDIR)$(MODULESLOADDIR)/bufstat.conf
	for hook in $(KERNEL_HOOKS:%=$(DESTDIR)%); do \
		mkdir -p "$${hook%/*}" && \
		sed 's/@VERSION@/$(VERSION)/' tools/packaging/kernel-hook.in \
			>"$$hook" && chmod 755 "$$hook" || exit; done
ifeq ($(DESTDIR),)
	dkms status $(DKMS_MODULE) | grep -q . || \
		dkms add --sourcetree $(DKMSDIR) $(DKMS_MODULE)
	dkms build --force $(DKMS_MODULE) -k $(KVER)
	dkms install --force $(DKMS_MODULE) -k $(KVER)
endif

dkms-uninstall:
ifeq ($(DESTDIR),)
	dkms remove $(DKMS_MODULE) --all
endif
	rm -rf $(DKMS_TREE)
	rm -f $(DESTDIR)$(MODULESLOADDIR)/bufstat.conf
	rm -f $(KERNEL_HOOKS:%=$(DESTDIR)%)

UNITS := bufstat-export.service bufstat-export.timer bufstat-record.service

MAN_PAGES := $(sort $(wildcard src/man/*.[78]))
# man8/bufstat.8
INSTALLED_PAGES := $(foreach page,$(notdir $(MAN_PAGES)),$(patsubst \
	.%,man%,$(suffix $(page)))/$(page)) man8/bufstat-fs.8

# Up to 0.1.0 the tool was in sbin, which root's PATH has before bin.
install: $(BUILD)/bufstat
	rm -f $(DESTDIR)$(PREFIX)/sbin/bufstat
	install -D -m 755 $(if $(STRIP),-s --strip-program='$(STRIP)') \
		$(BUILD)/bufstat $(DESTDIR)$(BINDIR)/bufstat
	for section in 7 8; do \
		install -d $(DESTDIR)$(MANDIR)/man$$section && \
		install -m 644 src/man/*.$$section \
			$(DESTDIR)$(MANDIR)/man$$section || exit; done
	ln -sf bufstat-filesystems.8 $(DESTDIR)$(MANDIR)/man8/bufstat-fs.8
	install -D -m 644 src/commands/bufstat.bash $(DESTDIR)$(COMPLETIONDIR)/bufstat
	install -D -m 644 src/commands/bufstat.zsh \
		$(DESTDIR)$(ZSHCOMPLETIONDIR)/_bufstat
	install -D -m 755 tools/packaging/pcp/bufstat \
		$(DESTDIR)$(PREFIX)/share/bufstat/pcp/bufstat
	install -d $(DESTDIR)$(UNITDIR)
	for unit in $(UNITS); do \
		sed 's|@BINDIR@|$(BINDIR)|; s|@TEXTFILEDIR@|$(TEXTFILEDIR)|' \
			tools/packaging/$$unit.in \
			>$(DESTDIR)$(UNITDIR)/$$unit && \
		chmod 644 $(DESTDIR)$(UNITDIR)/$$unit || exit; done

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/bufstat
	rm -f $(addprefix $(DESTDIR)$(MANDIR)/,$(INSTALLED_PAGES))
	rm -f $(DESTDIR)$(COMPLETIONDIR)/bufstat
	rm -f $(DESTDIR)$(ZSHCOMPLETIONDIR)/_bufstat
	rm -f $(UNITS:%=$(DESTDIR)$(UNITDIR)/%)
	rm -rf $(DESTDIR)$(PREFIX)/share/bufstat

print-version:
	@echo $(VERSION)

dist:
	tools/packaging/source-archive

release:
	tools/packaging/release $(TAG)

# Unit tests: one program per tests/unit/WING/test_X.c, built with the sanitizers. All
# of the tool except main() is a shared object, which is linked once.
UNIT_SANITIZE := -fsanitize=address,undefined,float-cast-overflow \
	-fno-sanitize-recover=all -fno-omit-frame-pointer
# Not optimized: compiling takes longer than the tests.
UNIT_FLAGS = -O0 -fPIC $(UNIT_SANITIZE)
UNIT_FIXTURES := $(CURDIR)/tests/fixtures
UNIT_TESTS := $(patsubst %.c,$(BUILD)/unit/%, \
	$(sort $(notdir $(wildcard tests/unit/*/test_*.c))))
# In folders as src has them, but a test's program is named without.
vpath test_%.c $(WINGS:%=tests/unit/%) tests/unit/commands
UNIT_OBJECTS := $(patsubst src/%.c,$(BUILD)/unit-obj/%.o, \
	$(filter-out src/main.c,$(SOURCES)))

unit-programs: $(UNIT_TESTS)

unit: unit-programs
	tests/unit/run $(UNIT_TESTS)

$(BUILD)/unit/%: $(BUILD)/unit-obj/%.o $(BUILD)/unit-obj/tree.o \
		$(BUILD)/unit-obj/fake_kernel.o $(BUILD)/unit/tool.so
	$(CC) $(LDFLAGS) $(UNIT_SANITIZE) -Wl,-rpath,'$$ORIGIN' -o $@ $^ \
		-lcmocka $(UNIT_LIBS)

$(BUILD)/unit/tool.so: $(UNIT_OBJECTS) $(BUILD)/unit-obj/page_size.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(UNIT_SANITIZE) -shared -Wl,-z,defs -Wl,-soname,tool.so \
		-o $@ $^

# What it expects, it asks libext2fs.
$(BUILD)/unit/test_blocks: UNIT_LIBS := -lext2fs -lcom_err

$(BUILD)/unit-obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(UNIT_FLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

UNIT_COMPILE = $(CC) $(ALL_CFLAGS) $(UNIT_FLAGS) -Itests/unit \
	-DFIXTURES='"$(UNIT_FIXTURES)"' $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit-obj/test_%.o: test_%.c Makefile
	@mkdir -p $(@D)
	$(UNIT_COMPILE)

$(BUILD)/unit-obj/%.o: tests/unit/%.c Makefile
	@mkdir -p $(@D)
	$(UNIT_COMPILE)

-include $(wildcard $(foreach at,* */* */*/*,$(BUILD)/unit-obj/$(at).d))

# Fuzzers: one program per tests/fuzz/fuzz_X.c, linked with all of the tool
# except main(). libFuzzer needs clang.
FUZZ_CC ?= clang
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_FLAGS = -O1 -g -fsanitize=fuzzer-no-link $(FUZZ_SANITIZE) -Itests/fuzz \
	-Itests/unit
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%, \
	$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_OBJECTS := $(patsubst src/%.c,$(BUILD)/fuzz-obj/%.o, \
	$(filter-out src/main.c,$(SOURCES)))

fuzz: $(FUZZERS)

$(BUILD)/fuzz/%: $(BUILD)/fuzz-obj/%.o $(BUILD)/fuzz-obj/tool.a
	@mkdir -p $(@D)
	$(FUZZ_CC) $(LDFLAGS) -fsanitize=fuzzer $(FUZZ_SANITIZE) -o $@ $^

# Not fuzzers: these make seeds.
$(BUILD)/fuzz/reduce_%: tests/fuzz/reduce_%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< $(filter-out %/main.o,$(OBJECTS))

$(BUILD)/fuzz-obj/tool.a: $(FUZZ_OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/fuzz-obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(FUZZ_CC) $(ALL_CFLAGS) $(FUZZ_FLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/fuzz-obj/%.o: tests/fuzz/%.c Makefile
	@mkdir -p $(@D)
	$(FUZZ_CC) $(ALL_CFLAGS) $(FUZZ_FLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(foreach at,* */* */*/*,$(BUILD)/fuzz-obj/$(at).d))

# Programs that the tests of the command line need besides the tool.
cli-helpers: $(BUILD)/cli/resident $(BUILD)/cli/no_alloc.so $(BUILD)/cli/set_clock.so \
		$(BUILD)/cli/fake_dump $(BUILD)/cli/write_recording \
		$(BUILD)/cli/read_recording

$(BUILD)/cli/%.so: tests/cli/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(CPPFLAGS) $(LDFLAGS) -shared -fPIC -o $@ $<

$(BUILD)/cli/%: tests/cli/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(CPPFLAGS) $(LDFLAGS) -o $@ $<

# With the kernels of the unit tests, which are made with the tool's own code.
$(BUILD)/cli/fake_dump: tests/cli/fake_dump.c tests/unit/fake_kernel.c \
		tests/unit/tree.c $(wildcard tests/unit/*.h) $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(CPPFLAGS) -Itests/unit \
		-DFIXTURES='"$(UNIT_FIXTURES)"' $(LDFLAGS) -o $@ \
		$(filter %.c,$^) $(filter-out %/main.o,$(OBJECTS)) -lcmocka \
		$(LDLIBS)

# With the tool's own code.
$(BUILD)/cli/%_recording: tests/cli/%_recording.c $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(CPPFLAGS) $(LDFLAGS) -o $@ $< \
		$(filter-out %/main.o,$(OBJECTS)) $(LDLIBS)

# Programs that run in the virtual machines, whose system has no libraries but
# those of the tool. walks is linked with the tool's own code.
VM_HELPERS := $(patsubst tests/vm/guest/%.c,$(BUILD)/vm-helpers/%, \
	$(wildcard tests/vm/guest/*.c))

vm-helpers: $(VM_HELPERS)

# With __SANE_USERSPACE_TYPES__, __u64 is unsigned long long on ppc64, too.
$(BUILD)/vm-helpers/%: tests/vm/guest/%.c $(wildcard tests/vm/guest/common/*) \
		$(wildcard include/bufstat/*.h) Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -D__SANE_USERSPACE_TYPES__ -O2 -Wall \
		-Wextra -Iinclude -static -pthread -o $@ $(filter %.c,$^)

$(BUILD)/vm-helpers/walks: tests/vm/guest/walks.c $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< $(filter-out %/main.o,$(OBJECTS))

# The headers of the kernel's interfaces are the same for all processors. There
# is no such program for a kernel that runs none of 32 bits.
$(BUILD)/vm-helpers/caller32: tests/vm/guest/caller32.c \
		include/bufstat/filesystems.h Makefile
	@mkdir -p $(@D)
	case $$($(CC) -dumpmachine) in \
	x86_64-*) compiler="$(CC) -m32" ;; \
	aarch64-*) compiler=arm-linux-gnueabihf-gcc ;; \
	*) exit 0 ;; \
	esac; \
	$$compiler -O2 -Wall -Wextra -Iinclude -static -nostdlib -no-pie \
		-fno-pie -ffreestanding -fno-stack-protector \
		-Wl,-z,max-page-size=65536 \
		-idirafter /usr/include \
		-idirafter /usr/include/$$(cc -dumpmachine) -o $@ $<

# It asks libext2fs, as a unit test does.
$(BUILD)/vm-helpers/block_kinds: tests/vm/guest/block_kinds.c \
		tests/unit/ext_kinds.h Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Itests/unit -static \
		-pthread -o $@ $< -lext2fs -lcom_err

# tests/faults/run also needs the tool built with the sanitizers, and a library
# that it preloads into the ordinary one.
fault-helpers: $(BUILD)/faults/bufstat $(BUILD)/faults/preload.so

$(BUILD)/faults/bufstat: $(BUILD)/unit-obj/main.o $(UNIT_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(UNIT_SANITIZE) -o $@ $^

$(BUILD)/faults/preload.so: tests/faults/preload.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(CPPFLAGS) $(LDFLAGS) -shared -fPIC -o $@ $<

check: $(BUILD)/bufstat
	tests/run

clean:
	rm -rf $(BUILD)

.PHONY: all module module-install module-uninstall sign dkms-install \
	dkms-uninstall install uninstall print-version unit unit-programs fuzz \
	cli-helpers vm-helpers fault-helpers check clean dist release
