# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Helpers for the test scripts in the virtual machine. Each script in tests/
# sources this file and then runs each of its tests with
#	check NAME COMMAND [ARGUMENT...]
# Status 0: passed; 77: skipped, the last line of output says why; anything
# else: failed, the output says why. The command runs in its own shell with set
# -eu, so a failing step fails the test.

# shellcheck source=pages.sh
. /guest/pages.sh

FILE=/sys/kernel/debug/bufstat/devices
MODULE=/lib/modules/$(uname -r)/extra/bufstat.ko
[ -d /sys/module/bufstat ] || insmod "$MODULE"

SKIPPED=77

# Commands of bufstat that measure have time for it (patient.c).
mkdir -p /run/patient
ln -sf /helpers/patient /run/patient/bufstat
PATH=/run/patient:${PATH#/run/patient:}

# hurried: from here on they have their own two seconds, and no shell is started
# before them, which would ask for its directory.
hurried() {
	PATH=${PATH#/run/patient:}
}

# often N: how many times to try what fails only sometimes. N with thorough=1 on
# the kernel's command line, else a quarter of it.
often() {
	if [ "${thorough-}" ]; then
		echo "$1"
	else
		echo $((($1 + 3) / 4))
	fi
}

# report RESULT NAME [LINES-FILE]: writes one record, numbered so that a lost
# one shows. It is a single write, so no half line arrives.
report() {
	number=$(($(wc -l </run/results) + 1))
	echo "$1" >>/run/results
	echo "${nonce:?} $number $1 - $2" >/run/port/results
	[ $# -lt 3 ] || sed "s|^|${nonce:?} # |" "$3" >/run/port/results
}

# Removes what a test leaves behind, passed or failed: the next would count it.
clean_up() {
	status=$?
	set +e
	# shellcheck disable=SC2046
	kill $(jobs -p) 2>/dev/null
	# Otherwise the wait below hangs on processes that wait for a thaw.
	fsfreeze --unfreeze /mnt 2>/dev/null
	wait
	sed -n 's/^\(\/[^ ]*\) .*/\1/p' /proc/swaps | while read -r swap; do
		swapoff "$swap"
	done
	# After a thaw the module lets go within a second, but debugging kernels
	# are slow.
	for _ in $(seq 100); do
		grep -q " /mnt " /proc/mounts || break
		umount /mnt 2>/dev/null || sleep 0.1
	done
	case $status in
	0 | "$SKIPPED") ;;
	*) tear_down ;;
	esac
	exit $status
}

# write_nothing: dirty pages stay dirty, with pages of any size.
write_nothing() {
	echo 90 >/proc/sys/vm/dirty_ratio
	echo 80 >/proc/sys/vm/dirty_background_ratio
}

write_as_usual() {
	echo 10 >/proc/sys/vm/dirty_background_ratio
	echo 20 >/proc/sys/vm/dirty_ratio
}

# A test that fails takes nothing down that it has set up.
tear_down() {
	write_as_usual
	for groups in $(awk '$3 == "cgroup2" { print $2 }' /proc/mounts); do
		find "$groups" -mindepth 1 -depth -type d -exec rmdir {} \;
	done
	for device in /sys/class/block/dm-*/dm/name; do
		[ ! -e "$device" ] ||
			dmsetup --noudevsync resume "$(cat "$device")"
	done
	awk '{ print $2 }' /proc/mounts | sort >/run/mounts-after
	grep -vxFf /run/mounts-before /run/mounts-after | sort -r |
		while read -r point; do umount "$point" || umount -l "$point"; done
	for device in /sys/class/block/dm-*/dm/name; do
		[ ! -e "$device" ] ||
			dmsetup --noudevsync remove "$(cat "$device")"
	done
	for device in /sys/class/block/loop*/loop/backing_file; do
		[ ! -e "$device" ] ||
			losetup -d "/dev/$(echo "$device" | cut -d / -f 5)"
	done
} >/dev/null 2>&1

# Runs with set -e in force; inside a condition it would not be.
run_alone() (
	awk '{ print $2 }' /proc/mounts | sort >/run/mounts-before
	trap clean_up EXIT
	set -eu
	"$@"
)

uptime_seconds() {
	cut -d . -f 1 /proc/uptime
}

# Hundredths of a second that the loop below takes where nothing else runs.
PACE=43

# seconds_here SECONDS: so many, and more if this machine is slower at the moment than
# an emulator that has a processor of its own.
seconds_here() {
	set -- "$1" "$(tr -d . </proc/uptime | cut -d ' ' -f 1)"
	i=0
	while [ $i -lt 20000 ]; do i=$((i + 1)); done
	set -- "$1" $(($(tr -d . </proc/uptime | cut -d ' ' -f 1) - $2))
	[ "$2" -gt $PACE ] || set -- "$1" $PACE
	echo $(($1 * $2 / PACE))
}

# in_time TOOK SECONDS: whether it took no longer, as such an emulator counts.
in_time() {
	[ "$1" -le "$2" ] || [ "$1" -le "$(seconds_here "$2")" ]
}

check() {
	name=$1
	start=$(uptime_seconds)
	shift
	run_alone "$@" >/run/output 2>&1
	status=$?
	echo "$(($(uptime_seconds) - start)) $name" >>/out/tests
	case $status in
	0) report ok "$name" ;;
	"$SKIPPED") report skip "$name: $(tail -n 1 /run/output)" ;;
	*)
		tail -n 30 /run/output >/run/tail
		report "not ok" "$name" /run/tail
		;;
	esac
}

