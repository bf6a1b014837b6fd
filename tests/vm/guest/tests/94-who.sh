# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat who: what it attributes to a process is what the caches gained, as the
# module counts it.
# shellcheck source=../test.sh
. /guest/test.sh
needs tracing
leaves who
# shellcheck source=../who.sh
. /guest/who.sh

# Reads all of the device, so that read-ahead reads no more.
reads_device() {
	exec 4</dev/vdb
	take /run/before
	who dd if=/dev/vdb of=/dev/null bs=64k
	take /run/after
	equal "$(pages_in dd vdb)" $((128 * MIB)) "pages of dd"
	equal "$(net vdb)" $(($(pages vdb /run/after) - $(pages vdb /run/before))) \
		"net"
	nothing_untraced
	cp /tmp/who /out/who.json
}

# The last close drops what dd read.
closes_device() {
	who dd if=/dev/vdb of=/dev/null bs=64k count=64
	[ "$(pages_in dd vdb)" -ge $((4 * MIB)) ]
	equal "$(pages_out dd vdb)" "$(pages_in dd vdb)" "pages out of dd"
	nothing_untraced
}

finds() {
	mount_quietly /dev/vda
	take /run/before
	who find /mnt
	take /run/after
	gained=$(($(pages vda /run/after) - $(pages vda /run/before)))
	[ "$gained" -gt 100 ]
	equal "$(pages_in find vda)" "$gained" "pages of find"
	nothing_untraced
}

writes_and_deletes() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	who dd if=/dev/zero of=/mnt/written bs=64k count=128
	equal "$(pages_in dd /mnt)" $((8 * MIB)) "pages of the writer"
	nothing_untraced
	who rm /mnt/written
	equal "$(pages_out rm /mnt)" $((8 * MIB)) "pages out of rm"
	equal "$(pages_in rm /mnt)" 0 "pages of rm"
	nothing_untraced
}

# way NAME COLUMN PAGES: the process of that name brought in that many pages, all
# of them in one way.
way() {
	jq -e --arg way "$1" --argjson bytes $(($3 * PAGE)) \
		'[.filled[] | select(.name == "/mnt" and .command == $way)] |
		length == 1 and .[0].in_bytes == $bytes and
		.[0].'"$2"'_bytes == $bytes' /tmp/who ||
		fail "$1: not $3 pages by $2: $(jq -c --arg way "$1" \
			'.filled[] | select(.command == $way)' /tmp/who)"
}

# By the ways in which the pages came in.
ways() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	reads='read preadv readahead willneed madvise splice sendfile'
	# The kernel reads no more than 1.25 MiB ahead.
	pages=64
	[ "$PAGE_KIB" -le 16 ] || pages=$((1024 / PAGE_KIB))
	for way in $reads mmap populate copy truncate write pwritev; do
		dd if=/dev/zero of=/mnt/$way bs="$PAGE" count=$pages 2>/dev/null
	done
	sync
	echo 3 >/proc/sys/vm/drop_caches
	maps_read
	cat >/tmp/ways <<-END
		for way in $reads mmap populate copy write pwritev store; do
			fills \$way /mnt/\$way $pages
		done
		fills read /mnt/truncate $pages
		fills truncate /mnt/truncate $pages
		find /mnt -name nothing
		dd if=/dev/zero of=/dev/vdb bs=$PAGE count=10
	END
	bufstat who -J -o +PAGES-OUT,READ,WRITE,FAULT,METADATA -- \
		sh /tmp/ways >/tmp/who
	jq -c '.filled[]' /tmp/who
	jq -e .complete /tmp/who
	nothing_untraced
	for way in ${reads#read }; do
		way "$way" read $pages
	done
	# The other of that name is for the file that is truncated.
	jq -e --argjson bytes $((pages * PAGE)) '[.filled[] | select(.name == "/mnt"
		and .command == "read") | .read_bytes == $bytes] |
		length == 2 and all' /tmp/who
	for way in mmap populate store; do
		way $way fault $pages
	done
	way write write $pages
	way pwritev write $pages
	way copy write $((2 * pages))
	# ext4 may read its maps of free blocks to free some.
	equal "$(jq -c '[.filled[] | select(.name == "/mnt" and .command ==
		"truncate") | [.read_bytes, .pages_out]]' /tmp/who)" "[[0,$pages]]" \
		"truncate"
	jq -e '[.filled[] | select(.name == "vda" and .command == "find")] |
		map(.metadata_bytes == .in_bytes and .in_bytes > 0) |
		length == 1 and all' /tmp/who
	jq -e --argjson bytes $((10 * PAGE)) '[.filled[] |
		select(.name == "vdb" and .command == "dd")] |
		map(.write_bytes == $bytes) | any' /tmp/who
	for way in $reads mmap populate copy truncate write pwritev store; do
		rm -f /mnt/$way
	done
}

