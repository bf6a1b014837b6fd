# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Pages read through a device appear in its row, page for page, and in no other.
# Reads run to the end of the device, where readahead has to stop.
# shellcheck source=../test.sh
. /guest/test.sh

# Makes another row, which must not change.
bystander() {
	: >/run/bystander
	hold -r 20 /dev/vdc2 >/run/bystander &
	until [ -s /run/bystander ]; do
		sleep 0.1
	done
}

# The last 40 MiB of vda are unused by its file system (see tests/vm/disks), so
# none of those pages is cached before.
read_under_ext4() {
	bystander
	mount_quietly /dev/vda
	take /tmp/before
	has_row vda /tmp/before
	dd if=/dev/vda of=/dev/null bs=1M count=40 \
		skip=$(($(cat /sys/class/block/vda/size) / 2048 - 40))
	take /tmp/after
	grew vda $((40 * PAGES_PER_MIB)) /tmp/before /tmp/after
	cachestat_agrees_if_any
	umount /mnt
	take /tmp/unmounted
	not has_row vda /tmp/unmounted
}

read_held_open() {
	bystander
	hold_open /dev/vdb
	take /tmp/before
	not has_row vdb /tmp/before
	dd if=/dev/vdb of=/dev/null bs=1M skip=64 count=64
	take /tmp/after
	grew vdb $((64 * PAGES_PER_MIB)) /tmp/before /tmp/after
	release
	take /tmp/closed
	not has_row vdb /tmp/closed
	grew vdb 0 /tmp/before /tmp/closed
}

read_not_held() {
	bystander
	take /tmp/before
	dd if=/dev/vdb of=/dev/null bs=1M count=16
	take /tmp/after
	grew vdb 0 /tmp/before /tmp/after
}

# The tables of 12,000 inodes of 256 bytes are 750 pages of 4 KiB.
find_grows() {
	bystander
	mount_quietly /dev/vda
	take /tmp/before
	[ "$(find /mnt -name 'file*' -size -100 | wc -l)" = 12000 ]
	take /tmp/after
	growth=$(($(pages vda /tmp/after) - $(pages vda /tmp/before)))
	[ "$growth" -ge $((2800 / PAGE_KIB)) ] || fail "vda grew by $growth"
	grew vda "$growth" /tmp/before /tmp/after
	cachestat_agrees_if_any
	umount /mnt
}

# Here a page holds several blocks, and not all of them are read.
small_blocks() {
	bystander
	mount_quietly /dev/vdd
	take /tmp/before
	find /mnt -size -100 >/dev/null
	take /tmp/after
	growth=$(($(pages vdd /tmp/after) - $(pages vdd /tmp/before)))
	[ "$growth" -gt 0 ]
	grew vdd "$growth" /tmp/before /tmp/after
	cachestat_agrees_if_any
	umount /mnt
}

# A partition has its own page cache.
partition_read() {
	bystander
	hold_open /dev/vdc /dev/vdc1
	take /tmp/before
	dd if=/dev/vdc1 of=/dev/null bs=1M skip=8
	take /tmp/after
	grew vdc1 $((8 * PAGES_PER_MIB)) /tmp/before /tmp/after
	release
}

check "40 MiB read from a device with mounted ext4: its row grows by $((40 *
	PAGES_PER_MIB))" read_under_ext4
check "64 MiB read from a device held open: $((64 *
	PAGES_PER_MIB)); last close: row gone" read_held_open
check "16 MiB read from a device nobody holds: nothing stays" read_not_held
check "find over 12000 files of ext4 grows its device's row and no other" \
	find_grows
check "find over ext4 with 1 KiB blocks: the same" small_blocks
check "8 MiB read from a partition: its row grows by $((8 *
	PAGES_PER_MIB)), not the disk's" partition_read
