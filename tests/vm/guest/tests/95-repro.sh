# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat repro: each scenario has its known verdict, and its opposite is
# refuted.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh

# Labs need a file system on a disk, where the loop devices can use direct I/O.
lab_place() {
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/vdb
	mount -t ext4 /dev/vdb /mnt
}

# repro STATUS [ARGUMENT...]: leaves its JSON in /tmp/said. A verdict about the
# whole host can be disturbed; then it tries once more.
repro() {
	expected=$1
	shift
	for _ in 1 2 3; do
		status=0
		bufstat repro -J --place /mnt --size 16M --files 2000 "$@" \
			>/tmp/said || status=$?
		[ $status = 3 ] || break
	done
	jq -r '.experiments[] | "\(.name): \(.verdict): \(.because) \(.error) " +
		([.. | .astray? | strings] | join(", "))' /tmp/said
	equal "$status" "$expected" "exit status of repro $*"
}

# nothing_left DIRECTORY: whether it has no labs.
nothing_left() {
	[ -z "$(ls -d "$1"/bufstat-repro.* 2>/dev/null)" ]
	[ -z "$(cat /sys/block/loop*/loop/backing_file 2>/dev/null)" ]
	not grep bufstat-repro /proc/mounts
}

confirmed() {
	lab_place
	repro 0 "$1"
	equal "$(jq -r '.experiments[0].source // "none"' /tmp/said)" "$2" source
	nothing_left /mnt
}

refuted() {
	lab_place
	repro 4 --opposite "$1"
	nothing_left /mnt
}

# The figures are the module's, and only this one device grows.
figures() {
	lab_place
	repro 0 dd
	[ "$(jq '.experiments[0].readings |
		.[1].device_pages - .[0].device_pages' /tmp/said)" -ge $((16 * PAGES_PER_MIB)) ]
	# Reading the backing file may read some metadata of its file system.
	[ "$(jq '.experiments[0].readings | .[1].other_devices_pages -
		.[0].other_devices_pages' /tmp/said)" -le 8 ]
}

# The backing file is in a tmpfs, which is always in the page cache.
in_tmpfs() {
	bufstat repro --place /tmp --size 16M dd direct file
	nothing_left /tmp
}

by_cachestat() {
	has_cachestat || skip "no cachestat(2) in this kernel"
	lab_place
	repro 0 --source cachestat dd
	equal "$(jq -r '.experiments[0].source' /tmp/said)" cachestat source
}

# RHEL 9 turns io_uring off.
no_uring() {
	switch=/proc/sys/kernel/io_uring_disabled
	[ -e $switch ] || skip "this kernel cannot turn io_uring off"
	lab_place
	echo 2 >$switch
	for scenario in uring $(lacking tracing || echo path); do
		status=0
		bufstat repro --place /mnt --size 16M $scenario 2>/tmp/said ||
			status=$?
		cat /tmp/said
		equal "$status" 1 "exit status of $scenario"
		grep -q "^bufstat: .*io_uring: .* (see $switch)$" /tmp/said
	done
	echo 0 >$switch
}

# Without a source there is only Buffers, not its devices.
without_a_source() {
	has_cachestat && skip "cachestat(2) measures without the module"
	lab_place
	mount --bind /dev/null /proc/kcore
	rmmod bufstat
	status=0
	bufstat repro -J --place /mnt --size 16M "$1" >/tmp/said || status=$?
	insmod "$MODULE"
	umount /proc/kcore
	jq -r '.experiments[0] | "\(.verdict): \(.because)"' /tmp/said
	equal "$status" "$2" "exit status"
	equal "$(jq -r '.experiments[0].source // "none"' /tmp/said)" none source
}

# lacks WHAT MODULE SCENARIO: runs without the module, which nothing loads.
lacks() {
	rmmod "$2" 2>/dev/null || true
	not grep -q "^$2 " /proc/modules
	status=0
	bufstat repro "$3" >/tmp/said 2>&1 || status=$?
	cat /tmp/said
	equal "$status" 2 "exit status"
	grep -q "modprobe $2" /tmp/said
	not grep -q "^$2 " /proc/modules
}

[ -e /sys/kernel/tracing/trace ] || mount -t tracefs tracefs /sys/kernel/tracing
mkdir -p /var/tmp
rmmod loop xfs btrfs 2>/dev/null
check "repro: without the loop module it says so and loads nothing" \
	lacks loop loop dd
modprobe loop
check "repro: the same for XFS" lacks xfs xfs find-xfs
check "repro: the same for btrfs" with btrfs lacks btrfs btrfs find-btrfs
for module in ext4 xfs btrfs; do
	modprobe $module
done
for scenario in $(bufstat repro --scenarios | awk 'NR > 1 { print $1 }'); do
	source=module
	[ "$scenario" != tmpfs ] || source=none
	# thorough=1 on the kernel's command line goes the ways of each filesystem.
	case $scenario in
	path-*) [ "${thorough-}" ] || continue ;;
	esac
	case $scenario-$(uname -r) in
	path*-4.18.* | uring-4.18.*) continue ;;
	path*) other_processors 0 ;;
	esac
	filesystem="this scenario" way="this scenario"
	case $scenario in
	*btrfs) filesystem=btrfs ;;
	esac
	case $scenario in
	who | path*) way=tracing ;;
	esac
	check "repro $scenario: confirmed" with "$filesystem" with "$way" \
		confirmed "$scenario" $source
	# What is refuted in one of these is in all.
	case $scenario in
	path-*) ;;
	*) check "repro $scenario: the opposite is refuted" with "$filesystem" \
		with "$way" refuted "$scenario" ;;
	esac
	other_processors 1
done
check "repro dd: on its device only" figures
check "repro in a tmpfs" in_tmpfs
check "repro --source cachestat" by_cachestat
check "repro: where io_uring is off it says so" no_uring
check "repro dd without a source: whose the growth is, is not known" \
	without_a_source dd 3
check "repro dd-close without a source: Buffers shows it" \
	without_a_source dd-close 0
