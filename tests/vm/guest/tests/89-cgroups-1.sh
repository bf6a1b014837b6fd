# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat cgroups and charges with the memory controller in version 1. The number
# says before which scripts this runs: all that have it in version 2. What a cgroup
# of version 2 leaves behind, version 1 takes off counters that it was never added
# to, and the kernel warns ("page_counter underflow"). Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cgroups.sh
. /guest/cgroups.sh

V2=/tmp/cg2

version_1() {
	mkdir -p $CG $V2
	mount -t cgroup -o memory none $CG || skip "no version 1 here"
	first_cgroup $CG
	echo 1 >$CG/memory.use_hierarchy 2>/dev/null || true
}

# The hierarchy goes with the first umount after its last cgroup is freed.
to_version_2() {
	mount -t cgroup2 none $V2
	for _ in $(seq 40); do
		umount $CG
		sleep 0.5
		! grep -qw memory $V2/cgroup.controllers || break
		mount -t cgroup -o memory none $CG
	done
	grep -w memory $V2/cgroup.controllers
	umount $V2
}

cgroups() {
	version_1
	mount -t cgroup2 none $V2
	mount -t tmpfs some /mnt
	mkdir /mnt/tmpfs $CG/box $V2/box
	echo $((24 * MIB)) >$CG/box/memory.limit_in_bytes
	fill /box first 12
	measure_cgroups
	grep -E '^(next|/box) ' /tmp/figures
	equal "$(next cgroup) $(next limit)" "/box memory.limit_in_bytes" next
	equal "$(jq -r .source /tmp/cgroups.json)" cgroup source
	equal "$(figure /box max_bytes)" $((24 * MIB)) limit
	as_large tmpfs "$(figure /box shmem_bytes)" $((12 * MIB))
	at_least kernel "$(figure /box kernel_bytes)" 1
	equal "$(figure /box oom_kills)" 0 'killed at first'
	# jq prints the zeros of a figure since its version 1.7.
	[ ! -e $V2/box/memory.pressure ] ||
		equal "$(figure /box pressure_some_percent | sed 's/^0\.000$/0/')" 0 pressure
	fill /box second $(($(next left_bytes) / MIB - 1))
	measure_cgroups
	equal "$(figure /box oom_kills)" 0 'killed with 1 MiB left'
	fill /box third 3 || true
	measure_cgroups
	at_least failcnt "$(figure /box max_events)" 1
	at_least killed "$(figure /box oom_kills)" 1
	umount /mnt
	rmdir $CG/box $V2/box
	umount $V2
	to_version_2
}

charges() {
	version_1
	modprobe ext4
	mkfs.ext4 -qF /dev/vdb
	mount -t ext4 -o noatime /dev/vdb /mnt
	dd if=/dev/zero of=/mnt/file bs=1M count=6 2>/dev/null
	sync
	echo 3 >/proc/sys/vm/drop_caches
	mkdir $CG/reader
	inside /reader dd if=/mnt/file of=/dev/null bs=1M 2>/dev/null
	sleep 3
	measure_charges /mnt vdb
	near_pages reader "$(pages_of /reader null)" \
		"$(awk -v page="$PAGE" '$1 == "cache" { print $2 / page }' \
			$CG/reader/memory.stat)"
	[ "$(pages_of /reader null)" -ge $((6144 / PAGE_KIB)) ]
	umount /mnt
	rmdir $CG/reader
	to_version_2
}

check "cgroups: version 1, with version 2 beside it" cgroups
check "charges: version 1" with struct-pages charges
