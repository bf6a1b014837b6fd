# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A mapping keeps an entry for each page that was evicted, so any user can make very
# many of them. They make no walk of the module long: it passes over them in blocks,
# and pauses among those that it has to look at.
#
# How late somebody else runs cannot be asked of an emulated machine on a busy host
# (tools/bench-vm --late counts instructions). How often the walk pauses can: at least
# once in 1024 entries.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

ENTRIES=131072
[ "$PAGE" = 4096 ] || {
	report skip "92-values.sh: the file would be too large with these pages"
	exit 0
}

# pauses: asks about /mnt, and counts the pauses of the module's walks of mappings.
# The answer is in /tmp/all, with the pages that are mlocked and whether all could be
# looked at.
pauses() {
	tracing=/sys/kernel/debug/tracing
	event=$tracing/events/kprobes/pauses
	other_processors 0
	echo 'p:pauses bufstat:bufstat_breathe' >$tracing/kprobe_events
	echo 'comm == "filesystems"' >$event/filter
	echo 1 >$event/enable
	asked /mnt >/tmp/all
	echo 0 >$event/enable
	grep -c ' pauses: ' $tracing/trace || true
	echo >$tracing/trace
	echo >$tracing/kprobe_events
	other_processors 1
}

# all_looked_at: in the answer in /tmp/all. Sets how many pauses the cached pages take.
all_looked_at() {
	cat /tmp/all
	usual=$(awk '{ print int($3 / 1024) }' /tmp/all)
	echo "$paused pauses, $usual of them for cached pages"
	equal "$(awk '{ print $13 }' /tmp/all)" 1 "mlocked pages"
	# A large folio without the flag may be mlocked.
	has_large_folios ||
		equal $(($(awk '{ print $9 }' /tmp/all) & 8)) 8 "whether that is all"
}

evicted() {
	mount_evicted $ENTRIES
	pauses >/tmp/pauses
	paused=$(cat /tmp/pauses)
	unmount_evicted
	all_looked_at
	[ $((paused - usual)) -le 16 ] || fail "each evicted page was looked at"
}

# A cached page in each node.
scattered() {
	! has_large_folios || skip "an entry stands for many pages, so there are few"
	mount_evicted $ENTRIES
	read_every 64 /mnt/sparse
	pauses >/tmp/pauses
	paused=$(cat /tmp/pauses)
	unmount_evicted
	all_looked_at
	[ $((paused - usual)) -ge 32 ] || fail "no pauses among evicted pages"
}

check "evicted pages are passed over in blocks" with tracing evicted
check "among evicted and cached pages the walk pauses" with tracing scattered
