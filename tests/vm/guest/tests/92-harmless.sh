# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The module does not wait for a frozen filesystem, and nobody can prevent its
# answer.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

# waiting PATTERN: processes of that name in state D, with their stacks.
waiting() {
	for status in $(grep -lsE '^State:[[:blank:]]+D' /proc/[0-9]*/status); do
		awk -v pattern="$1" '$1 == "Name:" && $2 ~ pattern { named = 1 }
			$1 == "State:" && $2 == "D" { waits = 1 }
			END { exit !(named && waits) }' "$status" \
			2>/dev/null || continue
		cat "${status%/*}/comm" "${status%/*}/stack"
	done
}

# walking PATH: walks without pause. Each walk pins all dirty inodes for a moment.
walking() {
	# shellcheck disable=SC2046 # one word per path
	set -- $(for _ in $(seq 500); do echo "$1"; done)
	until [ -e /tmp/enough ]; do
		filesystems "$@"
	done >/dev/null
}

# starving_walks COMMAND: runs it while a walk that has inodes pinned gets hardly
# any processor time. This script would get as little, so all is done by a shell
# that has the priority of those that take it.
starving_walks() {
	rm -f /tmp/calm
	sh -c "renice -n -20 \$\$ >/dev/null
		for _ in 1 2 3 4; do
			{ until [ -e /tmp/calm ]; do :; done; } &
		done
		$1
		: >/tmp/calm"
}

# preempt_fully, preempt_as_before: if the kernel's preemption can be set.
preempt_fully() {
	choice=/sys/kernel/debug/sched/preempt
	[ -e $choice ] || return 0
	before=$(sed 's/.*(\(.*\)).*/\1/' $choice)
	echo full >$choice
}

preempt_as_before() {
	[ ! -e $choice ] || echo "$before" >$choice
}

# answers SECONDS COMMAND...: whether it succeeds in time. It is not killed
# afterwards, because that may not help.
answers() {
	seconds=$1
	shift
	rm -f /tmp/answered
	{ "$@" >/tmp/answer 2>&1 && : >/tmp/answered; } &
	for _ in $(seq $((seconds * 5))); do
		[ ! -e /tmp/answered ] || return 0
		sleep 0.2
	done
	return 1
}

# Files are deleted while a walk has them pinned, and the filesystem is frozen
# before the walk lets go of them. frozen PATH: of the files that are seen there, in
# /mnt or in an overlay of it.
frozen() {
	preempt_fully
	for round in $(seq "$(often 6)"); do
		for i in $(seq "${2:-400}"); do
			echo "$i" >"$1/files/$i"
		done
		rm -f /tmp/enough
		walking "$1" &
		renice -n 19 $! >/dev/null
		sleep 0.5
		starving_walks "rm $1/files/* && fsfreeze --freeze /mnt"
		answered=yes
		answers 20 filesystems -n 1000 "$1" || answered=no
		waiting '^(filesystems|kworker.*bufstat)$' >/tmp/waiting
		: >/tmp/enough
		fsfreeze --unfreeze /mnt
		wait
		cat /tmp/waiting
		equal "$answered" yes "an answer while frozen, round $round"
		[ ! -s /tmp/waiting ] || fail "waits for the thaw, round $round"
	done
	preempt_as_before
}

frozen_alone() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	mkdir /mnt/files
	frozen /mnt
	rmdir /mnt/files
}

# The overlay's own superblock is not frozen.
frozen_below() {
	modprobe -a ext4 overlay
	mount -t ext4 /dev/vda /mnt
	mkdir -p /mnt/lower /mnt/upper /mnt/work /tmp/over
	mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work \
		overlay /tmp/over
	mkdir /tmp/over/files
	frozen /tmp/over 3000
	asked /tmp/over >/tmp/all
	umount /tmp/over
	rm -r /mnt/lower /mnt/upper /mnt/work
	umount /mnt
	cat /tmp/all
	equal "$(cut -d ' ' -f 3-5 /tmp/all)" "0 0 0" "inodes that were walked"
}

