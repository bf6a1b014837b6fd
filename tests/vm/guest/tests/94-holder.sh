# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat explain names who has memory in its first sentence, for thirty ways to take
# it, and what it advises first is done and frees what was said. Without thorough=1 on
# the kernel's command line it is nine of these.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../memory.sh
. /guest/memory.sh

# What is worth a word: an eighth of memory.
MIB=$(awk '$1 == "MemTotal:" { print int($2 / 8192) + 1 }' /proc/meminfo)
# What other commands take meanwhile, and what processors count on their own.
LITTLE=$((8 * 1024 * 1024))
: >/out/holders

# explains: keeps what explain says, and its first paragraph in one line.
explains() {
	cat /proc/sys/vm/stat_refresh
	bufstat explain >/tmp/text || fail "status $?"
	bufstat explain -J >/tmp/json || fail "status $?"
	first=$(sed '/^$/,$d' /tmp/text | tr '\n' ' ')
	echo "$first" >>/out/holders
}

# asked HOW STATUS COMMAND...: it is as bad, by the first words or by these.
asked() {
	how=$1 expected=$2
	shift 2
	status=0
	"$@" >/tmp/theirs 2>/tmp/said || status=$?
	equal "$status" "$expected" "exit status $how"
	theirs=$(sed '/^$/,$d' /tmp/theirs | tr '\n' ' ')
	echo "$how: $theirs" >>/out/holders
	case $first in
	*"Nothing is wrong: "*) case $theirs in *"Nothing is wrong: "*) return ;; esac ;;
	*) case $theirs in
		*"Nothing is wrong: "*) ;;
		"${first%% [0-9]*} "* | memory_load\ \(* | "The tmpfs at /mnt has "* | \
			"BPF maps and programs have "* | "zram0 has "* | \
			*", and only root can see whose. "* | \
			*", and a process outside this container may have it. "*)
			return
			;;
		esac ;;
	esac
	fail "as root: $first; $how: $theirs"
}

# without_figures TEXT: of two moments.
without_figures() {
	echo "$1" | sed 's/[0-9][0-9.]*[BKMG%]*//g'
}

# explains_to_all: the same, to a user who is not root, in a container, and without the
# module. Whom he does not see he does not name, and says so.
explains_to_all() {
	explains
	# Devices are for root.
	asked "as nobody" 2 su -s /bin/sh nobody -c "bufstat explain"
	asked "in a container" 0 unshare --pid --fork --mount-proc bufstat explain
	case $theirs in *memory_load*) fail "in a container: $theirs" ;; esac
	lacking BTF || {
		rmmod bufstat
		asked "with kcore" 0 bufstat explain
		insmod "$MODULE"
		equal "$(without_figures "$theirs")" "$(without_figures "$first")" "with kcore"
	}
}

# says WORDS: whether the first sentences have them.
says() {
	case $first in *"$1"*) ;; *) fail "not said: $1: $first" ;; esac
}

# in_use: what is not free, in bytes.
in_use() {
	cat /proc/sys/vm/stat_refresh
	bufstat memory -J | jq '.total_bytes - ([.heads[] | select(.head == "free" or
		.head == "free_per_cpu") | .bytes] | add)'
}

# follow COMMAND: the first advice is this one, and frees what it says.
follow() {
	command=$(jq -r '.advice[0].command' /tmp/json)
	equal "$command" "$1" "the first advice"
	at_least=$(jq '.advice[0].at_least_bytes' /tmp/json)
	at_most=$(jq '.advice[0].at_most_bytes' /tmp/json)
	before=$(in_use)
	sh -c "$command" >/dev/null
	wait_for_less "$before"
	echo "$command: $freed of $at_least to $at_most" >>/out/holders
	[ $((freed + LITTLE)) -ge "$at_least" ] ||
		fail "$command: freed $freed, at least $at_least was said"
	# What a process had besides goes with it.
	[ $((freed - 2 * LITTLE)) -le "$at_most" ] ||
		fail "$command: freed $freed, at most $at_most was said"
	# It is worth doing.
	[ "$freed" -ge $((MIB * 1024 * 1024 / 2)) ] || fail "$command: only $freed"
}

