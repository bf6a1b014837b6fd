# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The file itself: who may read it, and that each open gives one snapshot.
# shellcheck source=../test.sh
. /guest/test.sh

modes() {
	equal "$(stat -c '%a %u %g %F' "$FILE")" "444 0 0 regular empty file" \
		"mode and owner"
	equal "$(stat -c '%a %u' /sys/kernel/debug)" "700 0" "mode of debugfs"
}

check "mode 0444 in a directory only root may enter" modes
check "it cannot be written" access_file write "$FILE" /dev/vdb
check "read byte by byte it is one sound snapshot" \
	access_file bytes "$FILE" /dev/vdb
check "read again from the start it has not changed" \
	access_file seek "$FILE" /dev/vdb
check "pread at any offset gives that part, past the end nothing" \
	access_file offsets "$FILE" /dev/vdb
check "two descriptors have a snapshot each" \
	access_file descriptors "$FILE" /dev/vdb