# Makes unused inodes with pages, so that the walk has the only reference. The
# shrinker keeps them since 5.16 ("vfs: keep inodes with page cache off the
# inode shrinker LRU").
unused_inodes() {
	read_files /mnt 100
	echo 2 >/proc/sys/vm/drop_caches
}

# mount_and_keep_inodes: inodes that nobody uses can be left with their pages.
mount_and_keep_inodes() {
	case $(uname -r) in
	4.18.* | 5.10.*) skip "the shrinker takes the pages of unused inodes along" ;;
	esac
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
}

kept_until_thaw() {
	mount_and_keep_inodes
	unused_inodes
	fsfreeze --freeze /mnt
	filesystems -n 50 /mnt >/tmp/list
	for _ in 1 2 3; do
		unload=0
		bufstat module unload 2>/tmp/said || unload=$?
		unmount=0
		umount /mnt 2>/dev/null || unmount=$?
	done
	waiting 'bufstat' >/tmp/waiting
	fsfreeze --unfreeze /mnt
	cat /tmp/said /tmp/waiting
	[ "$(wc -l </tmp/list)" -ge 50 ]
	equal $unload 1 "unloading it while frozen"
	grep -qx 'bufstat: unloading the module: bufstat: for [0-9]* s it has kept [0-9]* inodes of /mnt (vda, ext4), which is frozen, until the thaw (fsfreeze --unfreeze /mnt)' /tmp/said
	[ $unmount -ne 0 ] || fail "unmounted while frozen"
	[ ! -s /tmp/waiting ] || fail "waits for the thaw"
	sleep 3
	umount /mnt
	bufstat module unload
	insmod "$MODULE"
}

# make_many: 4,000 files with pages, and nobody uses them. A list has the largest, so
# each thousand has a page more than the last, and the walk meets the newest first.
make_many() {
	mkdir /mnt/many
	for pages in 4 3 2 1; do
		mkdir /mnt/many/$pages
		cd /mnt/many/$pages
		seq 1000 | xargs truncate -s $((pages * PAGE))
		seq 1000 | xargs cat >/dev/null
		cd /
	done
	sync
	echo 2 >/proc/sys/vm/drop_caches
}

# remove_many: removes them, unmounts as soon as it can, and sets $took to the seconds.
remove_many() {
	read -r began _ </proc/uptime
	rm -r /mnt/many
	until umount /mnt 2>/dev/null; do
		sleep 0.05
	done
	read -r ended _ </proc/uptime
	took=$(awk "BEGIN { print $ended - $began }")
}

# The module keeps the inodes since the filesystem was frozen, which is many work items.
# They are removed right after the thaw, so that letting go of each takes a while: that
# alone, with nothing kept, takes a slow host long.
all_let_go() {
	mount_and_keep_inodes
	make_many
	remove_many
	alone=$took
	mount -t ext4 /dev/vda /mnt
	make_many
	fsfreeze --freeze /mnt
	filesystems -n 1000 /mnt >/dev/null
	bufstat module unload 2>/tmp/said || true
	fsfreeze --unfreeze /mnt
	remove_many
	cat /tmp/said
	echo "unmounted after $took s, and after $alone s with nothing kept" |
		tee -a /out/let-go
	grep -q 'kept [34][0-9][0-9][0-9] inodes' /tmp/said
	awk "BEGIN { exit !($took - $alone < 3) }"
}

# Mounts on /mnt a filesystem whose disk can be suspended. Its journal is written when
# asked: at an interval that could be in between, and who removes a file waits for that.
mount_suspendable() {
	modprobe -a ext4 dm_mod
	dmsetup --noudevsync create slow --notable
	echo "0 $(cat /sys/class/block/vda/size) linear /dev/vda 0" |
		dmsetup --noudevsync load slow
	dmsetup --noudevsync resume slow
	mount -t ext4 -o commit=3600 /dev/dm-0 /mnt
}