# other_processors 0|1: stops or starts all but the first. QEMU's emulation may
# panic where one processor runs code that another is patching, as it does when
# tracing begins: "Oops: int3" on 6.12 and 7.3.
other_processors() {
	for other in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -e "$other" ] || echo "$1" >"$other"
	done
}

# first_cgroup DIRECTORY: makes the first cgroup since the boot that the memory
# controller has. The kernel then patches the code that frees memory, once
# (memcg_kmem_online_key).
first_cgroup() {
	[ ! -e /run/first-cgroup ] || return 0
	other_processors 0
	mkdir "$1/first"
	rmdir "$1/first"
	other_processors 1
	: >/run/first-cgroup
}

# cgroups_2 DIRECTORY: mounts version 2 there, with the memory controller.
cgroups_2() {
	mkdir -p "$1"
	mount -t cgroup2 none "$1"
	grep -qw memory "$1/cgroup.controllers"
	echo +memory >"$1/cgroup.subtree_control"
	first_cgroup "$1"
}

# check_long NAME COMMAND...: check, for a test that takes long, mostly because it
# repeats something until a race or a leak would show. tools/check runs it on its
# newest kernel only, tools/matrix on all.
check_long() {
	[ "${long-}" = no ] || check "$@"
}

skip() {
	echo "$*"
	exit "$SKIPPED"
}

fail() {
	echo "$*" >&2
	exit 1
}

equal() {
	[ "$1" = "$2" ] || fail "$3: $1, expected $2"
}

# wait_tracer DIRECTORY: until the recorder that writes there also says who filled
# the caches, and traces all of it. Loading the programs takes seconds on a slow
# processor, and there a minute's cost of tracing may be used up before its end: then
# only a sample is traced. A machine that is silent for longer is taken for lost.
wait_tracer() {
	end=$(($(uptime_seconds) + 200))
	while [ "$(uptime_seconds)" -lt $end ]; do
		! bufstat history --dir "$1" --from=-5s -J 2>/dev/null |
			jq -e '.engine and .estimated == false and
				(.to as $now | all(.untraced[]; .to != $now))' \
				>/dev/null ||
			return 0
		sleep 0.1
	done
	fail "nobody is traced"
}

# take FILE: takes a snapshot in which nothing moved and everything adds up.
take() {
	settled "$FILE" >"$1" || fail "no settled snapshot: $(tail -n 3 "$1")"
}

# header KEY FILE
header() {
	awk -v key="$1" '$1 == key { print $2 }' "$2"
}

# column COLUMN NAME FILE: a device's figure, 0 if it has no row.
column() {
	awk -v column="$1" -v name="$2" '
		$1 == "columns" { for (i = 2; i <= NF; i++) at[$i] = i - 1; next }
		$1 == "end" { exit }
		at["name"] && $at["name"] == name { value = $at[column]; exit }
		END { print value + 0 }' "$3"
}

pages() {
	column pages "$@"
}

# not COMMAND: set -e takes no notice of a plain "!".
not() {
	if "$@"; then
		fail "should have failed: $*"
	fi
}