# wait_for_less BYTES: a process that is killed takes its time.
wait_for_less() {
	for _ in $(seq 60); do
		freed=$(($1 - $(in_use)))
		[ $freed -lt $((MIB * 1024 * 1024 * 9 / 10)) ] || return 0
		sleep 0.5
	done
}

write() { # PATH
	dd if=/dev/zero of="$1" bs=1M count="$MIB" 2>/dev/null
}

# hold_deleted PATH: a process, $holder, has the file open, which is then deleted.
hold_deleted() {
	exec 9<"$1"
	sleep 1000 <&9 &
	holder=$!
	exec 9<&-
	rm "$1"
}

healthy() {
	explains
	case $first in "Nothing is wrong: "*" are available"*) ;; *) fail "$first" ;; esac
	brief=$(bufstat 2>/dev/null | tail -n 1)
	# In 0.2 s a slow machine may not get to whose the tmpfs is.
	case $brief in "attributed "* | *"bufstat explain looks further.") ;;
	*) fail "plain bufstat: $brief" ;; esac
	equal "$(jq -c '[.verdict.state, .verdict.holder]' /tmp/json)" \
		'["fine",null]' "state and holder"
}

memfd() {
	start_load memfd "$MIB"
	explains_to_all
	says "memory_load ($load) holds "
	says " in the memfd load."
	brief=$(bufstat 2>/dev/null | tail -n 2 | tr '\n' ' ')
	case $brief in *"memory_load ($load) holds "*" in the memfd load. "*) ;;
	*) fail "plain bufstat: $brief" ;; esac
	bufstat top --batch -c 1 2>/dev/null | sed -n 2p >/tmp/line
	grep -q "^memory_load ($load) holds .* in the memfd load\." /tmp/line ||
		fail "top: $(cat /tmp/line)"
	follow "kill $load"
}

tmpfs_file() {
	mount -t tmpfs -o size=80% some /mnt
	write "/mnt/a file"
	explains_to_all
	case $first in "/mnt/a file has "*" on tmpfs, and no process has it open."*) ;;
	*) fail "$first" ;; esac
	# Where not all processes are seen, nothing is said of them.
	unshare --pid --fork --mount-proc bufstat explain >/tmp/text
	grep -q '^/mnt/a file has ' /tmp/text || fail "in a PID namespace: $(cat /tmp/text)"
	! grep -q 'no process\|- rm ' /tmp/text || fail "in a PID namespace: $(cat /tmp/text)"
	follow "rm '/mnt/a file'"
	umount /mnt
}

tmpfs_deleted() {
	mount -t tmpfs -o size=80% some /mnt
	write /mnt/app.log
	hold_deleted /mnt/app.log
	explains_to_all
	says "sleep ($holder) holds "
	says " in /mnt/app.log, a deleted file on tmpfs."
	follow "kill $holder"
	wait $holder || true
	umount /mnt
}

# The kernel takes the file's clean pages, but dropping the filesystem does not find it.
disk_deleted() {
	modprobe ext4 2>/dev/null || true
	mount -t ext4 /dev/vda /mnt
	rm -rf /mnt/file /mnt/many
	dd if=/dev/zero of=/mnt/app.log bs=1M count="$MIB" 2>/dev/null ||
		skip "the disk has no room for $MIB MiB"
	sync
	hold_deleted /mnt/app.log
	explains_to_all
	case $first in *"app.log, a deleted file on ext4 at /mnt, has "*" of the file cache"*) ;;
	*) fail "$first" ;; esac
	says "and sleep ($holder) has it open or mapped."
	unshare --pid --fork --mount-proc bufstat files 2>&1 >/dev/null |
		grep -q 'processes outside this PID namespace: not all files that they have open'
	says "Nothing is wrong: "
	equal "$(jq '[.advice[] | select(.key == "drop_mount")] | length' /tmp/json)" 0 \
		"advice to drop what is not found"
	follow "kill $holder"
	wait $holder || true
	umount /mnt
}