# The module has the last reference to the inode of a file that is being written to
# a disk that hangs. It took it while the filesystem was frozen, and drops it within a
# second after the thaw.
let_put_wait() {
	echo 1 >/mnt/waits
	sync
	cat /mnt/waits >/dev/null
	echo 2 >/proc/sys/vm/drop_caches
	fsfreeze --freeze /mnt
	filesystems -n 50 /mnt >/dev/null
	last_put /mnt /mnt/waits \
		"dmsetup --noudevsync suspend --noflush --nolockfs slow"
}

# One kernel thread waits, it is named, and no other filesystem is concerned.
kept_by_a_disk() {
	case $(uname -r) in
	4.18.* | 5.10.*) skip "the shrinker takes the pages of unused inodes along" ;;
	esac
	mount_suspendable
	mkdir -p /tmp/xfs
	modprobe xfs
	mount -t xfs /dev/vde /tmp/xfs
	write_pages /tmp/xfs/file 10
	let_put_wait
	sleep 3
	filesystems /mnt /tmp/xfs >/tmp/all
	unload=0
	bufstat module unload 2>/tmp/said || unload=$?
	other=0
	umount /tmp/xfs || other=$?
	waiting '^kworker.*bufstat' >/tmp/waiting
	dmsetup --noudevsync resume slow
	cat /tmp/all /tmp/said /tmp/waiting
	equal $unload 1 "unloading it meanwhile"
	equal $other 0 "unmounting another"
	grep -q '^bufstat: unloading the module: bufstat: for [1-9][0-9]* s it has kept [0-9]* inodes* of /mnt (dm-0, ext4), whose disk or server does not answer: kernel thread [0-9]* waits in [a-z_]* (try again when it does)$' /tmp/said
	equal "$(grep -c '^kworker' /tmp/waiting)" 1 "threads that wait"
	for _ in $(seq 50); do
		! umount /mnt 2>/dev/null || break
		sleep 0.1
	done
	bufstat module unload
	insmod "$MODULE"
	dmsetup --noudevsync remove slow
}

# Unless the filesystem is frozen, the module keeps nothing after its answer.
nothing_kept() {
	modprobe ext4
	for _ in $(seq "$(often 10)"); do
		mount -t ext4 /dev/vda /mnt
		unused_inodes
		filesystems -n 1000 /mnt >/dev/null
		filesystems /mnt >/dev/null
		umount /mnt
		rmmod bufstat
		insmod "$MODULE"
	done
}

# Any user who may create files can do this.
many_dirty_deleted() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	sync
	before=$(fs_pages /mnt)
	write_nothing
	share deleted=/mnt/gone 1 9000
	asked /mnt >/tmp/all
	filesystems -n 5 /mnt >/tmp/list
	release
	write_as_usual
	cat /tmp/all /tmp/list
	grown=$(($(awk '{ print $3 }' /tmp/all) - before))
	[ $grown -ge 9000 ] && [ $grown -le 9008 ] || fail "growth: $grown"
	[ "$(awk '{ print $6 + $7 }' /tmp/all)" -ge 9000 ]
	equal "$(awk '{ print $8 }' /tmp/all)" 0 "uncounted inodes"
	[ "$(awk '{ print $10 }' /tmp/all)" -ge 70 ] || fail "in too few holds"
	[ "$(grep -c " 1 $PAGE 0 5 gone$" /tmp/list)" -ge 4 ]
}

lazy_times() {
	modprobe ext4
	mount -t ext4 -o lazytime,strictatime /dev/vda /mnt
	sync
	read_files /mnt 300
	dirty=$(asked /mnt | awk '{ print $6 }')
	write_pages /mnt/file 1500
	read_files /mnt 300
	asked /mnt >/tmp/all
	filesystems -n 400 /mnt >/tmp/list
	rm /mnt/file
	cat /tmp/all
	equal $(($(awk '{ print $6 }' /tmp/all) - dirty)) 1500 "dirty pages"
	equal "$(awk '{ print $8 }' /tmp/all)" 0 "uncounted inodes"
	equal "$(awk '$5 == 2' /tmp/list | wc -l)" 301 "files with a path"
}

