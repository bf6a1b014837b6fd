# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat cgroups says what the kernel's files say, and what it says of a limit
# comes true. A tmpfs stands for what cannot be reclaimed; there is no swap.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cgroups.sh
. /guest/cgroups.sh
leaves cgroups zones

# Each processor charges up to 64 pages ahead.
AHEAD=$((PROCESSORS * 64 * PAGE))

# cached CGROUP: the cgroup reads the 6 MiB of a file.
cached() {
	inside "$1" dd if=/mnt/disk/file of=/dev/null bs=1M 2>/dev/null
}

# Removes all that a test made, so that the next begins anew.
remove() {
	umount /mnt/disk
	umount /mnt
	for directory in "$CG"/*/* "$CG"/*; do
		[ ! -d "$directory" ] || rmdir "$directory"
	done
	umount $CG
}

# A disk with a file of 6 MiB that is not cached, and a tmpfs.
set_up() {
	# What a test that failed has left.
	! grep -q " $CG " /proc/mounts || remove || true
	cgroups_2 $CG
	modprobe ext4
	mount -t tmpfs some /mnt
	mkdir /mnt/disk /mnt/tmpfs
	mkfs.ext4 -qF /dev/vdb
	mount -t ext4 /dev/vdb /mnt/disk
	dd if=/dev/zero of=/mnt/disk/file bs=1M count=6 2>/dev/null
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# read_files PATH: what the files of the cgroup say, as "KEY VALUE".
read_files() {
	awk '{ names["anon"] = "anon_bytes"; names["file"] = "file_bytes"
		names["kernel"] = "kernel_bytes"; names["shmem"] = "shmem_bytes"
		names["file_dirty"] = "dirty_bytes"
		names["file_writeback"] = "writeback_bytes"
		names["workingset_refault_file"] = "refaults_file"
		if ($1 in names) print names[$1], $2 }' "$CG$1/memory.stat"
	echo "current_bytes $(cat "$CG$1/memory.current")"
	echo "max_bytes $(sed s/max/null/ "$CG$1/memory.max")"
	echo "high_bytes $(sed s/max/null/ "$CG$1/memory.high")"
	awk '{ print $1 == "oom" ? "oom_events" :
		$1 == "oom_kill" ? "oom_kills" : $1 "_events", $2 }
		' "$CG$1/memory.events" | grep -vE 'group|sock'
	awk '$1 == "nr_dying_descendants" { print "dead", $2 }' \
		"$CG$1/cgroup.stat"
}

# same_figures PATH...: prints what differs.
same_figures() {
	for path; do
		read_files "$path" | sed "s|^|$path |"
	done >/tmp/files
	at_least 'lines' "$(wc -l </tmp/files)" $(($# * 14))
	grep -vxFf /tmp/figures /tmp/files || true
}

# Everything is still, but the kernel adds up with a delay of up to 2 s.
figures() {
	set_up
	mkdir $CG/a $CG/b
	echo +memory >$CG/a/cgroup.subtree_control
	mkdir $CG/a/one $CG/a/two
	echo $((100 * MIB)) >$CG/a/memory.max
	echo $((90 * MIB)) >$CG/a/one/memory.high
	cached /a/one
	fill /a/two file 5
	inside /a/two dd if=/dev/zero of=/mnt/disk/new bs=1M count=3 2>/dev/null
	for _ in 1 2 3 4 5 6; do
		sleep 1
		measure_cgroups
		same_figures /a /a/one /a/two /b >/tmp/wrong
		[ -s /tmp/wrong ] || break
	done
	cat /tmp/wrong
	[ ! -s /tmp/wrong ]
	cp /tmp/cgroups.json /out
	bufstat zones -J -O >/out/zones.json
	at_least 'read' "$(figure /a/one file_bytes)" $((6 * MIB - LAG))
	at_most 'read' "$(figure /a/one file_bytes)" $((6 * MIB + MIB / 2))
	as_large tmpfs "$(figure /a/two shmem_bytes)" $((5 * MIB))
	at_least 'written' "$(figure /a/two dirty_bytes)" $((3 * MIB - LAG))
	at_most 'written' "$(figure /a/two dirty_bytes)" $((4 * MIB))
	# The parts and the rest make up the whole.
	for key in file_bytes shmem_bytes dirty_bytes; do
		as_large $key "$(figure /a $key)" \
			$(($(figure /a/one $key) + $(figure /a/two $key)))
	done
	equal "$(figure /a own_bytes)" \
		$(($(figure /a current_bytes) - $(figure /a/one current_bytes) - $(figure /a/two current_bytes))) own
	at_most own "$(figure /a own_bytes)" $AHEAD
	# What a removed cgroup held is nobody's but its parent's.
	rmdir $CG/a/two
	measure_cgroups
	at_least 'of a dead one' "$(figure /a own_bytes)" $((8 * MIB))
	remove
}

# memory.reclaim is of Linux 5.19.
reclaimable() {
	set_up
	mkdir $CG/a
	[ -e $CG/a/memory.reclaim ] || {
		remove
		skip "no memory.reclaim here"
	}
	cached /a
	inside /a dd if=/dev/zero of=/mnt/disk/new bs=1M count=3 2>/dev/null
	fill /a file 4
	sleep 2.5
	measure_cgroups
	before=$(figure /a reclaimable_bytes)
	at_least 'can be reclaimed' "$before" $((6 * MIB))
	at_most 'can be reclaimed' "$before" $((6 * MIB + MIB / 2))
	current=$(figure /a current_bytes)
	echo "$before swappiness=0" >$CG/a/memory.reclaim 2>/dev/null ||
		echo "$before" >$CG/a/memory.reclaim || true
	measure_cgroups
	# Dirty pages may have been written meanwhile, and be clean now.
	at_least 'reclaimed' $((current - $(figure /a current_bytes))) \
		$((before * 19 / 20))
	remove
}

# Of memory.max: how many were killed.
killed() {
	figure "$1" oom_kills
}

# Of memory.high: 1 if reclaim did not keep it below. (The events count each time
# that it had to.)
exceeded() {
	echo $(($(figure "$1" current_bytes) > $(figure "$1" high_bytes) + AHEAD))
}

# comes_true LIMIT CGROUP WHERE BITES: the line names memory.LIMIT of CGROUP,
# which has clean cache too. A process in WHERE may take almost what is left, and
# BITES is 0; a little more, and it is not.
comes_true() {
	file=$1 named=$2 where=$3 bites=$4
	echo $((24 * MIB)) >"$CG$named/memory.$file"
	fill "$where" first 12
	cached "$where"
	measure_cgroups
	grep ^next /tmp/figures
	equal "$(next cgroup) $(next limit)" "$named memory.$file" next
	bufstat cgroups | head -n 1
	bufstat cgroups | head -n 1 | grep -q "^Next limit: $named: [0-9]* % of memory.$file 24M, "
	equal "$(figure "$where" limited_by)" "$named" 'limited by'
	left=$(next left_bytes)
	# Of pages of 64 KiB, what is charged ahead is more than 1 MiB.
	at_least left "$left" $((11 * MIB - (AHEAD > MIB ? AHEAD : MIB)))
	at_most left "$left" $((12 * MIB))
	equal "$($bites "$named")" 0 'at first'
	fill "$where" second $((left / MIB - 1))
	measure_cgroups
	equal "$($bites "$named")" 0 'with 1 MiB left'
	fill "$where" third $((3 + AHEAD / MIB)) || true
	measure_cgroups
	at_least "$bites" "$($bites "$named")" 1
	grep ^next /tmp/figures
	equal "$(next cgroup)" "$named" 'next is still'
}

max() {
	set_up
	mkdir $CG/tight $CG/large
	echo $((500 * MIB)) >$CG/large/memory.max
	comes_true max /tight /tight killed
	at_least 'max events' "$(figure /tight max_events)" 1
	remove
}

high() {
	set_up
	mkdir $CG/slow
	echo $((500 * MIB)) >$CG/slow/memory.max
	comes_true high /slow /slow exceeded
	at_least 'high events' "$(figure /slow high_events)" 1
	equal "$(figure /slow oom_kills)" 0 killed
	remove
}

# The inner limit is lower than what is left of it above.
above() {
	set_up
	mkdir $CG/outer
	echo +memory >$CG/outer/cgroup.subtree_control
	mkdir $CG/outer/inner
	echo $((100 * MIB)) >$CG/outer/inner/memory.max
	comes_true max /outer /outer/inner killed
	equal "$(figure /outer/inner oom_events)" 0 'not its own limit'
	remove
}

# For a machine with two nodes, such as that of QEMU_OPTIONS="
#	-object memory-backend-ram,id=a,size=512M -numa node,cpus=0,memdev=a
#	-object memory-backend-ram,id=b,size=512M -numa node,cpus=1,memdev=b"
# and SMP=2,sockets=2
bound() {
	[ -d /sys/devices/system/node/node1 ] || skip "one NUMA node here"
	set_up
	echo +cpuset >$CG/cgroup.subtree_control
	mkdir $CG/bound
	echo 1 >$CG/bound/cpuset.mems
	fill /bound first 200
	sleep 3
	measure_cgroups
	grep ^next /tmp/figures
	bufstat zones
	equal "$(next cgroup) $(next limit)" "/bound cpuset.mems" next
	equal "$(figure /bound limited_by)" 'node 1' 'limited by'
	bufstat cgroups | grep "^Next limit: NUMA node 1, to which /bound is bound: "
	left=$(next left_bytes)
	fill /bound second $((left / MIB - 20))
	measure_cgroups
	equal "$(figure /bound oom_kills)" 0 'killed with 20 MiB left'
	fill /bound third 80 || true
	measure_cgroups
	at_least killed "$(figure /bound oom_kills)" 1
	remove
}

# With thorough=1: as many as a large host has.
many() {
	[ "${thorough-}" ] || skip "takes half a minute: thorough=1"
	set_up
	for i in $(seq 50); do
		above=$CG/$i
		mkdir "$above"
		echo +memory >"$above/cgroup.subtree_control"
		(cd "$above" && seq 99 | xargs mkdir)
		inside "/$i/7" cat /bin/busybox >/dev/null
	done
	for _ in 1 2 3; do
		start=$(cut -d ' ' -f 1 /proc/uptime)
		bufstat cgroups --list >/tmp/list
		awk -v a="$start" -v b="$(cut -d ' ' -f 1 /proc/uptime)" \
			'BEGIN { print "5,000 cgroups:", b - a, "s" }' |
			tee -a /out/cgroups
	done
	equal "$(wc -l </tmp/list)" 5003 'lines'
	for i in $(seq 50); do
		rmdir "$CG/$i"/*/ "$CG/$i"
	done
	remove
}

check "cgroups: the figures are the kernel's, and add up" figures
check "cgroups: what can be reclaimed can be reclaimed" reclaimable
check "cgroups: memory.max is reached when the line says so" max
check "cgroups: memory.high is reached when the line says so" high
check "cgroups: a limit above is reached first" above
check "cgroups: a NUMA node is full when the line says so" bound
check "cgroups: 5,000 of them" many
