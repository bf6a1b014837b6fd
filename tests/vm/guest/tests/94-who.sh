# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat who: what it attributes to a process is what the caches gained, as the
# module counts it.
# shellcheck source=../test.sh
. /guest/test.sh

MIB=$PAGES_PER_MIB

ENGINE=bpf

# who COMMAND...: traces it. The JSON is in /tmp/who, the messages in /tmp/said.
who() {
	status=0
	bufstat who -J --engine $ENGINE -- "$@" >/tmp/who 2>/tmp/said ||
		status=$?
	cat /tmp/said /tmp/who
	equal $status 0 "exit status of who"
	equal "$(jq -r .engine /tmp/who)" $ENGINE "engine"
	equal "$(jq .lost_events /tmp/who)" 0 "lost events"
	jq -e .complete /tmp/who >/dev/null
}

# pages_in COMMAND NAME, pages_out COMMAND NAME: of all processes called that.
pages_in() {
	jq --arg command "$1" --arg name "$2" '[.filled[] | select(.name == $name
		and .command == $command) | .pages_in] | add // 0' /tmp/who
}

pages_out() {
	jq --arg command "$1" --arg name "$2" '[.filled[] | select(.name == $name
		and .command == $command) | .pages_out] | add // 0' /tmp/who
}

# net NAME: of all processes.
net() {
	jq --arg name "$1" '[.filled[] | select(.name == $name
		and .command != "not traced") | .pages_in - .pages_out] | add // 0' \
		/tmp/who
}

nothing_untraced() {
	# There the records of this engine do not tell the device.
	case $ENGINE-$(uname -r) in
	perf-5.10.*) return ;;
	esac
	equal "$(jq -c '[.filled[] | select(.command == "not traced")]' /tmp/who)" \
		'[]' "not traced"
}

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

# By the ways in which the pages came in.
ways() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	file=$(find /mnt -type f | sed -n 500p)
	bufstat who -J -o +READ,WRITE,FAULT,METADATA -- sh -c "
		cat $file
		shared mapped=$(find /mnt -type f | sed -n 5000p) 1 & sleep 1; kill \$!
		find /mnt -name nothing
		dd if=/dev/zero of=/dev/vdb bs=4k count=10" >/tmp/who
	cat /tmp/who
	case $(uname -r) in
	5.10.*)
		# Its BPF cannot ask.
		equal "$(jq '[.filled[] | .read_bytes] | add' /tmp/who)" null "ways"
		return
		;;
	esac
	jq -e '[.filled[] | select(.name == "/mnt")] |
		(map(select(.command == "cat").read_bytes > 0) | any) and
		(map(select(.command == "shared").fault_bytes > 0) | any)' /tmp/who
	jq -e '[.filled[] | select(.name == "vda" and .command == "find")] |
		map(.metadata_bytes == .in_bytes and .in_bytes > 0) | all' /tmp/who
	jq -e '[.filled[] | select(.name == "vdb" and .command == "dd")] |
		map(.write_bytes == 40960) | any' /tmp/who
}


# Each of eight writers wrote the same.
attributes_writers() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	cat >/tmp/writers <<-END
		for i in 1 2 3 4 5 6 7 8; do
			dd if=/dev/zero of=/mnt/writer\$i bs=4k count=$1 &
		done 2>/dev/null
		wait
	END
	who sh /tmp/writers
	# ext4 keeps its maps of free blocks beside the files.
	jq -e --argjson wrote $(($1 * 4 / PAGE_KIB)) '[.filled[] |
		select(.name == "/mnt" and .command == "dd") | .pages_in] |
		length == 8 and (map(. >= $wrote and . < $wrote + 20) | all)' \
		/tmp/who
	nothing_untraced
}

cgroup() {
	[ -e /sys/fs/cgroup/cgroup.procs ] ||
		mount -t cgroup2 none /sys/fs/cgroup
	id=docker-$(printf '%064d' 0 | tr 0 a).scope
	mkdir -p "/sys/fs/cgroup/system.slice/$id" /sys/fs/cgroup/plain
	who sh -c "
		echo 0 >/sys/fs/cgroup/system.slice/$id/cgroup.procs
		dd if=/dev/vdb of=/dev/null bs=4k count=1
		echo 0 >/sys/fs/cgroup/plain/cgroup.procs
		dd if=/dev/vdc of=/dev/null bs=4k count=1"
	rmdir "/sys/fs/cgroup/system.slice/$id" /sys/fs/cgroup/plain
	equal "$(jq -r '.filled[] | select(.name == "vdb" and .command == "dd") |
		.cgroup' /tmp/who)" docker:aaaaaaaaaaaa "container"
	equal "$(jq -r '.filled[] | select(.name == "vdc" and .command == "dd") |
		.cgroup' /tmp/who)" /plain "cgroup"
}

CG=/sys/fs/cgroup

