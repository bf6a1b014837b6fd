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

check "the kernel is tainted by an out-of-tree, unsigned module only" taint