has_row() {
	awk -v name="$1" '
		$1 == "end" { exit }
		rows && $3 == name { found = 1 }
		$1 == "columns" { rows = 1 }
		END { exit !found }' "$2"
}

# grew NAME BY BEFORE AFTER: NAME grew by exactly BY pages; nothing else moved.
grew() {
	equal $(($(pages "$1" "$4") - $(pages "$1" "$3"))) "$2" "growth of $1"
	same_others "$1" "$3" "$4"
}

# others NAME FILE: pages of every other device.
others() {
	awk -v name="$1" '
		$1 == "end" { exit }
		rows && $3 != name { print $1, $2, $3, $4 }
		$1 == "columns" { rows = 1 }' "$2"
}

# same_others NAME BEFORE AFTER: nothing happened to any other device.
same_others() {
	others "$1" "$2" >/run/others-before
	others "$1" "$3" >/run/others-after
	diff /run/others-before /run/others-after
}

# same_rows BEFORE AFTER: nothing happened to any device. Other lines may
# differ: the kernel's count of file pages covers the whole system.
same_rows() {
	same_others "" "$@"
}

# every_device: the nodes of all block devices.
every_device() {
	printf '%s\n' /sys/class/block/* | sed 's|.*/|/dev/|; s|!|/|g'
}

# counts_every_device FILE: takes a snapshot with all devices open. Before Linux
# 5.11 a device that nobody has opened is not on the kernel's list.
counts_every_device() {
	# shellcheck disable=SC2046
	hold_open $(every_device)
	take "$1"
	equal "$(header devices "$1")" "$(every_device | wc -l)" devices
	release
}

# cachestat(2) of every device with pages agrees with the rows of two equal
# snapshots taken before and after it. Skips if there is no cachestat.
same_as_cachestat() {
	# shellcheck disable=SC2046
	for _ in $(seq 50); do
		take /run/before
		cachestat $(every_device) >/run/cachestat
		take /run/after
		! cmp -s /run/before /run/after || break
		sleep 0.1
	done
	cmp /run/before /run/after
	awk '$3 > 0' /run/cachestat | sort >/run/expected
	awk '$1 == "end" { exit } rows { print $1, $2, $4, $5, $6 }
		$1 == "columns" { rows = 1 }' /run/after | sort >/run/rows
	[ -s /run/rows ]
	diff /run/expected /run/rows
}

# lacking WHAT: whether this kernel is known to. Only x86-64 makes a pmem device, for
# DAX, from the command line. The debugging kernels of tools/kernel have no lockdown,
# no DAX, no tracing, and no BTF, which kcore needs: they watch the module, which
# needs none of it. Those of EL have no btrfs, and el8 locks down from its command
# line only. The kcore of riscv64 has no struct pages. KASAN keeps freed memory back
# to catch later uses; there kmemleak looks for leaks (85-faults.sh). On any other
# kernel WHAT must be there.
lacking() {
	case "$1, $(uname -r) $(uname -m)" in
	"freed memory, "*-kasan* | btrfs,*-el[0-9]* | lockdown,*-el8* | \
		DAX,*-cloud-* | struct-pages,*riscv64) ;;
	BTF,*-k[ac]san* | DAX,*-k[ac]san* | lockdown,*-k[ac]san* | \
		struct-pages,*-k[ac]san* | tracing,*-k[ac]san*) ;;
	DAX,*x86_64) return 1 ;;
	DAX,*) ;;
	*) return 1 ;;
	esac
}

# with WHAT COMMAND...: skips the command where the kernel lacks WHAT.
with() {
	! lacking "$1" || skip "no $1 in this kernel, on $(uname -m)"
	shift
	"$@"
}

# needs WHAT: ends the script, as one test that is skipped, where the kernel lacks WHAT.
needs() {
	lacking "$1" || return 0
	report skip "$(basename "$0"): no $1 in this kernel"
	exit 0
}

# leaves DOCUMENT...: promises that this script leaves /out/DOCUMENT.json, or for
# explain the directory of that name. tests/vm/boot fails if one is not there.
leaves() {
	printf '%s\n' "$@" >>/out/promised
}

# mount_others: XFS on /tmp/xfs, and btrfs on /tmp/btrfs where there is one.
mount_others() {
	modprobe xfs
	mkdir -p /tmp/xfs /tmp/btrfs
	mount -t xfs /dev/vde /tmp/xfs
	if ! lacking btrfs; then
		modprobe btrfs
		mount -t btrfs /dev/vdf /tmp/btrfs
	fi
}