direct_access() {
	mount_dax
	pages=$((8000 / PAGE_KIB))
	write_pages /mnt/file $pages
	before=$(cached_pages)
	share mapped=/mnt/file $pages
	asked /mnt >/tmp/all
	grown=$(($(cached_pages) - before))
	release
	cat /tmp/all
	[ $grown -lt $((pages / 2)) ] || fail "Cached grew by $grown: this is no DAX"
	[ "$(awk '{ print $3 }' /tmp/all)" -le 8 ] || fail "DAX counted as cache"
	adds_up_to_cached
}

# The caller is stopped and continued while it walks or waits for another walk.
stopped() {
	mount -t tmpfs -o nr_inodes=0 tmpfs /mnt
	creator fill /mnt 5000
	for name in one two; do
		while :; do
			filesystems /mnt
		done >/tmp/$name &
	done
	for _ in $(seq 40); do
		killall -STOP filesystems 2>/dev/null || true
		killall -CONT filesystems 2>/dev/null || true
	done
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
	killall filesystems 2>/dev/null || true
	[ "$(cat /tmp/one /tmp/two | wc -l)" -ge 40 ]
	not grep -h '^-' /tmp/one /tmp/two
}

secret_memory() {
	before=$(cached_pages)
	share secret 1500
	grown=$(($(cached_pages) - before))
	for fd in "/proc/$holder/fd/"*; do
		filesystems "$fd"
		filesystems -n 3 "$fd"
	done >/tmp/all
	release
	cat /tmp/all
	[ $grown -ge 1400 ] || fail "Cached grew by $grown"
	grep -q ' secretmem 1500 1 1 0 0 0 .* 1500 /proc/' /tmp/all
	size=$((1500 * PAGE))
	grep -q "^[0-9]* 1500 $size 0 5 secretmem$" /tmp/all ||
		grep -q "^[0-9]* 1500 $size [0-9]* " /tmp/all
}

# The link by which the file was opened is removed; the other was never looked
# up.
removed_link() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	rm -f /mnt/a /mnt/b
	write_pages /mnt/a 2000
	ln /mnt/a /mnt/b
	umount /mnt
	mount -t ext4 /dev/vda /mnt
	exec 7</mnt/b
	cat <&7 >/dev/null
	rm /mnt/b
	filesystems -n 1 /mnt >/tmp/gone
	[ -e /mnt/a ]
	filesystems -n 1 /mnt >/tmp/there
	exec 7<&-
	rm /mnt/a
	equal "$(cut -d' ' -f 4- /tmp/gone)" "1 4 b" "a removed link"
	equal "$(cut -d' ' -f 4- /tmp/there)" "1 2 /a" "the other link"
}

# removed_links COUNT: what the module says of a file of which as many links were
# opened and removed since its remaining one was looked up.
removed_links() {
	mkdir /mnt/links
	write_pages /mnt/links/there 2000
	for i in $(seq "$1"); do
		ln /mnt/links/there "/mnt/links/$i"
	done
	hold_open /mnt/links/[0-9]*
	rm /mnt/links/[0-9]*
	filesystems -n 1 /mnt | cut -d ' ' -f 4-
	release
	rm -r /mnt/links
}

# Others wait while the names of an inode are looked at, and any user can make very
# many.
many_removed_links() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	removed_links 200 >/tmp/behind-few
	removed_links 2000 >/tmp/behind-many
	umount /mnt
	equal "$(cat /tmp/behind-few)" "1 2 /links/there" "behind 200 removed links"
	equal "$(cut -d ' ' -f 1,2 /tmp/behind-many)" "1 4" "behind 2000 removed links"
}

