# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The file, Buffers of /proc/meminfo and cachestat(2) agree to the page.
# shellcheck source=../test.sh
. /guest/test.sh

is_loaded() {
	[ -f "$FILE" ]
	verify "$FILE"
	equal "$(header page_size "$FILE")" "$PAGE" "page size"
}

# take compares sums, which means nothing without pages, so read some.
adds_up() {
	hold_open -r 3 /dev/vdb
	take /tmp/snapshot
	release
	equal "$(pages vdb /tmp/snapshot)" 3 "pages of vdb"
}

nothing_cached() {
	take /tmp/snapshot
	equal "$(header pages /tmp/snapshot)" 0 "pages of all devices"
	equal "$(tail -n 1 /tmp/snapshot)" "end 0" "the last line"
}

row_by_row() {
	hold_open -r 7 /dev/vda /dev/vdb /dev/vdc1
	same_as_cachestat
	release
}

check "the module is loaded and its file is sound" is_loaded
check "no device open: no rows, zero pages, Buffers zero" nothing_cached
check "pages, the rows' sum, bufferram_pages and Buffers are equal" adds_up
check "devices is the number of devices in /sys/class/block" \
	counts_every_device /tmp/snapshot
check "cachestat(2) of every device is its row" row_by_row
