# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Last of all: what the kernel thinks of it.
# shellcheck source=../test.sh
. /guest/test.sh

# 4096: out of the tree; 8192: not signed. Any other bit is a complaint.
taint() {
	value=$(cat /proc/sys/kernel/tainted)
	[ $((value & ~(4096 | 8192))) = 0 ] || fail "tainted: $value"
}

# That no race was reported says something only then.
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
