# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# More helpers, for scripts about Cached. Sourced after test.sh.

# How many pages the sum may differ from Cached: aio rings and the like are on
# no list, and the kernel counts pages per processor.
TOLERANCE=64

# asked PATH...: the module's answer, a line each. Uses no temporary file, which
# would have a page itself.
asked() {
	answer=$(filesystems "$@") || fail "refused: $answer"
	echo "$answer"
}

# fs_pages PATH: pages of its filesystem.
fs_pages() {
	asked "$1" | awk '{ print $3 }'
}

# file_pages PATH: pages of the file, 0 if it is not among the 1024 largest.
file_pages() {
	filesystems -n 1024 "$1" | awk -v inode="$(stat -c %i "$1")" '
		$1 == inode { pages = $2 }
		END { print pages + 0 }'
}

# Cached in pages. stat_refresh first folds in the per-processor counters.
cached_pages() {
	cat /proc/sys/vm/stat_refresh
	awk -v page_kib="$PAGE_KIB" '$1 == "Cached:" { print $2 / page_kib }' \
		/proc/meminfo
}

# The sum of all filesystems is Cached, and the sum of tmpfs is Shmem.
adds_up_to_cached() {
	asked -a >/tmp/all
	cached=$(cached_pages)
	sum=$(awk '$1 == "total" { print $2 }' /tmp/all)
	echo "sum $sum, Cached $cached"
	cat /tmp/all
	[ $((sum - cached)) -le $TOLERANCE ]
	[ $((cached - sum)) -le $TOLERANCE ]
	shmem=$(awk -v page_kib="$PAGE_KIB" \
		'$1 == "Shmem:" { print $2 / page_kib }' /proc/meminfo)
	sum=$(awk '$9 % 2 == 1 { n += $3 } END { print n + 0 }' /tmp/all)
	echo "tmpfs $sum, Shmem $shmem"
	[ $((sum - shmem)) -le $TOLERANCE ]
	[ $((shmem - sum)) -le $TOLERANCE ]
}

# share KIND PAGES [COUNT]: holds memory as shared.c does. Secret memory needs
# memfd_secret(2), of Linux 5.14; the debugging kernels of tools/kernel lack it.
share() {
	start_holding shared "$@"
}

# write_pages PATH PAGES: does not truncate the file, or ext4 would write it
# back on close.
write_pages() {
	dd if=/dev/zero of="$1" bs="$PAGE" count="$2" conv=notrunc 2>/dev/null
}

# ext4 has large folios since 6.16.
has_large_folios() {
	case $(uname -r) in
	5.* | 6.[0-9].* | 6.1[0-5].*) return 1 ;;
	esac
}

# mount_evicted ENTRIES: a sparse file of as many pages in /mnt, most of which were
# evicted. The first one is cached and mlocked. The file is read in a quarter of its
# size. Nodes without pages may take an eighth of that; the kernel follows late how
# much it is, and drops a third of the entries.
mount_evicted() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	cgroups_2 /tmp/groups
	mkdir /tmp/groups/small
	echo $(($1 / 4 * PAGE)) >/tmp/groups/small/memory.max
	truncate -s $(($1 * PAGE)) /mnt/sparse
	sh -c 'echo $$ >/tmp/groups/small/cgroup.procs
		exec cat /mnt/sparse >/dev/null'
	share locked=/mnt/sparse 1
}

unmount_evicted() {
	release
	rm /mnt/sparse
	rmdir /tmp/groups/small
	umount /mnt /tmp/groups
}
