# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat explain on a live host: what it says of memory comes true when the host
# is changed or its advice is followed (thorough=1 on the kernel's command line
# tries every load). It names every device and the reason for its pages, and
# changes nothing.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh
# shellcheck source=../memory.sh
. /guest/memory.sh
leaves explain

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
	bufstat explain buffers >/tmp/text
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
		bufstat explain buffers >/tmp/text 2>/tmp/errors
		says "held open by hold ($holder)"
		# A slow machine takes more than a second.
		equal "$(grep -v 'still working' /tmp/errors)" "" errors
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
	bufstat explain available >/tmp/text
	keep reserves
	echo "$usual" >/proc/sys/vm/min_free_kbytes
	says "It is below free here"
}

claims_of_queues() {
	ip link set lo up
	echo "1000000 1000000 1000000" >/proc/sys/net/ipv4/udp_mem
	for kind in pipes unix sockets; do
		start_load $kind "$(($(field MemTotal) / 8192 + 1))"
		keep "$kind"
		bufstat explain >/tmp/text
		kill "$load"
		wait "$load" || true
		says "memory_load ($load) has "
	done
}

# What one command or another process may take meanwhile, and what KASAN keeps back of
# freed memory more or less than before.
MIB=$((1024 * 1024))
LITTLE=$((2 * MIB))
! lacking "freed memory" || LITTLE=$((8 * MIB))

# explained NAME: keeps what explain says now. stat_refresh first folds in what
# processors count on their own.
explained() {
	cat /proc/sys/vm/stat_refresh
	bufstat explain -J >"/tmp/$1.json"
	jq -r '"kept \(.verdict.unreclaimable_bytes)",
		"largest \(.verdict.largest_head)",
		"limit \(.verdict.next_limit.cgroup)",
		"unused \([.memory.heads[] | select(.head == "free" or
			.head == "free_per_cpu") | .bytes] | add)",
		"total \(.memory.total_bytes)",
		(.advice[] | "\(.key) \(.at_least_bytes) \(.at_most_bytes) \(.command)")
		' "/tmp/$1.json" >"/tmp/$1"
}

# said KEY NAME [FIELD]: a figure of what was kept.
said() {
	awk -v key="$1" -v field="${3-2}" '$1 == key { print $field }' "/tmp/$2"
}

# near WHAT VALUE EXPECTED: within 1 percent, or a little.
near() {
	allowed=$(($3 / 100))
	[ "$allowed" -ge $LITTLE ] || allowed=$LITTLE
	off=$(($2 - $3))
	[ "${off#-}" -le "$allowed" ] ||
		fail "$1: $2, expected $3 ($(cat /tmp/before /tmp/after))"
}

# kept_more BYTES: so much more cannot be reclaimed than before.
kept_more() {
	near "what cannot be reclaimed" \
		$(($(said kept after) - $(said kept before))) "$1"
}

# is_kept NAME: dropping all caches leaves in use what was said then.
is_kept() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	explained dropped
	in_use=$(($(said total dropped) - $(said unused dropped)))
	[ $((in_use + LITTLE)) -ge "$(said kept "$1")" ] ||
		fail "$in_use are in use: $(cat "/tmp/$1")"
}

# follow KEY: does what is advised. It frees what was said.
follow() {
	explained before
	command=$(awk -v key="$1" '$1 == key { sub(/^([^ ]+ ){3}/, ""); print }' \
		/tmp/before)
	[ "$command" ] || fail "no advice $1: $(cat /tmp/before)"
	sh -c "$command" >/tmp/followed
	explained after
	freed=$(($(said unused after) - $(said unused before)))
	at_least=$(said "$1" before)
	at_most=$(said "$1" before 3)
	echo "$(uname -r) $command: $freed of $at_least to $at_most" \
		>>/out/advice
	[ $((freed + at_least / 200 + LITTLE)) -ge "$at_least" ] ||
		fail "$command: $freed freed, at least $at_least was said"
	[ $((freed - at_most / 200 - LITTLE)) -le "$at_most" ] ||
		fail "$command: $freed freed, at most $at_most was said"
}