page_tables() {
	start_load tables "$MIB"
	explains_to_all
	says "memory_load ($load) has "
	says " of page tables."
	follow "kill $load"
}

inodes() {
	mount -t tmpfs -o size=80%,nr_inodes=2000000 some /mnt
	mkdir /mnt/many
	start_load inodes "$MIB" /mnt/many
	kill "$load"
	explains_to_all
	says "Inodes of files on tmpfs have "
	says " of slab, and most are below /mnt, which has $((pages + 2)):"
	before=$(in_use)
	rm -r /mnt/many
	wait_for_less "$before"
	echo "rm: $freed" >>/out/holders
	[ "$freed" -ge $((MIB * 1024 * 1024 / 2)) ] || fail "only $freed"
	umount /mnt
}

# fill_pool: a pool of huge pages, $count of them.
fill_pool() {
	[ "$HUGE_KIB" ] || skip "no huge pages"
	echo 1 >/proc/sys/vm/compact_memory
	huge_pages_of "$MIB" >/proc/sys/vm/nr_hugepages
	count=$(cat /proc/sys/vm/nr_hugepages)
	[ $((count * HUGE_KIB / 1024)) -gt $((MIB * 9 / 10)) ] || skip "only $count huge pages"
}

huge_pages() {
	fill_pool
	explains_to_all
	says "$count huge pages of "
	says " are not used: "
	says " that no program can have."
	says " more can be given back (idle huge pages)"
	jq -e '.advice[] | select(.key == "shrink_pool")' /tmp/json >/dev/null
	follow "$(jq -r '.advice[] | select(.key == "shrink_pool").command' /tmp/json)"
}

bpf_map() {
	start_load bpf "$MIB"
	explains_to_all
	says "memory_load ($load) holds "
	says " in the BPF map events."
	follow "kill $load"
}

# No process has it. Nothing is advised, because a program may use it.
bpf_pinned() {
	[ "$(stat -f -c %t /sys/fs/bpf)" = cafe4a11 ] || mount -t bpf bpf /sys/fs/bpf
	start_load pinned "$MIB" /sys/fs/bpf/events
	explains_to_all
	says "The BPF map that is pinned at /sys/fs/bpf/events has "
	equal "$(jq -r '[.advice[].command] | map(select(test("bpf"))) | length' /tmp/json)" \
		0 "what is advised for it"
	before=$(in_use)
	unlink /sys/fs/bpf/events
	wait_for_less "$before"
	[ "$freed" -ge $((MIB * 1024 * 1024 * 9 / 10)) ] || fail "it had only $freed"
}

# Neither has it a process or a name; the program is attached to a socket.
bpf_program() {
	start_load program "$MIB"
	explains_to_all
	says "The BPF map events of the program count ("
	equal "$(jq -r '[.advice[].command] | map(select(test("bpf"))) | length' /tmp/json)" \
		0 "what is advised for it"
	before=$(in_use)
	kill $load
	wait_for_less "$before"
	[ "$freed" -ge $((MIB * 1024 * 1024 * 9 / 10)) ] || fail "it had only $freed"
}

# Nobody counts what datagrams take, but for UDP itself.
sockets() {
	ip link set lo up
	echo "1000000 1000000 1000000" >/proc/sys/net/ipv4/udp_mem
	start_load sockets "$MIB"
	explains_to_all
	says "memory_load ($load) has "
	says " in the queues of its UDP sockets."
	bufstat memory | grep -q "^  buffers of TCP and UDP sockets, at most  *[0-9]" ||
		fail "not in memory: $(bufstat memory | tail -n 5)"
	follow "kill $load"
}

# in_queues LOAD WORDS: nobody counts what a pipe or a Unix socket has.
in_queues() {
	start_load "$1" "$MIB"
	explains_to_all
	says "memory_load ($load) has "
	says " unread in $2."
	follow "kill $load"
}

