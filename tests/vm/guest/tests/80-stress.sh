# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Everything at once while four readers read: devices that come and go,
# partition tables read again, a file system mounted and unmounted, caches
# dropped, and memory taken until the kernel kills for it.
# shellcheck source=../test.sh
. /guest/test.sh

# How long; stress= on the kernel's command line for longer.
STRESS_SECONDS=${stress:-15}
READERS="1 2 3 4"

# What goes on, step by step. Some of it fails for want of memory.
mount_round() {
	mount -t ext4 -o noatime /dev/vdd /mnt
	find /mnt -size -100 >/dev/null
	umount /mnt
}

ramdisk_round() {
	modprobe brd rd_nr=8 rd_size=1024
	cat /dev/ram* >/dev/null
	rmmod brd
}

read_round() {
	dd if=/dev/vdb of=/dev/null bs=64k count=16
	blockdev --rereadpt /dev/vdc
}

# repeat COMMAND: until the end, and writes how often.
repeat() {
	count=0
	while [ ! -e /tmp/enough ]; do
		"$1" >"/tmp/$1.said" 2>&1 || true
		count=$((count + 1))
	done
	echo "$1 $count" >"/tmp/$1"
}

drop_round() {
	echo 3 >/proc/sys/vm/drop_caches
	sleep 1
}

# set_aside KIB: leaves about so much memory; taking all of it page by page takes
# long in an emulated machine.
set_aside() {
	awk -v leave="$1" '$1 == "MemAvailable:" { kib = $2 }
		$1 == "Hugepagesize:" { print int((kib - leave) / $2) }' \
		/proc/meminfo >/proc/sys/vm/nr_hugepages
}

# Every single file has to be whole and to add up: watch_file ends at the first
# that does not.
stress() {
	modprobe loop
	truncate -s 1M /tmp/backing
	readers=
	for reader in $READERS; do
		watch_file "$FILE" >"/tmp/reader$reader" &
		readers="$readers $!"
	done
	loops churn 20 10 /tmp/backing >/tmp/churn &
	churning=$!
	set_aside 100000
	hog >/tmp/hog &
	hogging=$!
	rounds=
	for round in mount_round ramdisk_round drop_round read_round; do
		repeat $round &
		rounds="$rounds $!"
	done
	sleep "$STRESS_SECONDS"
	# On a busy host a machine can take longer to run out of memory.
	for _ in $(seq 60); do
		[ ! -s /tmp/hog ] || break
		sleep 1
	done
	touch /tmp/enough
	for process in $rounds; do
		wait "$process"
	done
	# shellcheck disable=SC2086
	kill $churning $hogging $readers
	for process in $churning $hogging $readers; do
		wait "$process"
	done
	echo 0 >/proc/sys/vm/nr_hugepages
	(cd /tmp && tail -n 1 churn hog ./*_round reader?) | tee /out/stress
	cat /tmp/churn /tmp/hog /tmp/reader? | awk '
		$1 == "rounds" && $2 >= 3 { loops = 1 }
		$1 == "killed" && $2 >= 1 { killed = 1 }
		$1 == "valid" && $2 >= 50 && !$4 && !$6 { readers++ }
		END { exit !(loops && killed && readers == 4) }'
	cat /tmp/*_round | awk '$2 < 1 { exit 1 }'
	rmmod loop
	[ ! -d /sys/module/brd ] || rmmod brd
}

settles() {
	hold_open -r 5 /dev/vdb
	take /tmp/snapshot
	equal "$(pages vdb /tmp/snapshot)" 5 "pages of vdb"
	release
	counts_every_device /tmp/snapshot
}

check "four readers while all else goes on: every file adds up" stress
check "after that the figures are exact again" settles