# not_advised KEY
not_advised() {
	equal "$(said "$1" after)" "" "advice that is of no use any more"
}

# write_file PATH MIB
write_file() {
	dd if=/dev/zero of="$1" bs=1M count="$2" 2>/dev/null
}

# worth MIB: that, or what is worth an advice: 1 % of the memory, and half of it
# more.
worth() {
	share=$(($(field MemTotal) * 3 / 200 / 1024))
	echo $(($1 > share ? $1 : share))
}

disk() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	rm -f /mnt/file
}

advice_of_caches() {
	disk
	write_file /mnt/file 100
	sync
	follow drop_1
	[ "$freed" -ge $((95 * MIB)) ] || fail "only $freed"
	not_advised drop_1
	cat /mnt/file >/dev/null
	follow drop_mount
	[ "$freed" -ge $((95 * MIB)) ] || fail "only $freed"
	not_advised drop_mount
	rm /mnt/file
}

# ext4 writes by itself what may not fit on the disk, so it is not much.
advice_of_dirty_data() {
	disk
	write_file /mnt/file "$(worth 30)"
	follow sync_drop_1
	[ "$freed" -ge $((25 * MIB)) ] || fail "only $freed"
	not_advised sync_drop_1
	rm /mnt/file
}

advice_of_a_device() {
	hold_open /dev/vdb
	dd if=/dev/vdb of=/dev/null bs=1M 2>/dev/null
	explained before
	follow drop_device
	[ "$freed" -ge $((at_most * 9 / 10)) ] || fail "only $freed"
	release
}

advice_of_inodes() {
	disk
	mkdir -p /mnt/many
	files=$((1000 * $(worth 20)))
	# The disk has room for these.
	[ $files -le 45000 ] || files=45000
	(cd /mnt/many && seq $files | xargs touch)
	sync
	echo 1 >/proc/sys/vm/drop_caches
	follow drop_2
	[ "$freed" -ge $((10 * MIB)) ] || fail "only $freed"
	rm -rf /mnt/many
}

advice_of_huge_pages() {
	[ "$HUGE_KIB" ] || skip "no huge pages"
	used=$(huge_pages_of 40)
	pool=$((used + $(huge_pages_of "$(worth 20)")))
	echo 1 >/proc/sys/vm/compact_memory
	explained before
	echo "$pool" >/proc/sys/vm/nr_hugepages
	explained after
	kept_more 0
	follow shrink_pool
	equal "$at_least" "$at_most" "the bounds of a pool"
	equal "$(cat /proc/sys/vm/nr_hugepages)" 0 "huge pages"
	explained before
	echo "$pool" >/proc/sys/vm/nr_hugepages
	start_holding memory_load pool "$(huge_mib "$used")"
	explained after
	kept_more $(($(huge_mib "$used") * MIB))
	follow shrink_pool
	release
	echo 0 >/proc/sys/vm/nr_hugepages
}

verdict_of_programs() {
	explained before
	start_holding memory_load anon 200
	explained after
	kept_more $((200 * MIB))
	equal "$(said largest after)" programs "the largest part"
	is_kept after
	release
	explained after
	kept_more 0
}

# Linux 7.3 does not count as locked all of a locked file in large folios.
verdict_of_locked_files() {
	disk
	write_pages /mnt/file $((40 * PAGES_PER_MIB))
	sync
	explained before
	unlocked=$(field Mlocked)
	start_holding shared locked=/mnt/file $((40 * PAGES_PER_MIB))
	explained after
	locked=$((($(field Mlocked) - unlocked) * 1024))
	[ "$locked" -ge $((15 * MIB)) ] || fail "only $locked are locked"
	kept_more "$locked"
	is_kept after
	release
	rm /mnt/file
}

verdict_of_tmpfs() {
	mount -t tmpfs some /mnt
	explained before
	write_file /mnt/file 150
	explained after
	kept_more $((150 * MIB))
	equal "$(said largest after)" shared "the largest part"
	bufstat explain >/tmp/text
	grep -q '^  /mnt  *150M .* tmpfs$' /tmp/text ||
		fail "not in the table: $(cat /tmp/text)"
	is_kept after
	rm /mnt/file
	explained after
	kept_more 0
}