unmount_others() {
	umount /tmp/xfs
	lacking btrfs || umount /tmp/btrfs
}

# mount_dax: ext4 on /mnt, on memory reserved with memmap= on the kernel's command
# line. DAX needs blocks of the page size.
mount_dax() {
	modprobe -a ext4 nd_e820 nd_pmem
	for _ in $(seq 100); do
		[ ! -b /dev/pmem0 ] || break
		sleep 0.1
	done
	mkfs.ext4 -q -b "$PAGE" /dev/pmem0
	mount -t ext4 -o dax /dev/pmem0 /mnt
}

# Free memory of the whole machine.
free_kib() {
	awk '$1 == "MemFree:" { print $2 }' /proc/meminfo
}

has_cachestat() {
	cachestat /dev/vda >/dev/null || [ $? != "$SKIPPED" ]
}

# For tests that check other things too, and run without cachestat.
cachestat_agrees_if_any() {
	if has_cachestat; then
		same_as_cachestat
	fi
}

# dropped STATUS [ARGUMENT...]: what drop says as JSON is in /tmp/said.
dropped() {
	expected=$1
	shift
	status=0
	bufstat drop -J "$@" >/tmp/said || status=$?
	equal "$status" "$expected" "exit status of drop $*"
}

# flush PATH: fsync(2).
flush() {
	dd if=/dev/null of="$1" count=0 conv=notrunc,fsync 2>/dev/null
}

# mount_quietly DEVICE: mounts read-only. Otherwise a kernel thread of ext4
# reads the maps of free blocks for a while: 2 pages a group, in an internal
# inode.
mount_quietly() {
	mount -t ext4 -o ro "$1" /mnt
}

# mount_image FILE DIRECTORY: mounts ext4 in a file; $loop is its device, which the
# caller detaches. busybox's mount -o loop has the device open while it mounts, which
# some kernels refuse (since Linux 6.8, without BLK_DEV_WRITE_MOUNTED).
mount_image() {
	loop=$(losetup -f)
	losetup "$loop" "$1"
	mount -t ext4 "$loop" "$2"
}

# For writable mounts: waits until that thread has ended.
maps_read() {
	while ps | grep -q '[e]xt4lazyinit'; do sleep 0.1; done
}

# read_files DIRECTORY COUNT: reads that many files.
read_files() {
	find "$1" -type f | head -n "$2" | xargs cat >/dev/null
}

# start_holding COMMAND...: runs it in the background until release. Waits until
# it prints, to /run/hold, that it holds what it should. Skips if its status
# says that the kernel does not have this.
start_holding() {
	: >/run/hold
	"$@" >/run/hold &
	holder=$!
	until [ -s /run/hold ]; do
		kill -0 "$holder" || not_held "$@"
		sleep 0.1
	done
}

not_held() { # COMMAND...
	wait "$holder" || [ $? != "$SKIPPED" ] || skip "not in this kernel: $*"
	fail "$*: gone"
}

hold_open() { # OPTION-OR-DEVICE...
	start_holding hold "$@"
}

release() {
	kill "$holder"
	wait "$holder" || true
}

# start_silent_fuse: starts a FUSE server, $holder, that stops answering once it
# is stopped or gets SIGUSR1. A tmpfs, "inside", is mounted below its mount
# point, so looking that up asks the server.
start_silent_fuse() {
	modprobe fuse
	mkdir -p /tmp/fuse
	start_holding silent_fuse /tmp/fuse
	mount -t tmpfs inside /tmp/fuse/directory
}

# Ending the server also ends the processes that wait for it.
end_silent_fuse() {
	kill -CONT "$holder"
	release
	umount -l /tmp/fuse
}

# unload MODULE: not ours. A device that was closed just now may be in use for a
# moment more.
unload() {
	for _ in $(seq 50); do
		! rmmod "$1" 2>/dev/null || return 0
		sleep 0.2
	done
	rmmod "$1"
}

# end PROCESS...: ends them; each must exit with 0. One that has already failed
# is noticed by its wait.
end() {
	kill "$@" || true
	for process; do
		wait "$process" || fail "process $process ends with status $?"
	done
}