# Pages that the kernel moves in memory are the same pages.
moved() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	[ -e /proc/sys/vm/compact_memory ] || skip "no compaction here"
	moved=$(awk '$1 == "pgmigrate_success" { print $2 }' /proc/vmstat)
	find /mnt -type f | head -n 8000 >/tmp/files
	# Every other page is free then.
	sed -n 'p;n' /tmp/files >/tmp/odd
	who sh -c 'xargs cat </tmp/files >/dev/null
		xargs bufstat drop </tmp/odd >/dev/null
		echo 1 >/proc/sys/vm/compact_memory'
	awk -v before="$moved" '$1 == "pgmigrate_success" {
		print $2 - before, "pages moved"; moved = $2 > before }
		END { exit !moved }' /proc/vmstat || skip "nothing was moved"
	nothing_untraced
}

# make_writers COUNT [PROCESSOR-FILE...]: /tmp/writers has eight processes write
# so many times 4 KiB each, with those processors online meanwhile.
make_writers() {
	count=$1
	shift
	mount -t ext4 /dev/vda /mnt
	maps_read
	cat >/tmp/writers <<-END
		for other in $*; do echo 1 >\$other; done
		for i in 1 2 3 4 5 6 7 8; do
			dd if=/dev/zero of=/mnt/writer\$i bs=4k count=$count &
		done 2>/dev/null
		wait
		for other in $*; do echo 0 >\$other; done
	END
}

# eight_wrote LEAST COUNT: each of them brought in so many pages at least, and no
# more than it wrote. ext4 keeps its maps of free blocks beside the files.
eight_wrote() {
	jq -c '[.filled[] | select(.name == "/mnt" and .command == "dd") | .pages_in]' \
		/tmp/who | tee /tmp/eight
	jq -e --argjson least "$1" --argjson wrote $(($2 * 4 / PAGE_KIB)) \
		'length == 8 and (map(. >= $least and . < $wrote + 20) | all)' \
		/tmp/eight
}

# Each of eight writers wrote the same. BPF counts for each processor.
attributes_writers() {
	# shellcheck disable=SC2046 # one word per processor
	make_writers "$1" \
		$(find /sys/devices/system/cpu/cpu[1-9]*/online 2>/dev/null || true)
	who sh /tmp/writers
	rm /mnt/writer*
	eight_wrote $(($1 * 4 / PAGE_KIB)) "$1"
	nothing_untraced
}

# There is room for 8,192 processes and caches. Each of more processes brings in a page.
says_what_it_lost() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	bufstat who -J -- fills many /mnt/many 9000 >/tmp/who 2>/tmp/said
	jq 'del(.filled)' /tmp/who
	cat /tmp/said
	rm /mnt/many
	lost=$(jq .lost_events /tmp/who)
	counted=$(pages_in many /mnt)
	equal "$(jq .complete /tmp/who)" false "complete"
	grep "^bufstat: .* bpf: $lost events were lost, so the totals are a lower bound" \
		/tmp/said
	[ "$counted" -gt 8000 ]
	[ "$counted" -le 8192 ]
	[ $((counted + lost)) -ge 9000 ]
}

# The eight are one row, unless the user wants each.
adds_up_writers() {
	mount -t ext4 /dev/vda /mnt
	cat >/tmp/writers <<-END
		for i in 1 2 3 4 5 6 7 8; do
			dd if=/dev/zero of=/mnt/writer\$i bs=4k count=256
		done 2>/dev/null
	END
	bufstat who /mnt -- sh /tmp/writers | tee /tmp/table
	grep -qE '^/mnt +files +dd +8 .* write( 100%)?$' /tmp/table
	bufstat who --by command -J -o NAME,COMMAND,PROCESSES,PAGES-IN /mnt -- \
		sh /tmp/writers >/tmp/who
	jq -e --argjson least $((8 * MIB)) '[.filled[] |
		select(.name == "/mnt" and .command == "dd")] |
		length == 1 and .[0].processes == 8 and
		.[0].pages_in >= $least' /tmp/who
	bufstat who --by process -r -n -o COMMAND /mnt -- sh /tmp/writers |
		tee /tmp/table
	equal "$(grep -cx dd /tmp/table)" 8 "rows"
	rm /mnt/writer*
}

# The machine's disk is a file on the host. The host may be silent for longer than
# --verify waits, but hardly three times in a row.
verify_it() {
	for _ in 1 2 3; do
		if bufstat who --verify --dir /mnt >/tmp/said 2>/tmp/silent; then
			cat /tmp/said
			grep -q '^bpf counted \([0-9,]*\) of \1 pages' /tmp/said
			return
		fi
		cat /tmp/said /tmp/silent
		grep -q 'the disk does not answer' /tmp/silent
	done
	return 1
}

verifies() {
	modprobe xfs
	mount -t xfs /dev/vde /mnt
	verify_it
	equal "$(find /mnt -maxdepth 1 -name 'bufstat*')" "" "left"
	refused 1 'in memory' bufstat who --verify --dir /tmp
}

