# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Beside pages that have a memory error every command answers, and no figure is
# wrong. /proc/kcore has zeros in their place.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

FILES=3000
HWPOISON=/sys/kernel/debug/hwpoison

# poison_cached PATH OFFSET: the cached page there has an error.
poison_cached() {
	poison "$1" "$2" || {
		status=$?
		[ $status != "$SKIPPED" ] || skip "no CONFIG_MEMORY_FAILURE here"
		# A dirty page is lost, which its user is told.
		equal $status 135 "exit status of poison"
	}
}

# poison_inodes: makes files in /mnt; some of the pages with their inodes have an
# error. Their numbers are in /tmp/poisoned. Inodes are in slabs of several pages, fewer on
# one processor, and these are new; the kernel goes on to use the pages.
poison_inodes() {
	# No other file gets its inode among theirs.
	touch /tmp/answer /tmp/said /tmp/poisoned /tmp/slab.after
	mount -t tmpfs -o nr_inodes=0 many /mnt
	# No slab has room for them, and there is memory in one piece for new ones.
	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 >"$cache"
	done
	echo 1 >/proc/sys/vm/compact_memory
	poison slab >/tmp/slab.before
	creator fill /mnt $FILES
	poison slab >/tmp/slab.after
	pages=$((1 << $(cat /sys/kernel/slab/shmem_inode_cache/order)))
	awk -v n="$pages" 'NR == FNR { old[$1]; next }
		$1 in old { next }
		{ run = $1 == last + 1 && $1 % n ? run + 1 : !($1 % n); last = $1 }
		run == n && ++slabs % 3 == 0 { print $1 - int((n - 1) / 2) }' \
		/tmp/slab.before /tmp/slab.after >/tmp/poisoned
	while read -r page; do
		# The kernel marks it, and says that it cannot do without it.
		echo "$page" >$HWPOISON/corrupt-pfn || true
	done </tmp/poisoned 2>/dev/null
	count=$(wc -l </tmp/poisoned)
	echo "$count pages have an error"
	[ "$count" -ge 5 ] || [ "$PAGE_KIB" = 4 ] ||
		skip "slabs of fewer pages, which are larger"
	[ "$count" -ge 5 ]
}

# corrupted: KiB that have an error.
corrupted() {
	awk '$1 == "HardwareCorrupted:" { print $2 }' /proc/meminfo
}

# mend_pages: once they are free again, they have no errors.
mend_pages() {
	umount /mnt
	for _ in $(seq 20); do
		echo 3 >/proc/sys/vm/drop_caches
		for cache in /sys/kernel/slab/*/shrink; do
			echo 1 >"$cache"
		done
		while read -r page; do
			echo "$page" >$HWPOISON/unpoison-pfn || true
		done </tmp/poisoned 2>/dev/null
		[ "$(corrupted)" -gt "$1" ] || return 0
		sleep 0.2
	done
	# Somebody else may have an object in the slab of one of them.
	[ "$(corrupted)" -gt $(($1 + PAGE_KIB)) ] || return 0
	fail "$(corrupted) KiB have an error, before $1"
}

# tells QUESTION...: it ends with an answer, or says why there is none.
tells() {
	status=0
	start=$(uptime_seconds)
	timeout -s KILL 60 bufstat "$@" >/tmp/answer 2>/tmp/said || status=$?
	echo "$(($(uptime_seconds) - start)) s, exit status $status: $*"
	cat /tmp/said
	case $status in
	0) ;;
	1 | 2 | 3) [ -s /tmp/said ] || fail "nothing said" ;;
	*) fail "exit status $status" ;;
	esac
}

# Of the files' pages kcore says all, or that it does not know.
right_or_unknown() { # SOURCE
	tells fs --source "$1" -J
	[ -s /tmp/answer ] || return 0
	jq -c '[.complete, .settled, (.filesystems[] | select(.source == "many") |
		[.pages, .note])]' /tmp/answer
	jq -e ".filesystems[] | select(.source == \"many\") |
		.pages == null or .pages == $FILES" /tmp/answer >/dev/null
	tells files --source "$1" -J
	[ -s /tmp/answer ] || return 0
	jq -e "(.complete | not) or ([.files[] |
		select(.path | strings | startswith(\"/mnt/\")) | .pages == 1] | all)" \
		/tmp/answer >/dev/null
}

every_command() {
	for source in kcore module; do
		[ -d /sys/module/bufstat ] || [ $source = kcore ] || continue
		tells devices --source $source
		right_or_unknown $source
	done
	tells blocks vda
	tells explain
	tells memory --owners all
}

# with_each COMMAND...: with the module, then with kcore alone.
with_each() {
	"$@"
	bufstat module unload
	"$@"
	bufstat module load
}

rows() { # SOURCE
	bufstat devices --source "$1" -rno KNAME,PAGES
}

poisoned_cache() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	exec 4</dev/vda
	dd if=/dev/vda of=/dev/null bs=1M count=4 2>/dev/null
	write_pages /mnt/clean 16
	cp /mnt/clean /tmp/clean
	sync
	write_pages /mnt/dirty 16
	poison_cached /dev/vda $((1 << 20))
	poison_cached /mnt/clean "$PAGE"
	poison_cached /mnt/dirty "$PAGE"
	with_each tells blocks vda
	with_each tells files
	with_each tells explain
	with_each tells memory --owners all
	with_each tells charges vda
	# The kernel may read some of the device between the two.
	for _ in $(seq 5); do
		rows module >/tmp/module
		rows kcore >/tmp/kcore
		! cmp -s /tmp/module /tmp/kcore || break
		sleep 1
	done
	diff /tmp/module /tmp/kcore
	# The error of the lost page is known, and drop heeds it.
	tells drop /mnt/dirty
	cmp /mnt/clean /tmp/clean
	rm /mnt/clean /mnt/dirty
}

poisoned_inodes() {
	modprobe hwpoison_inject || skip "no hwpoison_inject here"
	before=$(corrupted)
	poison_inodes
	with_each every_command
	mend_pages "$before"
}

check "poisoned pages of files and devices" with BTF poisoned_cache
check "poisoned pages of the kernel's own objects" with BTF poisoned_inodes
