# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# fs and files with --source kcore must print, row by row, what they print with
# the module.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

CAP_SYS_RAWIO=17
WALKS=10000
[ "${thorough-}" ] || WALKS=1000

# rows SOURCE: prints each filesystem with its pages, dirty pages and pages
# under writeback.
rows() {
	bufstat fs --source "$1" -J \
		-o MAJ:MIN,FSTYPE,PAGES,DIRTY,WRITEBACK,SOURCE |
		jq -r --argjson page "$PAGE" '
			def pages: if . == null then "-" else . / $page end;
			if (.complete and .settled) | not then "incomplete"
			else .filesystems[] | "\(."maj:min") \(.fstype) " +
				"\(.pages) \(.dirty_bytes | pages) " +
				"\(.writeback_bytes | pages) \(.source)"
			end' | sort
}

# largest SOURCE [PATH...]: prints the files with most pages, without those that
# have as few as the last: which of these are among the 50 is chance.
largest() {
	source=$1
	shift
	bufstat files --source "$source" -J --top 50 -o \
		INODE,PAGES,SIZE,TYPE,FSTYPE,SOURCE,STATE,PATH "$@" |
		jq -r 'if .complete then
				(.files | length < 50) as $all |
				([.files[].pages] | min) as $least |
				.files[] | select($all or .pages > $least) |
				map(tostring) | join(" ")
			else "incomplete" end' | sort
}

# same COMMAND [ARGUMENT...]: fails unless COMMAND prints the same for both
# sources. Tries again while the module's answer changes. Writes no files, whose
# pages would count.
same() {
	what=$1
	shift
	for _ in 1 2 3 4 5 6; do
		first=$("$what" module "$@")
		second=$("$what" kcore "$@")
		[ "$first" != "$second" ] || break
		[ "$first" != "$("$what" module "$@")" ] || break
	done
	echo "$first"
	[ "$first" = "$second" ] || fail "kcore: $second"
	[ "$first" ] || fail "nothing"
	case $first in *incomplete*) fail "incomplete" ;; esac
}

agree() {
	same rows
	same largest
}

# has TEXT: fails unless TEXT is in what both sources said.
has() {
	case $first in
	*"$1"*) ;;
	*) fail "not there: $1" ;;
	esac
}

on_disks() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	mount_others
	read_files /mnt 3000
	maps_read
	write_pages /tmp/xfs/file 1234
	# As many bytes with any size of pages: the disk is small.
	lacking btrfs || write_pages /tmp/btrfs/file $((4321 * 4096 / PAGE))
	write_pages /mnt/one-page 1
	agree
	has " /tmp/xfs/file"
	lacking btrfs || has " /tmp/btrfs/file"
	same largest /tmp/xfs
	rm -f /tmp/xfs/file /tmp/btrfs/file /mnt/one-page
	unmount_others
}

# With lazytime, pages are dirty until fsync(2), and a touched timestamp makes
# none dirty again.
written() {
	modprobe -a ext4
	mount -t ext4 -o lazytime /dev/vda /mnt
	write_pages /mnt/file 1000
	maps_read
	same rows
	has " 1000 0 /dev/vda"
	flush /mnt/file
	touch /mnt/file
	same rows
	has " 0 0 /dev/vda"
	rm /mnt/file
}

in_memory() {
	mount -t tmpfs some /mnt
	write_pages /mnt/file 300
	mkdir /mnt/directory
	write_pages /mnt/directory/other 20
	ln /mnt/directory/other /mnt/directory/link
	same largest
	same rows
	has " tmpfs 320 0 0 some"
	same largest /mnt
	has " tmpfs some null /mnt/directory/"
}

# Of every kind, each with the name of its file.
sharing() {
	share memfd 1000
	others=$holder
	share sysv 1000
	others="$others $holder"
	share mapping 1000
	agree
	has memfd:bufstat-test
	has SYSV00000000
	has dev/zero
	# shellcheck disable=SC2086 # words
	kill $others
	release
}

over() {
	modprobe overlay
	mkdir -p /tmp/over
	mount -t tmpfs upper /mnt
	mkdir /mnt/lower /mnt/upper /mnt/work
	mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work \
		overlay /tmp/over
	write_pages /tmp/over/file 700
	agree
	has "/mnt/upper/file"
	umount /tmp/over
}