# Programs fit into swap once it is there.
verdict_of_swap() {
	modprobe zram 2>/dev/null || skip "no zram"
	[ -e /sys/block/zram0 ] || skip "no zram device"
	start_holding memory_load anon 60
	explained before
	# The first page is the header.
	echo $((40 * MIB + PAGE)) >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null
	swapon /dev/zram0
	explained after
	kept_more $((-40 * MIB))
	bufstat explain >/tmp/text
	says ", even if all free swap (40M) is used"
	is_kept after
	release
	swapoff /dev/zram0
	echo 1 >/sys/block/zram0/reset
}

# A tmpfs stands for what cannot be reclaimed.
verdict_of_a_limit() {
	cgroups_2 /tmp/cg
	disk
	write_file /mnt/file 30
	sync
	echo 3 >/proc/sys/vm/drop_caches
	mkdir /tmp/cg/web /tmp/tmpfs
	mount -t tmpfs some /tmp/tmpfs
	echo 100M >/tmp/cg/web/memory.max
	sh -c 'echo 0 >/tmp/cg/web/cgroup.procs
		dd if=/dev/zero of=/tmp/tmpfs/file bs=1M count=60
		cat /mnt/file' >/dev/null 2>&1
	explained before
	equal "$(said limit before)" /web "the next limit"
	bufstat explain >/tmp/text
	says "Next limit: /web: 9"
	if [ -e /tmp/cg/web/memory.reclaim ]; then
		follow drop_cgroup
		[ "$freed" -ge $((25 * MIB)) ] || fail "only $freed"
	else
		equal "$(said drop_cgroup before)" "" "advice without a way"
	fi
	umount /tmp/tmpfs
	explained after
	equal "$(said limit after)" null "the next limit, without the tmpfs"
	umount /mnt
	rmdir /tmp/tmpfs /tmp/cg/web
	umount /tmp/cg
}

# Dropping all caches leaves nothing to advise. Only where names and inodes that are
# in use share slabs with others can nobody tell before it is done.
advice_after_dropping() {
	echo 3 >/proc/sys/vm/drop_caches
	# What is at the limit may be advised in one answer and not in the other.
	for _ in 1 2 3 4 5; do
		explained dropped
		bufstat explain >/tmp/text
		keys=$(jq -r '.advice[].key' /tmp/dropped.json)
		[ "$keys" ] || ! grep -q 'sysctl vm.drop_caches=2:' /tmp/text || continue
		break
	done
	if [ ! "$keys" ]; then
		grep -E '^ *- (nothing: no command here frees as much as|shared memory, tmpfs: delete files)' \
			/tmp/text
		return
	fi
	equal "$keys" drop_2 "advice after dropping all caches"
	[ "$(said drop_2 dropped)" -lt $(($(said total dropped) / 100)) ] ||
		fail "this was just done: $(cat /tmp/text)"
	follow drop_2
}

: >/out/advice
loads="advice_after_dropping advice_of_caches"
[ ! "${thorough-}" ] ||
	loads="$loads advice_of_dirty_data advice_of_a_device advice_of_inodes
		advice_of_huge_pages verdict_of_programs verdict_of_locked_files
		verdict_of_tmpfs verdict_of_swap verdict_of_a_limit"
for load in $loads; do
	check_long "explain: $load" "$load"
done
check "explain of caches, before and after" claims_of_caches
check "explain of a locked file, before and after" claims_of_locked_files
check "explain of huge pages, before and after" claims_of_huge_pages
check "explain of swapped memory, before and after" claims_of_swap
check "explain of memory that is kept back" claims_of_reserves
check "explain of what is unread in pipes and sockets" claims_of_queues
check "explain names each device and why it is there, and changes nothing" text
check "explain -J has the module's figures" figures
check "explain while processes come and go" processes_vanish
