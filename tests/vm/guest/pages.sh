# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The page sizes of this machine: 4 and 2048 KiB on x86-64, other sizes
# elsewhere. Sourced, by test.sh too. busybox has no getconf, so this reads the
# page size of the shell's first mapping.

# shellcheck disable=SC2034 # not every script uses all of them
{
	PAGE_KIB=$(awk '$1 == "KernelPageSize:" { print $2; exit }' /proc/self/smaps)
	# Bytes.
	PAGE=$((PAGE_KIB * 1024))
	PAGES_PER_MIB=$((1024 / PAGE_KIB))
	# Empty in a kernel without huge pages.
	HUGE_KIB=$(awk '$1 == "Hugepagesize:" { print $2 }' /proc/meminfo)
	# Of a transparent one. Empty in a kernel without them, such as PREEMPT_RT,
	# which may have the others.
	THP_KIB=$(awk '{ print $1 / 1024 }' \
		/sys/kernel/mm/transparent_hugepage/hpage_pmd_size 2>/dev/null) || true
}

# mib_of PAGES: in MiB, as the tool prints it.
mib_of() {
	awk -v kib=$(($1 * PAGE_KIB)) 'BEGIN { printf "%.1fM\n", kib / 1024 }'
}

# huge_pages_of MIB: how many that takes.
huge_pages_of() {
	echo $((($1 * 1024 + HUGE_KIB - 1) / HUGE_KIB))
}

# whole_thp KIB: rounded up to whole transparent huge pages, in KiB.
whole_thp() {
	echo $((($1 + THP_KIB - 1) / THP_KIB * THP_KIB))
}

# huge_mib PAGES: in MiB.
huge_mib() {
	echo $(($1 * HUGE_KIB / 1024))
}
