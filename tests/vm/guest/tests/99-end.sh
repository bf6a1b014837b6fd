# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Last of all: the kernel's own complaints.
# shellcheck source=../test.sh
. /guest/test.sh

# 4096: out-of-tree module; 8192: unsigned module. Other bits are complaints.
# Red Hat's kernels set bit 16 when they run what they call a preview, as io_uring.
taint() {
	expected=$((4096 | 8192))
	case $(uname -r) in
	*-el[0-9]*) expected=$((expected | 65536)) ;;
	esac
	value=$(cat /proc/sys/kernel/tainted)
	[ $((value & ~expected)) = 0 ] || fail "tainted: $value"
}

# If KCSAN does not run, the absence of reports means nothing.
races_are_watched() {
	tee /out/kcsan </sys/kernel/debug/kcsan
	grep -x 'enabled: 1' /out/kcsan
	awk '$1 == "setup_watchpoints:" && $2 > 0 { found = 1 }
		END { exit !found }' /out/kcsan
}

check "the kernel is tainted by an out-of-tree, unsigned module only" taint
case $(uname -r) in
*-kcsan) check "KCSAN watches for races" races_are_watched ;;
esac