deleted() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	share deleted=/mnt/gone 900
	maps_read
	agree
	has "deleted gone"
	release
}

swapped() {
	dd if=/dev/zero of=/tmp/swap bs=1M count=16 2>/dev/null
	modprobe loop
	losetup /dev/loop0 /tmp/swap
	mkswap /dev/loop0 >/dev/null
	swapon /dev/loop0
	share swapped 1000
	same rows
	release
	swapoff /dev/loop0
	losetup -d /dev/loop0
	rm /tmp/swap
}

direct() {
	mount_dax
	write_pages /mnt/file 500
	start_holding shared mapped=/mnt/file 500
	maps_read
	agree
	release
}

# A filesystem that was unmounted lazily: both sources count its pages. The
# module finds it through a process that has a file in it open.
unmounted() {
	mount -t tmpfs gone /mnt
	write_pages /mnt/file 3000
	exec 7</mnt/file
	umount -l /mnt
	same rows
	exec 7<&-
	has " tmpfs 3000 0 0 "
}

# While empty files come and go, inodes are evicted and filesystems are mounted,
# the page count of the files that stay must not change, in any walk that kcore
# accepts.
churn() {
	mkdir -p /tmp/mounted
	mount -t tmpfs quiet /mnt
	mkdir /mnt/a /mnt/b
	for i in $(seq 40); do
		write_pages /mnt/file$i $i
	done
	creator delay /mnt/a 1000 >/dev/null &
	creator delay /mnt/b 1000 >/dev/null &
	while :; do
		mount -t tmpfs churn /tmp/mounted
		umount /tmp/mounted
	done &
	while :; do
		for i in 1 2 3 4 5 6 7 8; do : >/mnt/$i; done
		rm /mnt/[1-8]
		echo 2 >/proc/sys/vm/drop_caches
	done &
	walks /mnt "$WALKS" 820 | tee /out/kcore-fs-churn
	right=0 refused=0
	while [ $((right + refused)) -lt 20 ] || [ $right = 0 ]; do
		pages=$(bufstat fs --source kcore -J 2>/dev/null | jq \
			'.filesystems[] | select(.source == "quiet").pages')
		case $pages in
		820) right=$((right + 1)) ;;
		null) refused=$((refused + 1)) ;;
		*) fail "$pages pages, after $right answers" ;;
		esac
	done
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
	# A mount(8) that was just starting outlives the loop.
	for _ in $(seq 50); do
		umount /tmp/mounted 2>/dev/null || true
		! rmdir /tmp/mounted 2>/dev/null || break
		sleep 0.1
	done
	[ ! -e /tmp/mounted ]
	echo "right $right refused $refused" | tee -a /out/kcore-fs-churn
	[ $refused -le $((right / 10)) ]
	awk '$1 == "accepted" { exit !($2 == '"$WALKS"' && $4 < $2 / 5) }' \
		/out/kcore-fs-churn
}

# Folios of many pages: tmpfs has them with huge=always, XFS since Linux 5.18.
# The disk is suspended while they are written, so they stay under writeback.
large_folios() {
	[ "$THP_KIB" ] || skip "no transparent huge pages"
	modprobe -a xfs dm_flakey
	dmsetup --noudevsync create slow --notable
	echo "0 $(cat /sys/class/block/vde/size) linear /dev/vde 0" |
		dmsetup --noudevsync load slow
	dmsetup --noudevsync resume slow
	mkdir -p /tmp/xfs /tmp/huge
	mount -t xfs /dev/dm-0 /tmp/xfs
	mount -t tmpfs -o huge=always huge /tmp/huge
	large=$((4 * PAGES_PER_MIB))
	# Whole huge pages: 32 MiB if pages have 16 KiB.
	huge=$(($(whole_thp 4096) / PAGE_KIB))
	for directory in /tmp/xfs /tmp/huge; do
		dd if=/dev/zero of=$directory/file bs=4M count=1 conv=notrunc \
			2>/dev/null
	done
	grep -E '^(ShmemHugePages|FileHugePages)' /proc/meminfo >>/out/large
	same largest
	has "/tmp/xfs/file"
	same rows
	has " tmpfs $huge 0 0 huge"
	has " xfs $large $large 0 /dev/dm-0"
	# A page in the middle of a folio.
	flush /tmp/xfs/file
	same rows
	has " xfs $large 0 0 /dev/dm-0"
	dd if=/dev/zero of=/tmp/xfs/file bs="$PAGE" seek=$((large / 2)) count=1 \
		conv=notrunc 2>/dev/null
	same rows
	dd if=/dev/zero of=/tmp/xfs/file bs=4M count=1 conv=notrunc 2>/dev/null
	dmsetup --noudevsync suspend --noflush --nolockfs slow
	flush /tmp/xfs/file &
	for _ in $(seq 100); do
		! rows module | grep -q ' xfs [0-9]* 0 [1-9]' || break
		sleep 0.1
	done
	same rows
	dmsetup --noudevsync resume slow
	has " xfs $large 0 $large /dev/dm-0"
	wait
	# Read-ahead makes large folios too.
	umount /tmp/xfs
	mount -t xfs /dev/dm-0 /tmp/xfs
	cat /tmp/xfs/file >/dev/null
	agree
	rm /tmp/xfs/file
	umount /tmp/xfs
	umount /tmp/huge
	dmsetup --noudevsync remove slow
}

