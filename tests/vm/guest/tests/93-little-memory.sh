# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Any kernel will do.
#
# With little memory bufstat says what it does not begin, and costs no other process its
# life.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../memory.sh
. /guest/memory.sh
needs tracing

# said STATUS COMMAND...: its exit status and output, which goes to /run, for a full
# host has no room for files.
said() {
	expected=$1
	shift
	status=0
	"$@" >/run/said 2>&1 || status=$?
	[ "$status" = "$expected" ] ||
		fail "exit status $status of $*: $(cat /run/said)"
}

# The first choice of the OOM killer, if bufstat were not.
start_victim() {
	killed=$(dmesg | grep -c 'Killed process' || true)
	start_load anon 100
	echo 500 >/proc/$load/oom_score_adj
}

lives() {
	kill -0 $load || fail "the process was killed"
	[ "$(dmesg | grep -c 'Killed process')" = "$killed" ] ||
		fail "$(dmesg | grep 'Killed process')"
}

on_the_host() {
	start_victim
	set_aside 6000
	awk '$1 == "MemAvailable:"' /proc/meminfo
	for _ in 1 2 3; do
		said 0 bufstat
		said 0 bufstat memory
		said 0 bufstat explain
		said 125 bufstat who -- true
		grep -q 'is available, and with less than 40M tracing' /run/said
		bufstat sources >/run/said 2>&1 || [ $? = 3 ]
		grep -q '^who  *bpf  *no ' /run/said
	done
	give_back
	lives
	kill $load
}

in_a_cgroup() {
	cgroups_2 /sys/fs/cgroup
	mkdir /sys/fs/cgroup/small
	echo 8M >/sys/fs/cgroup/small/memory.max
	for command in sources "who -- true" memory cgroups explain; do
		status=0
		# shellcheck disable=SC2016,SC2086
		sh -c 'echo 0 >/sys/fs/cgroup/small/cgroup.procs; exec bufstat "$@"' \
			sh $command >/run/said 2>&1 || status=$?
		[ $status -lt 128 ] || fail "$command: $status"
		echo "$command: $status"
		[ "$command" != "who -- true" ] || grep 'is available' /run/said
	done
	grep '^oom_kill 0$' /sys/fs/cgroup/small/memory.events
	rmdir /sys/fs/cgroup/small
	umount /sys/fs/cgroup
}

check "with 6 MB available nobody is killed, and tracing is not begun" on_the_host
check "in a cgroup of 8 MB nothing is killed" in_a_cgroup
