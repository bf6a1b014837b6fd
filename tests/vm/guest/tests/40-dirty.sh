# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The columns dirty and writeback. Nothing is written back on its own: init
# delays periodic writeback by an hour, and the amounts are below the ratios.
# shellcheck source=../test.sh
. /guest/test.sh

# figures NAME FILE: pages, dirty and writeback of a device.
figures() {
	echo "$(pages "$1" "$2") $(column dirty "$1" "$2")" \
		"$(column writeback "$1" "$2")"
}

written_pages() {
	hold_open /dev/vdb
	dd if=/dev/zero of=/dev/vdb bs="$PAGE" seek=100 count=1000 conv=notrunc
	take /tmp/written
	equal "$(figures vdb /tmp/written)" "1000 1000 0" "after the write"
	cachestat_agrees_if_any
	flush /dev/vdb
	take /tmp/synced
	equal "$(figures vdb /tmp/synced)" "1000 0 0" "after fsync"
	release
}

half_clean() {
	hold_open -r 500 /dev/vdb
	dd if=/dev/zero of=/dev/vdb bs="$PAGE" count=200 conv=notrunc
	take /tmp/written
	equal "$(figures vdb /tmp/written)" "500 200 0" "after the write"
	sync
	take /tmp/synced
	equal "$(figures vdb /tmp/synced)" "500 0 0" "after sync"
	release
}

# Makes files and syncs one of them. That commits the journal; the metadata
# stays dirty in the device's page cache until it is written to its place.
metadata() {
	mount -t ext4 -o noatime /dev/vda /mnt
	sync
	take /tmp/before
	equal "$(column dirty vda /tmp/before)" 0 "dirty before"
	mkdir /mnt/new
	for i in $(seq 50); do
		echo "$i" >"/mnt/new/$i"
	done
	flush /mnt/new/50
	take /tmp/made
	[ "$(column dirty vda /tmp/made)" -gt 0 ] || fail "nothing dirty"
	cachestat_agrees_if_any
	sync
	take /tmp/synced
	equal "$(column dirty vda /tmp/synced)" 0 "dirty after sync"
	umount /mnt
}

# The loop device's file is in a frozen file system, so pages written to the
# device stay under writeback until the thaw.
writeback() {
	modprobe loop
	mount -t ext4 -o noatime /dev/vda /mnt
	dd if=/dev/zero of=/mnt/backing bs="$PAGE" count=256
	sync
	loops add 0 1 /mnt/backing
	hold_open /dev/loop0
	dd if=/dev/zero of=/dev/loop0 bs="$PAGE" count=64 conv=notrunc
	take /tmp/written
	equal "$(figures loop0 /tmp/written)" "64 64 0" "after the write"
	fsfreeze --freeze /mnt
	flush /dev/loop0 &
	syncing=$!
	for _ in $(seq 100); do
		settled "$FILE" >/tmp/writing || true
		[ "$(column writeback loop0 /tmp/writing)" != 64 ] || break
		sleep 0.1
	done
	fsfreeze --unfreeze /mnt
	wait $syncing
	equal "$(figures loop0 /tmp/writing)" "64 0 64" "while it is written"
	take /tmp/synced
	equal "$(figures loop0 /tmp/synced)" "64 0 0" "after fsync"
	release
	loops remove 0 1
	unload loop
	rm /mnt/backing
	umount /mnt
}

check "1000 pages written are 1000 dirty pages, and none after fsync" \
	written_pages
check "of 500 cached pages 200 are written: 200 dirty, none after sync" \
	half_clean
check "ext4's metadata is dirty until sync" metadata
check "64 pages on their way to a slow device are 64 in writeback" writeback
