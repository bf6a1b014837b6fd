# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Helpers for the examples of the manual that take a machine. Sourced after test.sh.
# tools/manual reads the lines with example and holds.

mkdir -p /out/manual

# example NAME COMMAND: what it prints is in /out/manual/NAME.
example() {
	status=0
	{
		echo "# $2"
		sh -c "$2" 2>&1 </dev/null || status=$?
	} >"/out/manual/$1"
	cat "/out/manual/$1"
	equal $status 0 "exit status of $2"
}

# holds NAME PATTERN: a line of that example matches (grep -E), here and in the manual.
holds() {
	grep -qE -- "$2" "/out/manual/$1" || fail "$1 has no $2"
}

# lacks NAME PATTERN: none does.
lacks() {
	not grep -E -- "$2" "/out/manual/$1"
}

# needs_modules MODULE...: loads them. Skips where this kernel has not all of them.
needs_modules() {
	for wanted; do
		modprobe "$wanted" 2>/dev/null || skip "no $wanted in this kernel"
	done
}

# files: a filesystem on /dev/vdb with 2,000 files, of which nothing is cached, on
# /mnt.
files() {
	modprobe ext4
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/vdb
	mount -t ext4 -o noatime /dev/vdb /mnt
	mkdir /mnt/data
	dd if=/dev/zero of=/mnt/data/table bs=1M count=16 2>/dev/null
	for directory in $(seq 20); do
		mkdir "/mnt/$directory"
		for file in $(seq 100); do
			echo "$file" >"/mnt/$directory/$file"
		done
	done
	umount /mnt
	mount -t ext4 -o noatime,noload,ro /dev/vdb /mnt
	echo 3 >/proc/sys/vm/drop_caches
}