# Files that are being written before their inodes go cannot be looked at, and there
# are more of them in a row than one hold of the lock catches. All of that is said.
uncounted() {
	case $(uname -r) in
	4.18.*) skip "before Linux 5.8 inodes are kept" ;;
	esac
	modprobe -a xfs dm_flakey
	dmsetup --noudevsync create slow --notable
	echo "0 $(cat /sys/class/block/vde/size) linear /dev/vde 0" |
		dmsetup --noudevsync load slow
	dmsetup --noudevsync resume slow
	mount -t xfs /dev/dm-0 /mnt
	mkdir -p /mnt/uncached
	sync
	start_holding uncached /mnt/uncached 60
	dmsetup --noudevsync suspend --noflush --nolockfs slow
	kill "$holder"
	for _ in $(seq 100); do
		asked /mnt >/tmp/all
		[ "$(awk '{ print $8 }' /tmp/all)" -lt 60 ] || break
		sleep 0.1
	done
	filesystems -n 100 /mnt >/tmp/list || true
	dmsetup --noudevsync resume slow
	cat /tmp/all
	tail -n 1 /tmp/list
	rm -r /mnt/uncached
	for _ in $(seq 100); do
		! umount /mnt || break
		sleep 0.1
	done
	dmsetup --noudevsync remove slow
	equal "$(awk '{ print $8 }' /tmp/all)" 60 "uncounted inodes"
	# The 32 that one hold catches, and the rest.
	equal "$(grep -c ' 1 1 1 0' /tmp/list)" 32 "files that were caught"
	equal "$(tail -n 1 /tmp/list)" "missed 28" "files that were missed"
}

# locked_pages TYPE DEVICE: more pages than one RCU section looks at. A large folio
# may be mlocked without the flag; then that is said. XFS makes one of a large write.
locked_pages() {
	modprobe "$1"
	mount -t "$1" "$2" /mnt
	dd if=/dev/zero of=/mnt/locked bs=$((3000 * PAGE)) count=1 2>/dev/null
	write_pages /mnt/mapped 500
	sync
	before=$(asked /mnt | awk '{ print $13 }')
	share mapped=/mnt/mapped 500
	other=$holder
	share locked=/mnt/locked 3000
	asked /mnt >/tmp/all
	kill "$other"
	release
	rm /mnt/locked /mnt/mapped
	cat /tmp/all
	counted=$(($(awk '{ print $13 }' /tmp/all) - before))
	if [ $(($(awk '{ print $9 }' /tmp/all) & 8)) -eq 8 ]; then
		equal $counted 3000 "pages that are mlocked"
	else
		[ "$1" = xfs ] || has_large_folios || fail "not all were looked at"
		[ $counted -le 3000 ] || fail "$counted of 3000 are mlocked"
	fi
}

check_long "a frozen filesystem keeps nobody waiting" frozen_alone
check_long "a frozen filesystem below an overlay keeps nobody waiting" frozen_below
check "what is kept until the thaw is named, and let go of then" kept_until_thaw
check "all that was kept is let go of soon after the thaw" all_let_go
check "where a disk hangs, one thread waits and is named" kept_by_a_disk
check_long "after an answer nothing is kept" nothing_kept
check "9,000 dirty deleted files: exact, in short holds" many_dirty_deleted
check "lazytime: exact, and all have a path" lazy_times
check "DAX is no page cache" with DAX direct_access
check_long "stopped and continued: no error" stopped
check "memfd_secret is found by its descriptor" secret_memory
check "a link that was removed is no path" removed_link
check "very many removed links are not all looked at" many_removed_links
check "mlocked pages are counted" locked_pages ext4 /dev/vda
check "mlocked pages of large folios are counted, or it is said" \
	locked_pages xfs /dev/vde
check "inodes that could not be looked at are counted" uncounted
