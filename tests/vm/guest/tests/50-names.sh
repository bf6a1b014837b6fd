# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The columns name and openers, for every kind of device in the machine.
# shellcheck source=../test.sh
. /guest/test.sh

# name_in_sysfs MAJOR MINOR
name_in_sysfs() {
	basename "$(readlink "/sys/dev/block/$1:$2")"
}

names() {
	modprobe loop
	modprobe brd rd_nr=2 rd_size=1024
	truncate -s 1M /tmp/backing
	loops add 0 2 /tmp/backing
	kinds="vda vdb vdc vdc1 vdc2 vdd loop0 loop1 ram0 ram1"
	# shellcheck disable=SC2046,SC2086
	hold_open -r 1 $(printf '/dev/%s ' $kinds)
	take /tmp/snapshot
	for kind in $kinds; do
		has_row "$kind" /tmp/snapshot || fail "$kind: no row"
	done
	awk '$1 == "end" { exit } rows { print $1, $2, $3 }
		$1 == "columns" { rows = 1 }' /tmp/snapshot |
		while read -r major minor name; do
			equal "$name" "$(name_in_sysfs "$major" "$minor")" \
				"name of $major:$minor"
		done
	release
	loops remove 0 2
	unload brd
	unload loop
}

openers() {
	hold_open -r 1 /dev/vdb /dev/vdb /dev/vdb /dev/vdd
	take /tmp/snapshot
	equal "$(column openers vdb /tmp/snapshot)" 3 "openers of vdb"
	equal "$(column openers vdd /tmp/snapshot)" 1 "openers of vdd"
	release
}

check "names are sysfs's, for disks, partitions, loop and RAM disks" names
check "openers is how often a device is open" openers
