# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A thousand loop devices, some hundreds of them with pages.
# shellcheck source=../test.sh
. /guest/test.sh

COUNT=1000

# loop_nodes FIRST LAST
loop_nodes() {
	seq "$1" "$2" | sed 's|^|/dev/loop|'
}

rows_of_loops() {
	awk -v pages="$1" '$3 ~ /^loop/ && $4 == pages { n++ } END { print n + 0 }' \
		/tmp/snapshot
}

many_rows() {
	modprobe loop
	truncate -s 1M /tmp/backing
	loops add 0 $COUNT /tmp/backing
	take /tmp/before
	equal "$(header devices /tmp/before)" "$(every_device | wc -l)" devices
	# shellcheck disable=SC2046
	hold_open -r 2 $(loop_nodes 0 399) $(loop_nodes 700 899)
	take /tmp/snapshot
	equal "$(rows_of_loops 2)" 600 "rows with two pages"
	equal "$(header pages /tmp/snapshot)" \
		$(($(header pages /tmp/before) + 1200)) "pages"
	bufstat devices -nr -o NAME,PAGES >/tmp/rows
	equal "$(grep -c '^loop[0-9]* 2$' /tmp/rows)" 600 "rows of the tool"
	equal "$(tail -n 1 /tmp/rows)" "unattributed 0" "rest of the tool"
	release
	# Fewer rows than in the last snapshot.
	hold_open -r 1 /dev/loop5
	take /tmp/snapshot
	equal "$(rows_of_loops 1)" 1 "rows with one page"
	equal "$(header pages /tmp/snapshot)" \
		$(($(header pages /tmp/before) + 1)) "pages"
	release
}

# objects: how many the kernel's kmalloc caches have.
objects() {
	awk '$1 ~ /^kmalloc-/ { n += $2 } END { print n }' /proc/slabinfo
}

# With 600 rows, a leaked snapshot would be some 60 KiB and several objects. The
# bounds are a tenth of the loss if every read leaked its snapshot.
nothing_leaks() {
	# shellcheck disable=SC2046
	hold_open -r 1 $(loop_nodes 0 599)
	# shellcheck disable=SC2046
	set -- $(for _ in $(seq 500); do echo "$FILE"; done)
	verify "$@"
	# The rest of the system allocates too, and memory of ended processes is
	# freed a moment later. But a read that leaks does so in every round.
	for _ in 1 2 3; do
		sleep 1
		memory=$(free_kib)
		live=$(objects)
		verify "$@"
		sleep 1
		memory=$((memory - $(free_kib)))
		live=$(($(objects) - live))
		[ "$live" -ge 100 ] || [ "$memory" -ge 3000 ] || break
	done
	release
	[ "$live" -lt 100 ] || fail "$live more objects after 500 reads"
	[ "$memory" -lt 3000 ] || fail "$memory KiB less after 500 reads"
	not grep bufstat_ /proc/vmallocinfo
}

# If the module kept a reference to a device, it would stay on the list.
devices_go() {
	# Each removal mostly waits, so run ten at a time.
	removing=
	for first in $(seq 0 $((COUNT / 10)) $((COUNT - 1))); do
		loops remove "$first" $((COUNT / 10)) &
		removing="$removing $!"
	done
	for process in $removing; do
		wait "$process"
	done
	unload loop
	counts_every_device /tmp/snapshot
}

check "1000 loop devices, 600 with two pages each: exact" many_rows
check_long "500 reads of 600 rows lose no memory" with "freed memory" nothing_leaks
check "devices that are removed leave the list" devices_go