pipes() {
	in_queues pipes pipes
}

unix_sockets() {
	in_queues unix "Unix sockets"
}

bpf_per_cpu() {
	start_load percpu "$MIB"
	explains_to_all
	says "memory_load ($load) holds "
	says " in the BPF map events."
	equal "$(jq -r .verdict.about /tmp/json)" per_cpu "about"
	follow "kill $load"
}

# mapped LOAD WORDS: no count of the host has what the kernel gives a process to map.
mapped() {
	start_load "$1" "$MIB"
	explains_to_all
	says "memory_load ($load) has "
	says " of $2."
	follow "kill $load"
}

perf_buffers() {
	mapped perf "perf buffers"
}

io_uring() {
	mapped uring "io_uring rings"
}

packet_rings() {
	modprobe af_packet 2>/dev/null || true
	mapped packet "packet rings"
}

graphics() {
	modprobe vgem 2>/dev/null || skip "no vgem"
	start_load vgem "$MIB" "$(ls /dev/dri/card*)"
	explains_to_all
	says "memory_load ($load) has "
	says " of graphics objects."
	follow "kill $load"
	wait "$load" || true
	unload vgem
}

# What the drivers keep of objects that are freed. Linux 7.3 counts it.
graphics_pool() {
	modprobe ttm_pages pages=$((MIB * 256)) 2>/dev/null || skip "no test module for TTM"
	explains_to_all
	says "The pool of the graphics drivers has "
	says ", free for their next objects. "
	follow "sysctl vm.drop_caches=2"
	rmmod ttm_pages
}

# Of each huge page the program may have touched one byte. Memory is short.
sparse() {
	[ "$HUGE_KIB" ] || skip "no huge pages"
	[ -e /sys/kernel/mm/transparent_hugepage/enabled ] || skip "no transparent huge pages"
	start_load huge $(($(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo) - 50))
	explains_to_all
	says "memory_load ($load) has "
	says " of programs (anonymous), most of it in transparent huge pages. "
	equal "$(jq -r .verdict.state /tmp/json)" near_limit state
	follow "kill $load"
}

# two_holders KIND WORDS: the larger is in namespaces of its own, whose first process gets
# no SIGTERM.
two_holders() {
	start_load "$1" "$((MIB / 2))"
	smaller=$load
	within="unshare --pid --fork --mount"
	start_load "$1" "$MIB"
	within=
	outside=$load
	load=$(tr -d ' ' <"/proc/$outside/task/$outside/children")
	if [ "$1" = memfd ]; then explains_to_all; else explains; fi
	says "memory_load ($load) "
	says "$2"
	follow "kill -KILL $load"
	wait "$outside" || true
	kill "$smaller"
	wait "$smaller" || true
}

two_of_each() {
	two_holders memfd "in the memfd load."
	[ "${thorough-}" ] || return 0
	two_holders tables "of page tables."
	two_holders bpf "in the BPF map events."
	two_holders percpu "in the BPF map events."
	two_holders sockets "in the queues of its UDP sockets."
	two_holders pipes "unread in pipes."
	two_holders unix "unread in Unix sockets."
	two_holders perf "of perf buffers."
	two_holders uring "of io_uring rings."
	two_holders packet "of packet rings."
}

# The file is there without a process. The pool keeps what the file gives back.
hugetlbfs() {
	fill_pool
	mount -t hugetlbfs some /mnt
	fallocate -l "$((count * HUGE_KIB * 1024))" /mnt/image
	explains_to_all
	says "/mnt/image has "
	says " of huge page pools."
	rm /mnt/image
	explains_to_all
	says " are not used: "
	follow "$(jq -r '.advice[] | select(.key == "shrink_pool").command' /tmp/json)"
	umount /mnt
}