# Two cgroups read a file each; then one of them is squeezed. The kernel does not
# always count what is read again: none was seen on a busy host.
tells_victim() {
	[ -e $CG/cgroup.procs ] || mount -t cgroup2 none $CG
	echo +memory >$CG/cgroup.subtree_control
	mkdir $CG/victim $CG/other
	mount -t ext4 /dev/vda /mnt
	maps_read
	for file in victim other; do
		dd if=/dev/zero of=/mnt/$file bs=1M count=16 2>/dev/null
	done
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cat >/tmp/squeeze <<-END
		for who in victim other victim; do
			(echo 0 >$CG/\$who/cgroup.procs; exec cat /mnt/\$who) >/dev/null
		done
		echo 8M >$CG/victim/memory.max
		sleep 5
		echo max >$CG/victim/memory.max
		(echo 0 >$CG/victim/cgroup.procs; exec cat /mnt/victim) >/dev/null
		sleep 3
	END
	who sh /tmp/squeeze
	rmdir $CG/victim $CG/other
	jq -e --argjson most $((16 * MIB)) '.evicted | map(select(.cgroup ==
		"/victim")) | length == 1 and
		(.[0].pages | . > $most / 4 and . <= $most + 100) and
		(.[0].refaulted_pages | . >= 0 and . <= $most + 100)' \
		/tmp/who
	jq -e '.evicted | map(.cgroup == "/other") | any | not' /tmp/who
}

# The thread of a loop device works for who reads the device.
on_behalf() {
	case $(uname -r) in
	5.10.*) skip "the pages are charged to nobody in this kernel" ;;
	esac
	[ -e $CG/cgroup.procs ] || mount -t cgroup2 none $CG
	echo +memory >$CG/cgroup.subtree_control
	# The loop device finds the cgroup by its requests.
	echo +io >$CG/cgroup.subtree_control
	mkdir $CG/borrower
	modprobe loop
	mount -t ext4 /dev/vda /mnt
	maps_read
	dd if=/dev/zero of=/mnt/disk bs=1M count=8 2>/dev/null
	bufstat drop /mnt/disk
	loop=$(losetup -f)
	losetup "$loop" /mnt/disk
	cat >/tmp/reads <<-END
		echo 0 >$CG/borrower/cgroup.procs
		exec dd if=$loop of=/dev/null bs=64k
	END
	bufstat who -J -o +PAGES-IN,KERNEL,ON-BEHALF-OF -- sh /tmp/reads >/tmp/who
	cat /tmp/who
	losetup -d "$loop"
	rmdir $CG/borrower
	jq -e '.filled | map(select(.name == "/mnt" and .pages_in > 0)) |
		(map(.pages_in) | add) >= 2048 and
		(map(.kernel_bytes > 0 and .on_behalf_of == "/borrower") | all)' \
		/tmp/who
}

drops() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	dd if=/dev/zero of=/mnt/written bs=1M count=4 2>/dev/null
	sync
	bufstat who -J -o +DROPPED -- sh -c \
		'bufstat drop --bytes /mnt/written; rm /mnt/written' >/tmp/who
	cat /tmp/who
	case $(uname -r) in
	5.10.*) wanted=null ;;
	*) wanted=4194304 ;;
	esac
	equal "$(jq '[.filled[] | select(.name == "/mnt") | .dropped_bytes] |
		max' /tmp/who)" $wanted "dropped"
}

verifies() {
	modprobe xfs
	mount -t xfs /dev/vde /mnt
	bufstat who --verify --dir /mnt | tee /tmp/said
	grep -q '^bpf counted \([0-9,]*\) of \1 pages' /tmp/said
	bufstat who --verify --dir /mnt --engine perf | tee /tmp/said
	grep -q '^perf counted \([0-9,]*\) of \1 pages' /tmp/said
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
	bpf_objects >/tmp/before
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

# by_perf COMMAND...: with the other engine.
by_perf() {
	ENGINE=perf
	"$@"
}

perf_reads_device() {
	case $(uname -r) in
	5.10.*) skip "records do not tell the device in this kernel" ;;
	esac
	by_perf reads_device
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
	bufstat who --engine bpf -c 1 2>/tmp/said || status=$?
	umount /sys/kernel/btf
	cat /tmp/said
	equal $status 2 "exit status of who"
	grep -q 'CONFIG_DEBUG_INFO_BTF' /tmp/said
}

# Before Linux 5.11 what BPF uses counts as locked memory.
little_memlock() {
	ulimit -l 64
	who dd if=/dev/vdb of=/dev/null bs=64k count=16
	[ "$(pages_in dd vdb)" -ge "$MIB" ]
}

check "who attributes what dd read from a device to dd" reads_device
check "a reader that closes a device last brings and takes the same" \
	closes_device
check "who attributes to find what Buffers gained" finds
check "who tells a writer from who deletes" writes_and_deletes
check "who tells the ways in which pages came in" ways
check "who knows the cgroup and the container" cgroup
check "eight writers at a time: each brought in what it wrote" \
	attributes_writers 512
check_long "eight long writers at a time" attributes_writers 4000
check "who tells whose pages reclaim took" tells_victim
check "who tells for whom a thread of the kernel works" on_behalf
check "who tells what a program dropped by itself" drops
check "who --verify counts what it reads" verifies
check "who reports at intervals" reports
check "Ctrl-C ends with a report" interrupted
check "killed, who leaves nothing in the kernel" killed
check "perf: who attributes what dd read from a device to dd" \
	perf_reads_device
check "perf: who tells a writer from who deletes" by_perf writes_and_deletes
check_long "perf: eight long writers at a time" by_perf attributes_writers 4000
check "who without rights says what it needs" without_rights
check "who without BTF says what it needs" without_types
check "who raises the limit of locked memory if it has to" little_memlock