# slowly COMMAND...: runs it with a part of one processor, $quota in 100,000.
slowly() {
	echo "$quota 100000" >/tmp/cgroup/slow/cpu.max
	# shellcheck disable=SC2016
	sh -c 'echo $$ >/tmp/cgroup/slow/cgroup.procs; exec "$@"' sh "$@"
}

known_in_part() {
	jq -e '(.complete | not) and
		any(.filesystems[]; .note == "not measured in time (--timeout N sets it)") and
		any(.filesystems[]; .pages > 0)' /tmp/late.json
}

# With little of a processor the walk of these inodes takes long. --timeout ends
# it with what is known by then.
late() {
	mount -t tmpfs -o nr_inodes=0 many /mnt
	creator empty /mnt 40000
	mkdir -p /tmp/cgroup
	mount -t cgroup2 none /tmp/cgroup
	echo +cpu >/tmp/cgroup/cgroup.subtree_control || {
		umount /tmp/cgroup
		skip "no cgroups for processors here"
	}
	mkdir /tmp/cgroup/slow
	for quota in 100000 75000 56000 42000 32000 24000 18000 13500 10000 7500 \
		5600 4200 3200 2400 1800 1350 1000; do
		status=0
		slowly bufstat fs --source kcore -aJ --timeout 3 >/tmp/late.json \
			2>/tmp/said || status=$?
		[ $status = 0 ] || ! known_in_part || break
	done
	cat /tmp/said
	equal $status 3 "exit status of fs"
	grep -q 'still working' /tmp/said
	known_in_part
	# With a bit more, only the users are not found in time; with less, nothing.
	while [ "$quota" -ge 500 ]; do
		status=0
		slowly bufstat files --source kcore --timeout 3 2>/tmp/said \
			>/tmp/late || status=$?
		! grep -q 'not measured in time (--timeout N sets it)' /tmp/said || break
		quota=$((quota * 3 / 4))
	done
	cat /tmp/said
	equal $status 3 "exit status of files"
	[ "$(grep -c 'looking for the users' /tmp/said)" -le 5 ]
	grep -q 'not measured in time (--timeout N sets it)' /tmp/said
	rmdir /tmp/cgroup/slow
	umount /tmp/cgroup
}

# answers [OPTION...]: prints what fs, files, explain and sources say. It leaves
# out the processes of this script, which come and go, Cached, which lags behind
# by the counts of each processor, and who, which no capture has.
answers() {
	bufstat fs -J -O "$@" | jq -c '[.source, .complete, .settled,
		(.filesystems | map(del(.share_percent)))]'
	bufstat files -J -O --top 100 "$@" | jq -c '[.source, .complete,
		.filesystems_cached_bytes,
		(.files | map(.users |= map(select(startswith("shared(")))))]'
	bufstat explain -J "$@" | jq -c '[
		(.buffers | [.settled, .unattributed_bytes, .devices]),
		(.cached | [.complete, .attributed_bytes,
			(.filesystems | map(del(.share_percent)))])]'
	bufstat sources --timeout 60 -J "$@" | jq -c '[.sources[] |
		select(.answers == "yes" and
			(.question | IN("who", "blocks", "path") | not)) |
		[.question, .source, .count]]'
}

