# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat explain on a live host: it names every device and the reason for its
# pages, and changes nothing.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

# Joins the lines of the text, because an item may be wrapped.
one_line() {
	tr -s ' \n' ' ' <"$1"
}

# says WORDS: whether the explanation has them.
says() {
	one_line /tmp/text | grep -qF -- "$1" ||
		fail "not said: $1: $(cat /tmp/text)"
}

busy_host() {
	mount_quietly /dev/vda
	find /mnt >/tmp/found
	hold_open -r 300 /dev/vdb
}

text() {
	busy_host
	take /tmp/before
	bufstat explain >/tmp/text
	take /tmp/after
	same_rows /tmp/before /tmp/after
	says "devices measured by module"
	says ": ext4 mounted at /mnt: its metadata, and any raw reads or"
	says "- vdb $(mib_of 300)"
	says ": held open by hold ($holder)"
	says "- unattributed 0: every page is accounted for"
	says "ext4 keeps its metadata here"
	release
}

figures() {
	busy_host
	take /tmp/before
	bufstat explain -J >/tmp/json
	jq -r --argjson page "$PAGE" '.buffers.devices[] |
		"\(.kname) \(.pages) \(.dirty_bytes / $page)" +
		" \(.writeback_bytes / $page) \(.openers)"' /tmp/json |
		sort >/tmp/rows
	awk '$1 == "end" { exit } rows { print $3, $4, $5, $6, $7 }
		$1 == "columns" { rows = 1 }' /tmp/before | sort >/tmp/expected
	[ -s /tmp/rows ]
	diff /tmp/expected /tmp/rows
	equal "$(jq -c '[.source, .complete, .buffers.unattributed_bytes]' \
		/tmp/json)" '["module",true,0]' "source, complete, unattributed"
	equal "$(jq -c '.buffers.devices[] | select(.kname == "vdb") |
		.held_open_by' /tmp/json)" \
		"[{\"pid\":$holder,\"comm\":\"hold\"}]" "who holds vdb open"
	release
}

# Processes come and go while /proc is read.
processes_vanish() {
	hold_open -r 30 /dev/vdb
	while :; do
		# shellcheck disable=SC2034 # a process for each
		for i in 1 2 3 4 5 6 7 8; do
			true </dev/vdd &
		done
		wait
	done &
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		bufstat explain >/tmp/text 2>/tmp/errors
		says "held open by hold ($holder)"
		equal "$(cat /tmp/errors)" "" errors
	done
	kill $!
	release
}

# keep NAME: captures the host in /out/explain for tests/explain/claims, which
# runs after the machine has ended.
keep() {
	mkdir -p /out/explain
	bufstat capture "/out/explain/$1"
}

# Each processor may keep some 30 MB of freed pages on its own list. No figure
# has them, so pages freed by dropping caches would not show.
per_cpu_lists() { # FRACTION: 1/FRACTION of memory for the lists; 0: default
	for fraction in /proc/sys/vm/percpu_pagelist*fraction; do
		echo "$1" >"$fraction"
	done
}

# keep_and_drop NAME: captures the host before and after dropping its caches.
keep_and_drop() {
	sync
	per_cpu_lists 10000
	keep "$1"
	echo 3 >/proc/sys/vm/drop_caches
	keep "$1.dropped"
	per_cpu_lists 0
}

field() { # NAME
	awk -v name="$1:" '$1 == name { print $2 }' /proc/meminfo
}

claims_of_caches() {
	busy_host
	read_files /mnt 3000
	keep_and_drop caches
	release
}

claims_of_locked_files() {
	mount -t ext4 /dev/vda /mnt
	write_pages /mnt/locked 5000
	sync
	start_holding shared locked=/mnt/locked 5000
	keep_and_drop locked
	release
	rm /mnt/locked
}

claims_of_huge_pages() {
	[ "$HUGE_KIB" ] || skip "no huge pages"
	echo $((32768 / HUGE_KIB)) >/proc/sys/vm/nr_hugepages
	[ "$(field HugePages_Total)" -gt 0 ] || skip "no huge pages"
	keep_and_drop huge-pages
	echo 0 >/proc/sys/vm/nr_hugepages
}

# Some shared memory is swapped out. Dropping caches does not change that.
claims_of_swap() {
	mkswap /dev/vdc2 >/dev/null
	swapon /dev/vdc2
	start_holding shared memfd 2000
	other=$holder
	start_holding shared swapped $((16000 / PAGE_KIB))
	swapped=$(($(field SwapTotal) - $(field SwapFree)))
	keep_and_drop swap
	kill "$other"
	release
	swapoff /dev/vdc2
	dd if=/dev/zero of=/dev/vdc2 bs="$PAGE" count=1 conv=notrunc 2>/dev/null
	[ "$swapped" -gt 8000 ] || fail "only $swapped kB were swapped"
}

# The kernel's reserves are larger than the caches.
claims_of_reserves() {
	usual=$(cat /proc/sys/vm/min_free_kbytes)
	echo 3 >/proc/sys/vm/drop_caches
	echo 150000 >/proc/sys/vm/min_free_kbytes
	bufstat explain >/tmp/text
	keep reserves
	echo "$usual" >/proc/sys/vm/min_free_kbytes
	says "It is below free here"
}

check "explain of caches, before and after" claims_of_caches
check "explain of a locked file, before and after" claims_of_locked_files
check "explain of huge pages, before and after" claims_of_huge_pages
check "explain of swapped memory, before and after" claims_of_swap
check "explain of memory that is kept back" claims_of_reserves
check "explain names each device and why it is there, and changes nothing" text
check "explain -J has the module's figures" figures
check "explain while processes come and go" processes_vanish