# A program looks for many files that do not exist.
names() {
	modprobe ext4 2>/dev/null || true
	mount -t ext4 /dev/vda /mnt
	start_load names "$MIB" /mnt
	kill "$load"
	wait "$load" || true
	explains_to_all
	says "Names that do not exist have about "
	says "Nothing is wrong: "
	equal "$(jq -r .verdict.holder.kind /tmp/json)" negative_dentries "kind"
	follow "sysctl vm.drop_caches=2"
	umount /mnt
}

# xfs_bytes: of all filesystems, if all of it was counted.
xfs_bytes() {
	bufstat memory --owners=unaccounted -J | jq -e '.unaccounted_owners[] |
		select(.kind == "xfs_buffers" and .counted and .unread == 0 and
			.why_not == null) | [.largest[].bytes] | add // 0'
}

fill_xfs() {
	start_load attributes "$MIB" /mnt/file
	kill "$load"
	wait "$load" || true
	sync
}

# Large values of attributes are metadata, and no slab cache has them.
xfs_metadata() {
	modprobe xfs 2>/dev/null || skip "no XFS here"
	mount -t xfs /dev/vde /mnt
	bufstat memory --owners=unaccounted -J | jq -e '.unaccounted_owners[] |
		select(.kind == "xfs_buffers").counted' >/dev/null || {
		umount /mnt
		skip "nothing tells where XFS of this kernel has buffers"
	}
	: >/mnt/file
	fill_xfs
	explains_to_all
	says "XFS on /mnt has "
	says " of metadata: the kernel takes it when programs need memory. "
	# So it does, for a program that needs more than is said to be available.
	had=$(jq .verdict.holder.bytes /tmp/json)
	available=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
	: >/tmp/load
	memory_load anon $((available / 1024 + (had >> 21))) >/tmp/load &
	load=$!
	until grep -q ready /tmp/load; do
		kill -0 $load || fail "the program got no memory"
		sleep 0.1
	done
	kill $load
	wait $load || true
	left=$(xfs_bytes)
	echo "xfs: $had, and $left beside programs" >>/out/holders
	[ "$left" -lt $((had * 9 / 10)) ] || fail "$left of $had bytes stayed"
	fill_xfs
	explains
	follow "sysctl vm.drop_caches=2"
	rm /mnt/file
	umount /mnt
}

zram() {
	modprobe zram 2>/dev/null || skip "no zram"
	[ -e /sys/block/zram0 ] || skip "no zram device"
	echo $((MIB * 2))M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null
	swapon /dev/zram0
	start_load dense "$MIB"
	explains_to_all
	says "zram keeps "
	says " of memory, which saves little; memory_load ($load) has "
	says " swapped out."
	follow "kill $load"
	swapoff /dev/zram0
	echo 1 >/sys/block/zram0/reset
}

