# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What scripts about Cached have at hand beside test.sh. Sourced by them.

# How far the sum may be from Cached: aio rings and the like are on no list, and
# the kernel's counters of pages are kept for each processor.
TOLERANCE=64

# asked PATH...: what the module says, one line each. In no file, which would
# have a page too.
asked() {
	answer=$(filesystems "$@") || fail "refused: $answer"
	echo "$answer"
}

# fs_pages PATH: of its filesystem.
fs_pages() {
	asked "$1" | awk '{ print $3 }'
}

# file_pages PATH: of that file, 0 if it is not among the first of its filesystem.
file_pages() {
	filesystems -n 1024 "$1" | awk -v inode="$(stat -c %i "$1")" '
		$1 == inode { pages = $2 }
		END { print pages + 0 }'
}

# Cached in pages, after the counters of each processor were added up.
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

# share KIND PAGES [COUNT]: secret memory needs memfd_secret(2), of Linux 5.14,
# which the kernels of tools/kernel do not have either.
share() {
	start_holding shared "$@"
}

# write_pages PATH PAGES: without truncating it, which makes ext4 write it back
# when it is closed.
write_pages() {
	dd if=/dev/zero of="$1" bs="$PAGE" count="$2" conv=notrunc 2>/dev/null
}

# ext4 has them from 6.16 on.
has_large_folios() {
	case $(uname -r) in
	5.* | 6.[0-9].* | 6.1[0-5].*) return 1 ;;
	esac
}