# Without the module, a capture has the answers that kcore gave. Writes no files
# but the capture, which is written after it was measured.
without_module() {
	# Held open: the last close would drop the pages.
	sleep 600 </dev/vda &
	opener=$!
	until [ "$(readlink /proc/$opener/fd/0)" = /dev/vda ]; do
		sleep 0.1
	done
	dd if=/dev/vda of=/dev/null bs=64k count=16 2>/dev/null
	share memfd 500
	bufstat module unload
	status=0
	for _ in 1 2 3 4 5 6; do
		live=$(answers)
		bufstat capture /tmp/capture || status=$?
		captured=$(answers --capture /tmp/capture)
		bufstat files --top 101 --capture /tmp/capture 2>&1 >/dev/null |
			grep ' 100 largest files' >/run/lack || : >/run/lack
		rm /tmp/capture
		[ "$live" != "$captured" ] || break
	done
	bufstat module load
	release
	kill $opener
	equal $status 0 "exit status"
	echo "$live" >/run/live
	echo "$captured" >/run/captured
	diff /run/live /run/captured | cut -c 1-1000
	[ "$live" = "$captured" ] || fail "the capture differs"
	cut -c 1-2000 /run/live
	echo "$live" | jq -se '.[0][:3] == ["kcore", true, true]
		and .[1][:2] == ["kcore", true]
		and ([.[1][3][] | select(.path == "memfd:bufstat-test") |
			[.pages, (.users | length)]] == [[500, 1]])
		and .[2][1][0] and (.[2][0][2] | length) == 1
		and (.[3] | map(.[:2])) == [["devices", "kcore"],
			["filesystems", "kcore"], ["files", "kcore"]]'
	[ -s /run/lack ]
}

# With the module, kcore only could answer, and cachestat opens no device.
who_answers() {
	[ -e /sys/kernel/tracing/trace ] ||
		mount -t tracefs tracefs /sys/kernel/tracing
	path=yes expected=0
	case $(uname -r) in
	4.18.*) path=no expected=3 ;;
	esac
	# On a busy host a walk may take too long to be done twice.
	for _ in 1 2 3 4 5; do
		status=0
		bufstat sources --timeout 60 -J >/tmp/sources.json || status=$?
		jq -e '.sources | any(.question != "devices" and
			.question != "who" and .answers == "not tried")' \
			/tmp/sources.json >/dev/null || break
	done
	cat /tmp/sources.json
	equal $status $expected "exit status"
	jq -e --arg path $path '.sources |= map(select(.question != "who")) |
		[.sources[] | [.question, .source, .answers]] == [
		["devices", "module", "yes"],
		["devices", "kcore", "could"],
		["devices", "cachestat", "not tried"],
		["filesystems", "module", "yes"],
		["filesystems", "kcore", "could"],
		["files", "module", "yes"],
		["files", "kcore", "could"],
		["blocks", "kcore", "yes"],
		["path", "ftrace", $path]]
		and ([.sources[] | select(.count or .question == "files") |
			select(.answers != "not tried").time_ns] |
			all(. > 0))' /tmp/sources.json
}

no_capability() {
	status=0
	without_cap $CAP_SYS_RAWIO bufstat fs --source kcore 2>/tmp/said ||
		status=$?
	cat /tmp/said
	equal $status 2 "exit status"
	grep -q 'needs CAP_SYS_RAWIO' /tmp/said
}

check "kcore and the module agree with nothing mounted" with BTF agree
check "on every kind of disk filesystem, dirty pages too" with BTF on_disks
check "on lazytime, dirty and written" with BTF written
check "on tmpfs, with a file of two names" with BTF in_memory
check "on a memfd, System V and shared anonymous memory" with BTF sharing
check "on overlay" with BTF over
check "on a deleted file" with BTF deleted
check "on memory that is swapped out" with BTF swapped
check "on DAX" with BTF with DAX direct
check "on a filesystem that is unmounted and in use" with BTF unmounted
check "on large folios" with BTF large_folios
check_long "while files and filesystems come and go" with BTF churn
check "without the module kcore answers, and a capture has it" with BTF \
	without_module
# The first limit patches the scheduler.
other_processors 0
check_long "--timeout ends a slow walk with what is known" with BTF late
other_processors 1
check "sources says which source answers" with BTF who_answers
check "fs says which right is missing" with BTF no_capability
