# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The filesystems' page cache adds up to Cached, and a known workload moves it
# by exactly the expected amount.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

# Pages that a filesystem may add by itself: ext4 has an internal inode for its
# maps of free blocks.
SLACK=0

# grows_by PAGES PATH COMMAND...: the filesystem's figure grows by PAGES.
grows_by() {
	pages=$1
	path=$2
	shift 2
	before=$(fs_pages "$path")
	"$@"
	grown=$(($(fs_pages "$path") - before - pages))
	[ $grown -ge 0 ] && [ $grown -le $SLACK ] ||
		fail "growth of $path: $grown pages more than $pages"
}

# writing DEVICE TYPE: a file of 1000 pages adds 1000 pages, dirty until written
# back, and they go when it is deleted.
writing() {
	modprobe "$2"
	[ "$2" != ext4 ] || SLACK=8
	mount -t "$2" "$1" /mnt
	: >/mnt/file
	sync
	grows_by 1000 /mnt write_pages /mnt/file 1000
	equal "$(file_pages /mnt/file)" 1000 "pages of the file"
	equal "$(asked /mnt | awk '{ print $6 + $7 }')" 1000 "dirty pages"
	flush /mnt/file
	equal "$(asked /mnt | awk '{ print $6 + $7 }')" 0 "dirty pages, written"
	grows_by -1000 /mnt rm /mnt/file
}

# btrfs keeps its trees in an internal inode, whose pages may change.
writing_btrfs() {
	modprobe btrfs
	mount -t btrfs /dev/vdf /mnt
	before=$(fs_pages /mnt)
	write_pages /mnt/file 1000
	equal "$(file_pages /mnt/file)" 1000 "pages of the file"
	grown=$(($(fs_pages /mnt) - before))
	[ $grown -ge 1000 ] || fail "grew by $grown pages"
	[ $grown -le 1100 ] || fail "grew by $grown pages"
	# The trees' pages have no name.
	filesystems -n 10 /mnt | awk '$1 == 1 && $5 == 0 { found = 1 }
		END { exit !found }'
}

reading() {
	mount -r -t ext4 /dev/vda /mnt
	find /mnt -type f | head -n 300 >/tmp/files
	# shellcheck disable=SC2046
	grows_by 300 /mnt sh -c 'xargs cat </tmp/files >/dev/null'
}

writing_tmpfs() {
	mount -t tmpfs tmpfs /mnt
	grows_by 1000 /mnt write_pages /mnt/file 1000
	equal "$(file_pages /mnt/file)" 1000 "pages of the file"
	equal "$(filesystems -n 1 /mnt | cut -d' ' -f 6)" /file path
	grows_by -1000 /mnt rm /mnt/file
}

writing_rootfs() {
	grows_by 1000 / write_pages /file 1000
	equal "$(file_pages /file)" 1000 "pages of the file"
	grows_by -1000 / rm /file
}

# The pages belong to the upper filesystem.
writing_overlay() {
	modprobe overlay
	mkdir -p /tmp/over
	mount -t tmpfs tmpfs /mnt
	mkdir /mnt/lower /mnt/upper /mnt/work
	mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work \
		overlay /tmp/over
	grows_by 1000 /mnt write_pages /tmp/over/file 1000
	equal "$(fs_pages /tmp/over)" 0 "pages of overlay itself"
	equal "$(file_pages /mnt/upper/file)" 1000 "pages of the file"
	umount /tmp/over
}

# A metadata page of the image is cached twice: in the image file, and in the
# loop device's page cache, which is Buffers. A page of a file inside the image
# is in Cached twice.
writing_image() {
	SLACK=8
	modprobe loop
	modprobe xfs
	mount -t xfs /dev/vde /mnt
	dd if=/dev/vdd of=/mnt/image bs=1M 2>/dev/null
	sync
	mkdir -p /tmp/inside
	mount_image /mnt/image /tmp/inside
	: >/tmp/inside/file
	sync
	# Half of the image at most.
	written=$((16 * PAGES_PER_MIB))
	[ $written -lt 1000 ] || written=1000
	grows_by $written /tmp/inside write_pages /tmp/inside/file $written
	equal "$(file_pages /mnt/image)" $((32 * PAGES_PER_MIB)) "pages of the image"
	adds_up_to_cached
	umount /tmp/inside
	losetup -d "$loop"
}

# sharing KIND NAME: shared memory is in the internal tmpfs.
sharing() {
	before=$(fs_pages -m)
	share "$1" 1000
	equal $(($(fs_pages -m) - before)) 1000 "growth of shared memory"
	filesystems -n 1 -m >/tmp/top
	equal "$(cut -d' ' -f 2,4,6 /tmp/top)" "1000 0 $2" "the largest"
	adds_up_to_cached
	release
	equal "$(fs_pages -m)" "$before" "shared memory, later"
}

