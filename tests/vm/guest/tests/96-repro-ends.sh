# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat repro is killed at various steps and leaves nothing behind.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh

# left: lab directories, backing files of loop devices, and mounts of labs.
left() {
	ls -d /tmp/bufstat-repro.* 2>/dev/null
	cat /sys/block/loop*/loop/backing_file 2>/dev/null
	grep bufstat-repro /proc/mounts
}

# start_until SCENARIO STEP: returns at that step. $process is its process.
start_until() {
	rm -f /run/steps
	mkfifo /run/steps
	bufstat repro --place /tmp --size 4M --files 1000 --verbose "$1" \
		>/tmp/said 2>/run/steps &
	process=$!
	exec 8</run/steps
	while read -r line <&8; do
		[ "$line" != "step: $2" ] || return 0
	done
	fail "$1: no step $2"
}

# After kill -9, repro's guard process removes everything a moment later.
killed() {
	start_until "$1" "$2"
	kill -9 $process || true
	exec 8<&-
	wait $process || true
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		left >/tmp/left || true
		[ -s /tmp/left ] || return 0
		sleep 1
	done
	fail "it is left: $(cat /tmp/left)"
}

# On a busy host repro may end before the signal arrives; then tries again.
stopped() {
	for _ in 1 2 3; do
		start_until "$1" "$2"
		kill $process || true
		cat <&8 >/tmp/steps
		exec 8<&-
		status=0
		wait $process || status=$?
		[ $status = 0 ] || break
	done
	equal $status 143 "exit status"
	left >/tmp/left || true
	cat /tmp/left
	[ ! -s /tmp/left ]
}

mkdir -p /var/tmp
for module in loop ext4 xfs btrfs; do
	modprobe $module
done
for step in "making a lab" "making a loop device" "making a file system" \
	mounting "making files" unmounting settling before walking after \
	"taking down"; do
	check "repro find killed while $step" killed find "$step"
done
for step in "making a loop device" settling reading closing after "taking down"; do
	check "repro dd-close killed while $step" killed dd-close "$step"
done
check "repro find-xfs killed while walking" killed find-xfs walking
check "repro find-btrfs killed while walking" with btrfs killed find-btrfs walking
check "repro find-xfs stopped by SIGTERM" stopped find-xfs walking
check "repro drop stopped by SIGTERM" stopped drop dropping