# Reports at intervals, of what came in between.
reports() {
	exec 4</dev/vdb
	bufstat who --json-lines -s 3 -c 2 vdb -- \
		sh -c 'dd if=/dev/vdb of=/dev/null bs=64k count=16; sleep 7' \
		>/tmp/reports
	cat /tmp/reports
	equal "$(wc -l </tmp/reports)" 2 "reports"
	sed -n 1p /tmp/reports | jq -e '.filled | map(.command) == ["dd"]'
	sed -n 2p /tmp/reports | jq -e '.filled == []'
}

# start_who ARGUMENT...: returns when it traces.
start_who() {
	# The kernel frees what an earlier check had a little later.
	until bpf_objects >/tmp/before && sleep 1 &&
		bpf_objects | cmp -s - /tmp/before; do
		:
	done
	bufstat who "$@" >/tmp/who &
	# From Linux 7.0 on it loads other programs after the first.
	until bpf_objects >/tmp/during && ! cmp -s /tmp/before /tmp/during &&
		sleep 2 && bpf_objects | cmp -s - /tmp/during; do
		sleep 0.2
	done
}

interrupted() {
	start_who -J
	dd if=/dev/vdb of=/dev/null bs=64k count=16 2>/dev/null
	kill -INT $!
	wait $!
	[ "$(pages_in dd vdb)" -ge "$MIB" ]
}

# Whatever the program has in the kernel goes with it.
killed() {
	start_who
	kill -KILL $!
	wait $! || true
	sleep 1
	bpf_objects >/tmp/after
	cat /tmp/before /tmp/during /tmp/after
	cmp /tmp/before /tmp/after
}

# The worker is a thread with a name of the kernel's: iou-wrk-PID.
reads_by_worker() {
	queued async /dev/vdb 512 || skip "no io_uring"
	exec 4</dev/vdb
	echo 1 >/proc/sys/vm/drop_caches
	who queued async /dev/vdb $((256 * PAGE))
	exec 4<&-
	[ "$(pages_in queued vdb)" -ge 256 ]
	jq -e '[.filled[] | select(.command | startswith("iou-"))] == []' /tmp/who
}

# refused STATUS PATTERN COMMAND...
refused() {
	wanted=$1 pattern=$2
	shift 2
	status=0
	"$@" 2>/tmp/said || status=$?
	cat /tmp/said
	equal $status "$wanted" "exit status of $*"
	grep -q "$pattern" /tmp/said
}

without_rights() {
	refused 2 'bpf: needs root.*(use sudo)' \
		su nobody -s /bin/sh -c 'bufstat who -c 1'
	refused 125 'bpf: needs root.*(use sudo)' \
		su nobody -s /bin/sh -c 'bufstat who -- true'
}

without_types() {
	mount -t tmpfs none /sys/kernel/btf
	status=0
	bufstat who -c 1 2>/tmp/said || status=$?
	umount /sys/kernel/btf
	cat /tmp/said
	equal $status 2 "exit status of who"
	grep -q 'CONFIG_DEBUG_INFO_BTF' /tmp/said
}

# Root of a container may lack CAP_SYS_ADMIN, CAP_PERFMON and CAP_BPF.
without_capabilities() {
	less='without_cap 21 without_cap 38 without_cap 39'
	refused 2 'bpf:.*(give it CAP_BPF and CAP_PERFMON' \
		$less bufstat who -c 1
	not grep -q paranoid /tmp/said
}

without_library() {
	library=$(find / -xdev -name 'libbpf.so.1*' | head -n 1)
	mv "$library" /tmp/away
	status=0
	bufstat who -c 1 2>/tmp/said || status=$?
	mv /tmp/away "$library"
	cat /tmp/said
	equal $status 2 "exit status of who"
	grep -q 'libbpf.so.1.*(install libbpf1 or libbpf)' /tmp/said
}

# Before Linux 5.11 what BPF uses counts as locked memory.
little_memlock() {
	ulimit -l 64
	who dd if=/dev/vdb of=/dev/null bs=64k count=16
	[ "$(pages_in dd vdb)" -ge "$MIB" ]
}

other_processors 0
check "who attributes what dd read from a device to dd" reads_device
check "what a worker of io_uring reads is the program's" reads_by_worker
check "a reader that closes a device last brings and takes the same" \
	closes_device
check "who attributes to find what Buffers gained" finds
check "who tells a writer from who deletes" writes_and_deletes
check "who tells the ways in which pages came in" ways
check "eight writers at a time: each brought in what it wrote" \
	attributes_writers 512
check_long "more than three processes of a name are one row" adds_up_writers
check_long "eight long writers at a time" attributes_writers 4000
check_long "pages that are moved in memory stay whose they are" moved
check "who --verify counts what it reads" verifies
check "who reports at intervals" reports
check "Ctrl-C ends with a report" interrupted
check "killed, who leaves nothing in the kernel" killed
check_long "what is lost is said" says_what_it_lost
check "who without rights says what it needs" without_rights
check "who without BTF says what it needs" without_types
check "who without capabilities says which it needs" without_capabilities
check "who without libbpf says what it needs" without_library
check "who raises the limit of locked memory if it has to" little_memlock
other_processors 1