deleted_file() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	sync
	before=$(fs_pages /mnt)
	share deleted=/mnt/gone 1000
	grown=$(($(fs_pages /mnt) - before))
	[ $grown -ge 1000 ] && [ $grown -le 1008 ] || fail "growth: $grown"
	filesystems -n 1 /mnt >/tmp/top
	# 1 + 4: deleted, and only the name is known.
	equal "$(cut -d' ' -f 2,4,5,6 /tmp/top)" "1000 0 5 gone" "the largest"
	release
	left=$(($(fs_pages /mnt) - before))
	[ $left -ge 0 ] && [ $left -le 8 ] || fail "left: $left pages"
}

# The largest files come after so many deleted ones on the list that no hold of
# the lock can end in time.
many_deleted() {
	mount -t ext4 /dev/vda /mnt
	sync
	before=$(fs_pages /mnt)
	share deleted=/mnt/gone 2 3000
	grown=$(($(fs_pages /mnt) - before))
	[ $grown -ge 6000 ] && [ $grown -le 6008 ] || fail "growth: $grown"
	release
	before=$(asked -m | awk '{ print $3 }')
	share memfd 2 3000
	asked -m >/tmp/shm
	equal $(($(awk '{ print $3 }' /tmp/shm) - before)) 6000 "growth"
	[ "$(awk '{ print $10 }' /tmp/shm)" -gt 20 ] || fail "in one hold: $(cat /tmp/shm)"
	equal "$(filesystems -n 1024 -m | wc -l)" 1024 "files"
	release
}

huge_pages() {
	modprobe hugetlbfs 2>/dev/null || true
	grep -q hugetlbfs /proc/filesystems || skip "no hugetlbfs"
	echo 4 >/proc/sys/vm/nr_hugepages
	mount -t hugetlbfs none /mnt
	cached=$(cached_pages)
	fallocate -l $((2 * HUGE_KIB * 1024)) /mnt/file
	equal "$(awk '$1 == "HugePages_Free:" { print $2 }' /proc/meminfo)" 2 \
		"free huge pages"
	equal "$(filesystems /mnt)" "- EOPNOTSUPP /mnt" "hugetlbfs"
	adds_up_to_cached
	[ $(($(cached_pages) - cached)) -le $TOLERANCE ]
	rm /mnt/file
	umount /mnt
	echo 0 >/proc/sys/vm/nr_hugepages
}

# A device node does not count the pages of its device.
device_node() {
	hold_open -r 100 /dev/vdb
	before=$(fs_pages /dev)
	dd if=/dev/vdb of=/dev/null bs=1M count=8 2>/dev/null
	equal "$(fs_pages /dev)" "$before" "pages of devtmpfs"
	release
}

everything_at_once() {
	modprobe -a ext4 overlay
	mount -t ext4 /dev/vda /mnt
	mount_others
	share memfd 777
	find /mnt -type f -exec cat {} + >/dev/null
	write_pages /tmp/xfs/file 1234
	# 17 MiB, which this small file system has for files.
	lacking btrfs || write_pages /tmp/btrfs/file $((17284 / PAGE_KIB))
	adds_up_to_cached
	release
	rm -f /tmp/xfs/file /tmp/btrfs/file
	unmount_others
}

check "the sum of all filesystems is Cached" adds_up_to_cached
check "with every kind of disk filesystem and memfd in use too" everything_at_once
check "ext4: 1000 pages written are 1000 pages" writing /dev/vda ext4
check "ext4: 300 files read are 300 pages" reading
check "xfs: 1000 pages written are 1000 pages" writing /dev/vde xfs
check "btrfs: 1000 pages written, and the trees' inode" with btrfs writing_btrfs
check "tmpfs: 1000 pages written are 1000 pages" writing_tmpfs
check "rootfs: 1000 pages written are 1000 pages" writing_rootfs
check "overlay: the pages are the upper filesystem's" writing_overlay
check "a loop-mounted image counts in both filesystems" writing_image
check "memfd: 1000 pages, by its name" sharing memfd memfd:bufstat-test
check "System V: 1000 pages, by its key" sharing sysv SYSV00000000
check "shared anonymous memory: 1000 pages" sharing mapping dev/zero
check "a deleted file that is open: counted, and named" deleted_file
check "thousands of deleted files in a row: exact" many_deleted
check "hugetlbfs is refused and not in Cached" huge_pages
check "a device node has none of its device's pages" device_node
