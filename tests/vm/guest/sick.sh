# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests beside a disk that does not answer.

# left_behind: bufstat's processes that still run; zombies do not count.
left_behind() {
	for process in /proc/[0-9]*; do
		awk '$1 == "Name:" && $2 == "bufstat" { named = 1 }
			$1 == "State:" && $2 == "Z" { ended = 1 }
			END { exit !(named && !ended) }' "$process/status" \
			2>/dev/null || continue
		echo "${process#/proc/}"
	done
}

# make_sick: /dev/dm-0 is the disk vdb, and can be suspended.
make_sick() {
	modprobe dm_flakey 2>/dev/null || skip "no device-mapper here"
	dmsetup --noudevsync create sick --notable
	echo "0 $(cat /sys/class/block/vdb/size) linear /dev/vdb 0" |
		dmsetup --noudevsync load sick
	dmsetup --noudevsync resume sick
}

# resume_sick: what still waited for the disk then ends.
resume_sick() {
	dmsetup --noudevsync resume sick
	for _ in $(seq 100); do
		[ -n "$(left_behind)" ] || return 0
		sleep 0.1
	done
	fail "processes left after the resume: $(left_behind)"
}

# ends_within SECONDS: what runs in the background ends; it then makes /tmp/status.
ends_within() {
	for _ in $(seq $(($1 * 10))); do
		[ ! -e /tmp/status ] || return 0
		sleep 0.1
	done
	[ -e /tmp/status ]
}
