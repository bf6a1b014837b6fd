# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Beside very many silent mounts, descriptors and processes, and where no process can be
# started.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
hurried
# shellcheck source=../sick.sh
. /guest/sick.sh

# bufstat promises 2 s. An emulated machine is many times slower.
MOST_SECONDS=12

# timed COMMAND...: leaves seconds, output, errors and status.
timed() {
	began=$(uptime_seconds)
	status=0
	"$@" >/tmp/said 2>/tmp/errors || status=$?
	took=$(($(uptime_seconds) - began))
	echo "$took s, status $status: $*"
}

# Each would keep a process that asks it: four are kept, and the others named.
forty_silent_mounts() {
	servers=
	for i in $(seq 40); do
		mkdir -p "/tmp/silent/$i"
		silent_fuse "/tmp/silent/$i" >"/tmp/ready-$i" &
		servers="$servers $!"
	done
	# The way to each leads through a directory that the server has.
	for i in $(seq 40); do
		until [ -s "/tmp/ready-$i" ]; do sleep 0.1; done
		mount -t tmpfs none "/tmp/silent/$i/directory"
	done
	# shellcheck disable=SC2086 # words
	kill -USR1 $servers
	for _ in 1 2; do
		timed bufstat fs
		left=$(left_behind | wc -l)
		echo "$left left, $(grep -c 'not asked: 4 others' /tmp/errors) not asked"
		in_time "$took" $MOST_SECONDS || fail "took $took s"
		[ "$left" -le 4 ] || fail "$left processes stay"
		# Where there is kcore, it has them all.
		[ "$status" = 0 ] || {
			equal "$status" 3 "exit status"
			equal "$(grep -c '/tmp/silent/' /tmp/errors)" 40 named
		}
	done
	# shellcheck disable=SC2086 # words
	kill -9 $servers
	for i in $(seq 40); do umount -l "/tmp/silent/$i"; done
	for _ in $(seq 50); do
		[ -n "$(left_behind)" ] || return 0
		sleep 0.1
	done
	fail "processes that do not end: $(left_behind)"
}

# The module needs no process, nor does what all programs read.
no_process_can_be_started() {
	mkdir -p /tmp/pids
	mount -t cgroup2 none /tmp/pids
	echo +pids >/tmp/pids/cgroup.subtree_control
	mkdir /tmp/pids/one
	echo 1 >/tmp/pids/one/pids.max
	mount -t ext4 /dev/vda /mnt
	ls -R /mnt >/tmp/listed
	for command in "fs -a" explain devices "capture -"; do
		# shellcheck disable=SC2086,SC2016 # words
		timed sh -c 'echo 0 >/tmp/pids/one/cgroup.procs && exec bufstat "$@"' \
			sh $command
		case $status in 0 | 3) ;; *)
			fail "$command: $status: $(cat /tmp/errors)"
			;;
		esac
		[ -s /tmp/said ] || fail "$command says nothing"
		[ "$command" != "fs -a" ] || grep -q '^/dev/vda .* /mnt *$' /tmp/said
	done
	rmdir /tmp/pids/one
	umount /tmp/pids
}

# Walks over what processes have open end in time, or when --timeout says.
descriptors() {
	echo 1048576 >/proc/sys/fs/nr_open
	crowd /etc/passwd 80000 300 >/tmp/ready &
	until grep -q ready /tmp/ready; do sleep 0.1; done
	for time in "" "--timeout 2"; do
		for command in explain "memory --owners all" fs files "capture -"; do
			# shellcheck disable=SC2086 # words
			timed bufstat $command $time
			in_time "$took" 8 || fail "$command $time took $took s"
		done
	done
}

check "of forty silent mounts four keep a process" forty_silent_mounts
check "without a process, what needs none is answered" no_process_can_be_started
check "many descriptors and processes" descriptors