# More than it has room for is given to a swap file. Whoever has it is ended.
swap_full() {
	mount -t ext4 /dev/vda /mnt
	dd if=/dev/zero of=/mnt/swap bs=1M count=24 2>/dev/null
	chmod 600 /mnt/swap
	mkswap /mnt/swap >/dev/null
	swapon /mnt/swap
	start_load dense 60
	explains_to_all
	says "Swap is full: "
	says " are used, and memory_load ($load) has "
	equal "$(jq -c '.verdict | [.about, .holder.kind, .holder.pid]' /tmp/json)" \
		"[\"swap\",\"process\",$load]" "about and holder"
	had=$(jq .verdict.holder.bytes /tmp/json)
	kill "$load"
	wait "$load" || true
	in_swap=$(awk '$1 == "SwapTotal:" { all = $2 } $1 == "SwapFree:" { unused = $2 }
		END { print (all - unused) * 1024 }' /proc/meminfo)
	echo "swap: $had of $(jq .verdict.about_bytes /tmp/json), $in_swap left" >>/out/holders
	[ $((in_swap + had)) -le $(($(jq .verdict.about_bytes /tmp/json) + LITTLE / 8)) ] ||
		fail "$had were said, $in_swap are left"
	swapoff /mnt/swap
	rm /mnt/swap
	umount /mnt
}

full_cgroup() {
	cgroups_2 /tmp/cg
	mount -t ext4 /dev/vda /mnt
	mkdir /tmp/cg/web
	echo 24M >/tmp/cg/web/memory.high
	dd if=/dev/zero of=/mnt/file bs=1M count=60 2>/dev/null
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sh -c 'echo 0 >/tmp/cg/web/cgroup.procs; cat /mnt/file >/dev/null'
	explains_to_all
	says "/web has "
	says " of its memory.high of 24M, and "
	says " of that is reclaimed when it is needed. Nothing is wrong: "
	if [ -e /tmp/cg/web/memory.reclaim ]; then
		equal "$(jq -r '.advice[0].command' /tmp/json)" \
			"bufstat drop --cgroup /web" "the first advice"
		bufstat drop --cgroup /web >/dev/null
		[ "$(cat /tmp/cg/web/memory.current)" -lt $((8 << 20)) ] ||
			fail "$(cat /tmp/cg/web/memory.current) is left"
	fi
	rm /mnt/file
	umount /mnt
	rmdir /tmp/cg/web
	umount /tmp/cg
}

# near CGROUP NAMES COMMAND: its process is called so, and this ends it.
near() {
	mkdir -p "/tmp/cg$1"
	for above in /tmp/cg/*.slice; do
		[ ! -d "$above" ] || echo +memory >"$above/cgroup.subtree_control"
	done
	[ ! -d /tmp/cg/system.slice/box.scope ] ||
		echo +memory >/tmp/cg/system.slice/box.scope/cgroup.subtree_control
	echo 64M >"/tmp/cg$1/memory.max"
	: >/tmp/load
	sh -c "echo 0 >'/tmp/cg$1/cgroup.procs'; exec memory_load anon 60" >/tmp/load &
	load=$!
	until grep -q ready /tmp/load; do
		sleep 0.1
	done
	explains_to_all
	says "$1 has "
	says " of its memory.max of 64M, and "
	says " of that is programs (anonymous); memory_load ($load$2) has "
	equal "$(jq -r .verdict.state /tmp/json)" near_limit state
	[ "$3" ] || set -- "$1" "$2" "kill $load"
	equal "$(jq -r '.advice[0].command' /tmp/json)" "$3" "the first advice"
	kill "$load"
	wait "$load" || true
	rmdir "/tmp/cg$1"
}

# Only a service of the system is one that systemctl(1) of the system knows.
near_cgroup() {
	cgroups_2 /tmp/cg
	near /app "" ""
	near /system.slice/app.service ", app.service" "systemctl restart app.service"
	near /system.slice/box.scope/app.service "" ""
	rmdir /tmp/cg/system.slice/box.scope /tmp/cg/system.slice
	umount /tmp/cg
}

# Asked in a container that is near its limit: it sees its own processes, with numbers
# of their own, and no cgroup but its own.
in_container() {
	cgroups_2 /tmp/cg
	mkdir /tmp/cg/box
	echo 192M >/tmp/cg/box/memory.max
	cat >/tmp/box <<-"EOF"
		mount --bind /tmp/cg/box /sys/fs/cgroup
		umount /tmp/cg
		memory_load anon 176 >/tmp/load &
		load=$!
		until grep -q ready /tmp/load; do
			sleep 0.1
		done
		bufstat explain >/tmp/text
		bufstat explain -J >/tmp/json
		bufstat | tail -n 2 >/tmp/brief
		echo "$load" >/tmp/number
		kill "$load"
	EOF
	sh -c 'echo 0 >/tmp/cg/box/cgroup.procs
		exec unshare --pid --fork --mount-proc sh /tmp/box'
	load=$(cat /tmp/number)
	first=$(sed '/^$/,$d' /tmp/text | tr '\n' ' ')
	echo "in a container: $first; plain: $(cat /tmp/brief)" >>/out/holders
	says " of its memory.max of 192M, and "
	says " of that is programs (anonymous); memory_load ($load) has "
	equal "$(jq -c '[.verdict.state, .advice[0].command]' /tmp/json)" \
		"[\"near_limit\",\"kill $load\"]" "state and advice"
	grep -q "memory_load ($load) has" /tmp/brief || fail "plain bufstat: $(cat /tmp/brief)"
	rmdir /tmp/cg/box
	umount /tmp/cg
}

# in_box LIMIT KIND NUMBER [FILE]: asks in a container with that memory.max, beside such a
# load in there, then does what is advised first. Sets left to what is then charged.
in_box() {
	cgroups_2 /tmp/cg
	mkdir /tmp/cg/box
	echo "$1" >/tmp/cg/box/memory.max
	shift
	cat >/tmp/box <<-"EOF"
		mount --bind /tmp/cg/box /sys/fs/cgroup
		umount /tmp/cg
		. /guest/test.sh
		. /guest/memory.sh
		start_load "$@"
		bufstat explain >/tmp/text
		bufstat explain -J >/tmp/json
		bufstat | tail -n 2 >/tmp/brief
		command=$(jq -r '.advice[0].command' /tmp/json)
		echo "kill $load" >/tmp/expected
		[ "$command" != "kill $load" ] || sh -c "$command"
		wait "$load"
		sleep 1
		cat /sys/fs/cgroup/memory.current >/tmp/left
	EOF
	rm -f /tmp/left
	sh -c 'echo 0 >/tmp/cg/box/cgroup.procs
		exec unshare --pid --fork --mount-proc sh /tmp/box "$@"' sh "$@"
	left=$(cat /tmp/left)
	rmdir /tmp/cg/box
	umount /tmp/cg
	first=$(sed '/^$/,$d' /tmp/text | tr '\n' ' ')
	echo "in a box, $*: $first; plain: $(cat /tmp/brief)" >>/out/holders
	equal "$(jq -r '.advice[0].command' /tmp/json)" "$(cat /tmp/expected)" \
		"the first advice for $*"
	[ "$left" -lt $((8 << 20)) ] || fail "$*: $left are left"
}

# boxed KIND HEAD WORDS [FILE]: near the limit, and far from it.
boxed() {
	in_box 192M "$1" 176 ${4+"$4"}
	says " of its memory.max of 192M, and "
	says " of that is $2; memory_load ("
	says "$3"
	# Within 0.2 s, or not on a slow machine.
	grep -q "memory_load (.*$3\|bufstat explain looks further\.$" /tmp/brief ||
		fail "plain bufstat: $(cat /tmp/brief)"
	in_box 256M "$1" "$MIB" ${4+"$4"}
	case $first in "memory_load ("*"$3"*) ;; *) fail "far from the limit: $first" ;; esac
}

# Not charged to any cgroup, so no limit is near.
beside_limit() {
	in_box 192M "$1" 176
	case $first in "memory_load ("*"$2"*) ;; *) fail "$first" ;; esac
}

in_boxes() {
	boxed memfd "shared memory, tmpfs" "in the memfd load."
	boxed pipes unaccounted "unread in pipes."
	[ "${thorough-}" ] || return 0
	boxed tables "page tables" "has "
	boxed bpf vmalloc "in the BPF map events."
	ip link set lo up
	echo "1000000 1000000 1000000" >/proc/sys/net/ipv4/udp_mem
	boxed sockets unaccounted "in the queues of its UDP sockets."
	boxed unix unaccounted "unread in Unix sockets."
	boxed uring unaccounted "of io_uring rings."
	beside_limit perf "of perf buffers."
	modprobe af_packet 2>/dev/null || true
	beside_limit packet "of packet rings."
	beside_limit percpu "in the BPF map events."
	modprobe vgem 2>/dev/null || return 0
	boxed vgem "shared memory, tmpfs" "of graphics objects." "$(ls /dev/dri/card*)"
	unload vgem
}

# wait_readings NUMBER: until the recorder in the usual place has so many.
wait_readings() {
	for _ in $(seq 300); do
		readings=$(bufstat history -J 2>/dev/null | jq .readings)
		[ "${readings:-0}" -lt "$1" ] || return 0
		sleep 0.2
	done
	fail "only ${readings:-no} readings: $(cat /tmp/record.err)"
}

# It is recorded, so explain says when it was.
backup() {
	size=$(($(cat /sys/block/vdb/size) / 2048))
	[ "$size" -ge "$MIB" ] || skip "vdb has $size MiB"
	hold_open /dev/vdb
	mkdir -p /var/lib
	bufstat record --interval 1 --room 4M 2>/tmp/record.err &
	recorder=$!
	wait_readings 2
	dd if=/dev/vdb of=/dev/null bs=1M count="$MIB" 2>/dev/null
	# How many there are by now, and two more.
	wait_readings 1
	wait_readings $((readings + 2))
	kill $recorder
	wait $recorder || true
	explains_to_all
	rm -r /var/lib/bufstat
	says "vdb grew by "
	says " (bufstat history). Nothing is wrong: "
	# Other readings, and readahead.
	equal "$(jq '.verdict | (.recorded.rise_bytes - .holder.bytes) / 1048576 |
		. > -2 and . < 2' /tmp/json)" true "what was recorded"
	says "Buffers are "
	says ", and vdb has "
	says " of that, which hold ($holder) has open: the kernel takes clean pages"
	unshare --pid --fork --mount-proc bufstat explain buffers | tr -s ' \n' ' ' |
		grep -q "may be missing: processes outside this PID namespace are not seen"
	says "Nothing is wrong: "
	follow "bufstat drop vdb"
	release
}

# What is not free is clean cache, which is nothing to say a word about.
full_of_cache() {
	mount -t ext4 /dev/vda /mnt
	while [ "$(awk '$1 == "MemFree:" { free = $2 } $1 == "MemTotal:" { all = $2 }
		END { print free < all / 10 }' /proc/meminfo)" = 0 ]; do
		[ "$(find /mnt -name 'sparse-*' | wc -l)" -lt 40 ] || fail "$(cat /proc/meminfo)"
		file=$(mktemp /mnt/sparse-XXXXXX)
		truncate -s 100M "$file"
		cat "$file" >/dev/null
	done
	healthy
	rm /mnt/sparse-*
	umount /mnt
}

# A cgroup that has a limit and is far from it, and files in tmpfs.
usual() {
	dd if=/dev/zero of=/tmp/usual bs=1M count=16 2>/dev/null
	cgroups_2 /tmp/cgroups
	mkdir /tmp/cgroups/usual
	echo 256M >/tmp/cgroups/usual/memory.max
	sh -c 'echo 0 >/tmp/cgroups/usual/cgroup.procs && exec sleep 1000' &
	holder=$!
	healthy
	kill "$holder"
	wait "$holder" || true
	rmdir /tmp/cgroups/usual
	umount /tmp/cgroups
	rm /tmp/usual
}

check "explain: nobody is named after the boot" healthy
check "explain: nobody is named beside a cgroup with a limit" usual
check "explain: nobody is named where clean cache fills memory" full_of_cache
few=" memfd tmpfs_deleted page_tables huge_pages bpf_map bpf_program pipes two_of_each
	near_cgroup "
for load_of in memfd tmpfs_file tmpfs_deleted disk_deleted page_tables inodes \
	huge_pages bpf_map bpf_pinned bpf_program bpf_per_cpu sockets pipes unix_sockets \
	perf_buffers io_uring packet_rings graphics graphics_pool sparse two_of_each hugetlbfs names \
	xfs_metadata zram swap_full full_cgroup near_cgroup in_container in_boxes backup; do
	case $(echo "$few" | tr -s '\n\t' ' ') in
	*" $load_of "*) ;;
	*) [ "${thorough-}" ] || continue ;;
	esac
	check "explain: the holder of $load_of" "$load_of"
	check "explain: nobody is named after $load_of" healthy
done
cat /out/holders
