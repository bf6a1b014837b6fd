# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# More helpers, for scripts about all of memory. Sourced after test.sh.

# near FIGURE EXPECTED PERCENT OF WHAT: within so many percent of OF, or 64.
near() {
	allowed=$(($4 * $3 / 100))
	[ "$allowed" -ge 64 ] || allowed=64
	off=$(($1 - $2))
	[ "${off#-}" -le "$allowed" ] ||
		fail "$5: $1, expected $2 within $allowed ($(tail -n 9 /out/memory))"
}

# await_no_load: an earlier one that was killed gives back what it had when it ends.
await_no_load() {
	for _ in $(seq 100); do
		grep -qsx memory_load /proc/[0-9]*/comm || return 0
		sleep 0.1
	done
	fail "memory_load of an earlier test goes on"
}

# start_load KIND NUMBER [FILE]: starts memory_load, $load, by the command $within if
# that is set, and waits until it has the memory; sets pages to what it took.
start_load() {
	: >/tmp/load
	# shellcheck disable=SC2086 # words
	${within-} memory_load "$@" >/tmp/load 2>/tmp/load.err &
	load=$!
	for _ in $(seq 600); do
		! grep -q ready /tmp/load || break
		kill -0 $load 2>/dev/null || break
		sleep 0.1
	done
	grep -q ready /tmp/load || skip "no such load here: $(cat /tmp/load.err)"
	pages=$(awk '$1 == "ready" { print $2 }' /tmp/load)
}

# set_aside KIB: leaves about this much memory available. To use it up page by page
# takes long in an emulated machine.
set_aside() {
	rest=$(awk -v leave="$1" '$1 == "MemAvailable:" { print $2 - leave }' \
		/proc/meminfo)
	if [ "$HUGE_KIB" ]; then
		echo $((rest / HUGE_KIB)) >/proc/sys/vm/nr_hugepages
	else
		mkdir -p /aside
		mount -t tmpfs -o size=100% none /aside
		fallocate -l "${rest}K" /aside/rest
	fi
}

give_back() {
	if [ "$HUGE_KIB" ]; then
		echo 0 >/proc/sys/vm/nr_hugepages
	else
		umount /aside
	fi
}
