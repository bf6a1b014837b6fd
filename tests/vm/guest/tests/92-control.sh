# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# /dev/bufstat: who may open it, what it refuses, and that it harms nobody.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

only_root() {
	equal "$(stat -c '%a %u %g' /dev/bufstat)" "600 0 0" "mode and owner"
	cp /dev/bufstat /tmp 2>/dev/null || true
	chmod 666 /dev/bufstat
	not su nobody -c '/helpers/filesystems /' 2>/tmp/error
	chmod 600 /dev/bufstat
	grep -q 'not permitted' /tmp/error
}

in_use() {
	exec 7</dev/bufstat
	not rmmod bufstat
	exec 7<&-
	rmmod bufstat
	[ ! -e /dev/bufstat ]
	insmod "$MODULE"
	[ -c /dev/bufstat ]
}

# A program of 32 bits on this kernel of 64: arm on arm64, i386 on x86-64.
from_32_bits() {
	[ -x /helpers/caller32 ] || skip "no 32-bit programs on this processor"
	mount -t tmpfs tmpfs /mnt
	: >/mnt/empty
	dd if=/dev/zero of=/mnt/file bs=$PAGE count=300
	asked /mnt >/tmp/asked
	read -r _ _ pages inodes _ </tmp/asked
	caller32 /mnt >/tmp/said
	cat /tmp/asked /tmp/said
	equal "$(cat /tmp/said)" "$(printf '%x ' 1 "$pages" "$inodes" 1 \
		"$(stat -c %i /mnt/file)")$(printf %x 300)" "what it was told"
	umount /mnt
	status=0
	caller32 /mnt/file >/tmp/said || status=$?
	equal "$status $(cat /tmp/said)" "1 2" "of what is not there"
}

strange_requests() {
	control_fuzz "$(often 20000)" /tmp
	adds_up_to_cached
}

# The file pins the mount. Otherwise the kernel would report busy inodes.
unmounting() {
	mount -t ext4 /dev/vda /mnt
	read_files /mnt 3000
	for _ in $(seq "$(often 30)"); do
		exec 7</mnt
		(while filesystems /proc/self/fd/7; do :; done) >/dev/null 2>&1 &
		walker=$!
		sleep 0.1
		umount -l /mnt
		exec 7<&-
		sleep 0.1
		kill $walker
		wait $walker || true
		mount -t ext4 /dev/vda /mnt
	done
}

# Only the request still holds the mount. EBADF: the race went the other way.
unmounted_and_closed() {
	# An unmount waits for an RCU grace period, which is long on PREEMPT_RT, and
	# in Linux 4.18.
	normal=$(cat /sys/kernel/rcu_normal)
	expedited=$(cat /sys/kernel/rcu_expedited)
	echo 0 >/sys/kernel/rcu_normal
	echo 1 >/sys/kernel/rcu_expedited
	enough=$(often 4)
	: >/tmp/when
	# All files, or the walk ends before the unmount. On a busy host it mostly does.
	for round in $(seq 300); do
		mount_quietly /dev/vda
		find /mnt -type f >/dev/null
		unmount_during /mnt $((round % 10 * 60)) >>/tmp/when \
			2>/tmp/error || grep -q 'Bad file descriptor' /tmp/error
		[ "$(grep -c during /tmp/when)" -lt "$enough" ] || break
	done
	echo "$normal" >/sys/kernel/rcu_normal
	echo "$expedited" >/sys/kernel/rcu_expedited
	sort /tmp/when | uniq -c
	[ "$(grep -c during /tmp/when)" -ge "$enough" ]
	[ ! -e /sys/fs/ext4/vda ] || fail "something has it still"
	adds_up_to_cached
}

# listed N PATH: lists files. A list may miss files after a run of many that are
# being deleted, and then says so. Nothing else may be wrong with it.
listed() {
	list=$(filesystems -n "$@") || echo "$list" | awk '/^missed / { missed = 1 }
		/^- / { refused = 1 }
		END { exit !missed || refused }' || fail "$list"
}

# Files are made, deleted and truncated, and caches dropped, at the same time.
churn() {
	modprobe -a xfs ext4
	mkdir -p /tmp/xfs
	mount -t ext4 /dev/vda /mnt
	mount -t xfs /dev/vde /tmp/xfs
	rm -f /tmp/enough
	for directory in /mnt /tmp/xfs; do
		(
			until [ -e /tmp/enough ]; do
				for i in $(seq 50); do
					write_pages $directory/churn$i 20
				done
				rm $directory/churn*
			done
		) &
	done
	(until [ -e /tmp/enough ]; do
		echo 3 >/proc/sys/vm/drop_caches
		sleep 0.3
	done) &
	end=$(($(date +%s) + $(often 20)))
	while [ "$(date +%s)" -lt $end ]; do
		asked /mnt /tmp/xfs / -m >/dev/null
		listed 100 /mnt
		listed 1000 /tmp/xfs
	done
	# Do not kill them: the programs they started would go on.
	: >/tmp/enough
	wait
	sync
	adds_up_to_cached
	umount /tmp/xfs
}

# An unmount waits for the disk, a loop device whose backing filesystem is
# frozen. It holds s_umount all that time.
stuck_unmount() {
	modprobe -a loop ext4
	mount -t ext4 /dev/vda /mnt
	mkdir -p /tmp/stuck
	dd if=/dev/vdd of=/mnt/image bs=1M 2>/dev/null
	sync
	mount_image /mnt/image /tmp/stuck
	write_pages /tmp/stuck/file 100
	fsfreeze --freeze /mnt
	umount /tmp/stuck &
	unmounting=$!
	sleep 2
	kill -0 $unmounting
	start=$(date +%s)
	adds_up=0
	filesystems -a >/tmp/all || adds_up=$?
	took=$(($(date +%s) - start))
	stuck=$(kill -0 $unmounting && echo yes || echo no)
	fsfreeze --unfreeze /mnt
	wait $unmounting
	equal "$stuck" yes "the unmount is still stuck"
	equal $adds_up 0 "filesystems -a"
	in_time $took 60 || fail "took $took seconds"
	losetup -d "$loop"
	rm /mnt/image
}

# Long names make the lost paths of every list add up to 12 MB at least. One
# process makes all lists, because memory of ended processes may be freed much
# later.
nothing_lost() {
	mkdir /tmp/long
	# shellcheck disable=SC2046 # one word per path
	set -- $(for _ in $(seq "$(often 200)"); do echo /tmp; done)
	zeros=$(printf '%0196d' 0)
	for i in $(seq 1000 1999); do
		echo >"/tmp/long/$zeros$i"
	done
	filesystems -n 1000 "$@" >/dev/null
	for _ in 1 2 3; do
		sleep 1
		memory=$(free_kib)
		filesystems -n 1000 "$@" >/dev/null
		sleep 1
		memory=$((memory - $(free_kib)))
		echo "$memory KiB less"
		[ $memory -ge 3000 ] || break
	done
	rm -r /tmp/long
	[ $memory -lt 3000 ] || fail "$memory KiB less after $# lists"
}

check "only root, and only with CAP_SYS_ADMIN" only_root
check "the module cannot be unloaded while the device is open" in_use
check "a 32-bit program is told the same" from_32_bits
check "strange requests are refused as documented" strange_requests
check_long "filesystems unmounted during a walk" unmounting
check_long "unmounted and closed during a walk, which is then all that has it" \
	unmounted_and_closed
check_long "files made and deleted, caches dropped during walks" churn
check "an unmount that is stuck delays nobody" stuck_unmount
check_long "many lists of files lose no memory" with "freed memory" nothing_lost
