# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests beside a disk that does not answer.

# left_behind: bufstat's processes that still run; zombies do not count. One program
# looks at all hundred of them: starting one for each takes seconds under emulation.
left_behind() {
	grep -lsE '^Name:[[:blank:]]+bufstat$' /proc/[0-9]*/status |
		xargs -r grep -LsE '^State:[[:blank:]]+Z' | cut -d / -f 3
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
	set -- "$1" "$(uptime_seconds)"
	until [ -e /tmp/status ]; do
		in_time $(($(uptime_seconds) - $2 + 1)) "$1" || return 1
		sleep 0.1
	done
}
