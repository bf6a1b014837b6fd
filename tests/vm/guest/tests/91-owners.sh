# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat memory --owners: whoever takes memory is at the top of its head's
# list, with what it took. What is unaccounted has names, and a baseline.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../memory.sh
. /guest/memory.sh

# owners HEAD KIND [OPTION...]: the largest of them in /tmp/owners, with a line
# for each: pages, depth, pid, name.
owners() {
	head=$1
	kind=$2
	shift 2
	bufstat memory --owners "$head" -J "$@" >/tmp/owners.json ||
		fail "status $?: $(jq -c '.. | .why_not? // empty' /tmp/owners.json)"
	jq -r --arg head "$head" --arg kind "$kind" --argjson page "$PAGE" '
		((.heads[] | select(.head == $head) | .owners),
			(select($head == "unaccounted") | .unaccounted_owners)) |
		.[] | select(.kind == $kind) | .largest[] |
		"\(.bytes / $page | floor) \(.depth) \(.pid) \(.name)"' \
		/tmp/owners.json >/tmp/owners
	cat /tmp/owners
}

# first PATTERN PAGES [PERCENT]: the largest is so called, and has so much, within
# 1 % if not given.
first() {
	head -n 1 /tmp/owners | grep -q "^[0-9]* 0 $1$" ||
		fail "$1 is not the first"
	near "$(head -n 1 /tmp/owners | cut -d ' ' -f 1)" "$2" "${3:-1}" "$2" \
		"$1"
}

: >/out/memory

programs() {
	start_load anon 60
	owners programs process
	first "$load memory_load" "$pages"
	kill $load
}

# Five processes share 60 MiB, and one has 30 MiB of its own.
pss() {
	grep -q ^Pss_Anon: /proc/self/smaps_rollup ||
		skip "no Pss_Anon in this kernel (Linux 5.4)"
	start_load shared 60
	sharers=$load
	start_load anon 30
	owners programs process --top 6
	near "$(awk '{ pages += $1 } END { print pages }' /tmp/owners)" \
		$((330 * PAGES_PER_MIB)) 2 $((330 * PAGES_PER_MIB)) "RSS"
	owners programs process --top 6 --pss
	first "$load memory_load" "$pages"
	near "$(awk '{ pages += $1 } END { print pages }' /tmp/owners)" \
		$((90 * PAGES_PER_MIB)) 2 $((90 * PAGES_PER_MIB)) "Pss"
	kill $load "$sharers"
}

shared() {
	start_load memfd 40
	mount -t tmpfs -o size=100m named /mnt
	dd if=/dev/zero of=/mnt/file bs=1M count=20 2>/dev/null
	owners shared memfd
	first "$load load, of memory_load($load)" "$pages"
	# The program itself is in a tmpfs, too.
	owners shared process
	first "$load memory_load" "$pages" 3
	owners shared tmpfs
	grep -q "^$((20 * PAGES_PER_MIB)) 0 null /mnt$" /tmp/owners
	kill $load
	umount /mnt
}

# The files of a mount are not known if a program does not permit to open it.
unpermitted_files() {
	mount -t tmpfs -o size=100m named /mnt
	dd if=/dev/zero of=/mnt/file bs=1M count=20 2>/dev/null
	start_holding unpermitted /mnt
	status=0
	timeout -s KILL 20 bufstat memory --owners shared -J >/tmp/owners.json || status=$?
	release
	umount /mnt
	equal "$status" 3 "exit status beside a program that permits nothing"
	jq -e '[.heads[] | select(.head == "shared").owners[] |
		select(.kind == "tmpfs_file").unread] == [1]' /tmp/owners.json >/dev/null ||
		fail "not said: $(jq -c '.heads[] | select(.head == "shared")' /tmp/owners.json)"
}

# A file in huge pages that no process has keeps them all the same. A server that is
# mounted in there is not asked.
huge_file() {
	[ "$HUGE_KIB" ] || skip "no huge pages"
	huge_pages_of 20 >/proc/sys/vm/nr_hugepages
	mkdir -p /tmp/huge
	mount -t hugetlbfs none /tmp/huge
	mkdir /tmp/huge/below
	fallocate -l "${HUGE_KIB}K" /tmp/huge/below/left
	mkdir /tmp/huge/server
	start_silent_fuse
	mount --bind /tmp/fuse /tmp/huge/server
	kill -STOP "$holder"
	status=0
	timeout -s KILL 20 bufstat memory --owners huge_pages -J \
		>/tmp/owners.json || status=$?
	end_silent_fuse
	umount /tmp/huge/server
	umount /tmp/huge
	equal "$status" 0 "exit status beside a silent server"
	echo 0 >/proc/sys/vm/nr_hugepages
	jq -e --argjson kib "$HUGE_KIB" '[.heads[] | select(.head == "huge_pages")
		.owners[] | select(.kind == "hugetlbfs").largest[] |
		[.name, .bytes]] == [["/tmp/huge/below/left", $kib * 1024]]' \
		/tmp/owners.json >/dev/null ||
		fail "the file is not listed"
}

huge_pages() {
	[ "$HUGE_KIB" ] || skip "no huge pages"
	echo 1 >/proc/sys/vm/compact_memory
	used=$(huge_pages_of 40)
	echo $((used + $(huge_pages_of 20))) >/proc/sys/vm/nr_hugepages
	start_load pool "$(huge_mib "$used")"
	owners huge_pages process
	first "$load memory_load" "$pages"
	kill $load
	wait $load || true
	echo 0 >/proc/sys/vm/nr_hugepages
}

page_tables() {
	start_load tables 30
	owners page_tables process
	# There VmPTE has the entries of a table, and not the page that it takes.
	[ "$(uname -m)" != s390x ] || pages=$((pages / 2))
	first "$load memory_load" "$pages"
	kill $load
}

vmalloc() {
	start_load bpf 30
	owners vmalloc caller
	# riscv64's modules take more.
	grep -v ' load_module$' /tmp/owners | head -n 1 >/tmp/most
	[ "$(cut -d ' ' -f 1 /tmp/most)" -ge "$pages" ]
	grep -q 'bpf\|array_map' /tmp/most
	kill $load
}

# Values of each processor are in per-CPU memory, and little of that map is in vmalloc.
bpf_per_cpu() {
	start_load percpu 20
	owners per_cpu bpf_map
	first "$load events, of memory_load($load)" "$pages"
	owners vmalloc bpf_map
	! grep "memory_load($load)" /tmp/owners | awk -v pages="$pages" '$1 > pages / 100' |
		grep . || fail "also in vmalloc"
	kill $load
}

# A map stays that a process has pinned, also when the process has closed it.
bpf_pinned() {
	[ "$(stat -f -c %t /sys/fs/bpf)" = cafe4a11 ] || mount -t bpf bpf /sys/fs/bpf
	mkdir -p /sys/fs/bpf/own
	start_load held 10 /sys/fs/bpf/own/held
	holder=$load
	start_load pinned 30 /sys/fs/bpf/own/events
	owners vmalloc pinned_bpf_map
	first "null /sys/fs/bpf/own/events" "$pages"
	equal "$(wc -l </tmp/owners)" 1 "pinned maps"
	owners vmalloc bpf_map
	! grep -F "memory_load($load)" /tmp/owners || fail "its maker has it, too"
	grep -F "events, of memory_load($holder)" /tmp/owners >/dev/null ||
		fail "nobody has the other"
	kill $holder
	unlink /sys/fs/bpf/own/held
	unlink /sys/fs/bpf/own/events
	sleep 1
	equal "$(owners vmalloc pinned_bpf_map)" "" "no map is pinned"
}

# Who loaded the program has neither it nor its map open. A map that a process has open is
# not of its program, too.
bpf_program() {
	start_load program 10 open
	holder=$load
	start_load program 30
	owners vmalloc other_bpf_map
	first "null events of the program count ([1-9][0-9]*)" "$pages"
	equal "$(wc -l </tmp/owners)" 1 "other maps"
	owners vmalloc bpf_map
	! grep -F "memory_load($load)" /tmp/owners || fail "its maker has it, too"
	grep -F "events, of memory_load($holder)" /tmp/owners >/dev/null ||
		fail "nobody has the other"
	kill $load $holder
	wait $load $holder || true
	sleep 1
	equal "$(owners vmalloc other_bpf_map)" "" "no program has a map"
}

# A map in another map. They are looked for where a program has a map.
bpf_inner() {
	start_load program 10
	holder=$load
	start_load inner 20
	owners vmalloc other_bpf_map
	first "null events (id [1-9][0-9]*)" "$pages"
	equal "$(wc -l </tmp/owners)" 2 "other maps"
	kill $load $holder
	wait $load $holder || true
}

# mapped LOAD KIND [PERCENT]: what the kernel gives a process to map.
mapped() {
	start_load "$1" 20
	owners unaccounted "$2"
	first "$load memory_load($load)" "$pages" "${3-}"
	kill $load
	wait $load || true
	owners unaccounted "$2"
	[ ! -s /tmp/owners ] || fail "after it: $(cat /tmp/owners)"
}

packet_ring() {
	modprobe af_packet 2>/dev/null || true
	mapped packet packet_ring
}

perf_buffers() {
	mapped perf perf_buffer
}

# A little more than a power of two of pages each.
io_uring() {
	mapped uring io_uring 100
}

# with_own_dri COMMAND: in a mount namespace where /dev/dri is a tmpfs.
with_own_dri() {
	# shellcheck disable=SC2016 # of the other shell
	exec unshare -m sh -c 'mount -t tmpfs own /dev/dri && exec "$@"' sh "$@"
}

# vgem has no hardware. Its objects are files of the kernel's tmpfs. A file that has
# the name of the card, but takes nothing, is no object.
graphics() {
	modprobe vgem 2>/dev/null || skip "no vgem"
	card=$(ls /dev/dri/card*)
	within=with_own_dri
	start_load sparse 200 "$card"
	within=
	forged=$load
	grep -q "$card" "/proc/$forged/maps" || fail "nothing has the card's name"
	start_load vgem 20 "$card"
	owners shared graphics
	first "$load memory_load($load)" "$pages"
	! grep -q "$forged" /tmp/owners || fail "a file of that name: $(cat /tmp/owners)"
	kill $load $forged
	wait $load || true
	unload vgem
}

# No device has pools yet that the kernel lists: it is asked, and has an answer.
page_pool() {
	grep -q ' netdev_nl_page_pool_get_dumpit$' /proc/kallsyms && tells=true || tells=false
	owners unaccounted page_pool
	equal "$(jq -c '.unaccounted_owners[] | select(.kind == "page_pool") |
		[.counted, .why_not, .largest]' /tmp/owners.json)" "[$tells,null,[]]" "page pools"
}

# The driver fills the ring of a device that is up with pages of a pool. That they are
# of a pool is in their struct pages, too.
driver_pool() {
	modprobe virtio_net 2>/dev/null || skip "no virtio_net here"
	grep -q ' virtnet_create_page_pools' /proc/kallsyms ||
		skip "virtio_net of this kernel has no page pool"
	nic=$(basename /sys/bus/virtio/drivers/virtio_net/*/net/*)
	proven=$(bufstat memory --prove -J |
		jq '.census[] | select(.key == "page_pool").pages')
	ip link set dev "$nic" up
	owners unaccounted page_pool
	first "null $nic" "$(cut -d " " -f 1 /tmp/owners)"
	pages=$(cut -d ' ' -f 1 /tmp/owners)
	[ "$pages" -ge 128 ] || fail "a ring of 1,024 buffers has $pages pages"
	equal "$(($(bufstat memory --prove -J |
		jq '.census[] | select(.key == "page_pool").pages') - proven))" "$pages" \
		"by struct pages"
	unload virtio_net
	owners unaccounted page_pool
	[ ! -s /tmp/owners ] || fail "after it: $(cat /tmp/owners)"
}

xfs_unaccounted() {
	owners unaccounted xfs_buffers
	unaccounted=$(jq --argjson page "$PAGE" '.unaccounted_bytes / $page | floor' \
		/tmp/owners.json)
	metadata=$(awk '$4 == "/mnt" { print $1 }' /tmp/owners)
	metadata=${metadata:-0}
}

# Inodes and directories of a filesystem that was just mounted come into buffers.
xfs() {
	modprobe xfs 2>/dev/null || skip "no XFS here"
	mount -t xfs /dev/vde /mnt
	owners unaccounted xfs_buffers
	jq -e '.unaccounted_owners[] | select(.kind == "xfs_buffers").counted' /tmp/owners.json || {
		umount /mnt
		case $(uname -r) in
		6.1.* | 6.12.* | 7.3.*) [ ! -e /sys/kernel/btf/xfs ] || fail "not counted" ;;
		esac
		skip "nothing tells where XFS of this kernel has buffers"
	}
	for directory in $(seq 60); do
		mkdir "/mnt/$directory"
		(cd "/mnt/$directory" && seq 100000000 100000399 | xargs touch)
	done
	umount /mnt
	mount -t xfs /dev/vde /mnt
	sleep 1
	xfs_unaccounted
	before=$unaccounted
	metadata_before=$metadata
	find /mnt -type f -size +1
	sleep 1
	xfs_unaccounted
	first "null /mnt" "$metadata"
	umount /mnt
	mount -t xfs /dev/vde /mnt
	rm -rf /mnt/[0-9]*
	umount /mnt
	grown=$((unaccounted - before))
	echo "xfs: $metadata_before, then $metadata pages; unaccounted +$grown" |
		tee -a /out/memory
	[ "$grown" -gt 2000 ] || fail "unaccounted grew by $grown pages only"
	near $((metadata - metadata_before)) "$grown" 5 "$grown" "XFS metadata"
	owners unaccounted xfs_buffers
	[ ! -s /tmp/owners ] || fail "after it: $(cat /tmp/owners)"
	jq -e '[.unaccounted_owners[] | select(.kind == "xfs_buffers")] == []' /tmp/owners.json
}

# The pages of a cache are what slabinfo says, and both lists have each once.
slab() {
	owners slab_reclaimable slab --top 1000
	cp /tmp/owners /tmp/reclaimable
	owners slab_unreclaimable slab --top 1000
	sort -k 4 /tmp/owners /tmp/reclaimable | awk '{ print $4 }' >/tmp/names
	equal "$(uniq -d /tmp/names)" "" "caches in both lists"
	awk 'NR > 2 && $15 { print $1 }' /proc/slabinfo | sort >/tmp/wanted
	grep -qx dentry /tmp/wanted
	grep -q ' dentry$' /tmp/reclaimable
	grep -q ' task_struct$' /tmp/owners
	# Some may come and go.
	awk 'NR == FNR { wanted[$1]; next }
		{ if ($1 in wanted) delete wanted[$1]; else print }
		END { for (name in wanted) print name }' /tmp/wanted \
		/tmp/names >/tmp/others
	[ "$(wc -l </tmp/others)" -le 3 ] || fail "$(cat /tmp/others)"
}

# named PART: its pages, "null", or nothing.
named() {
	jq -r --arg part "$1" --argjson page "$PAGE" '.unaccounted_parts[] |
		select(.part == $part) |
		if .bytes then .bytes / $page | floor else "null" end' \
		/tmp/owners.json
}

# Only a module that is there is asked.
ring() {
	modprobe af_packet 2>/dev/null || true
	start_load ring 20
	bufstat memory -J >/tmp/owners.json
	equal "$(named packet_rings)" null "the rings of a socket"
	not grep -q af_packet_diag /proc/modules
	modprobe af_packet_diag || skip "no af_packet_diag"
	bufstat memory -J >/tmp/owners.json
	equal "$(named packet_rings)" "$pages" "the rings of a socket"
	kill $load
	wait $load || true
	bufstat memory -J >/tmp/owners.json
	equal "$(named packet_rings)" 0 "the rings of no socket"
	unload af_packet_diag
}

# Pipes are in no count of the host, but in that of their cgroup.
cgroups() {
	cgroups_2 /tmp/cgroup
	mkdir /tmp/cgroup/above
	echo +memory >/tmp/cgroup/above/cgroup.subtree_control
	mkdir /tmp/cgroup/above/below
	sh -c 'echo 0 >/tmp/cgroup/above/below/cgroup.procs
		exec memory_load pipes 30' >/tmp/load &
	load=$!
	while ! grep -q ready /tmp/load; do sleep 0.1; done
	sleep 2
	owners unaccounted cgroup
	if ! grep -q '^kernel ' /tmp/cgroup/above/memory.stat; then
		jq -e '.unaccounted_owners[0].counted == false' /tmp/owners.json
		equal "$(named cgroups)" "" "what cgroups are charged for"
	else
		first "null /above" $((30 * PAGES_PER_MIB))
		grep -q '^[0-9]* 1 null /above/below$' /tmp/owners
		near "$(named cgroups)" $((30 * PAGES_PER_MIB)) 1 \
			$((30 * PAGES_PER_MIB)) "charged to cgroups"
	fi
	kill $load
	wait $load || true
	rmdir /tmp/cgroup/above/below /tmp/cgroup/above
	umount /tmp/cgroup
}

BASELINE=/run/bufstat/memory

grown() {
	bufstat memory -J >/tmp/owners.json
	jq -r --argjson page "$PAGE" '.unaccounted_baseline |
		if . then .change_bytes / $page else "null" end' /tmp/owners.json
}

# Root's first run makes it, and no later one.
baseline() {
	rm -f $BASELINE
	su -s /bin/sh nobody -c "bufstat memory" >/dev/null
	not test -e $BASELINE
	# Everybody may read it, and only root reads who has what.
	bufstat memory --owners all >/dev/null
	equal "$(jq -c 'keys - ["bufstat", "schema", "kernel", "boot_id", "taken_at",
		"source", "complete"]' $BASELINE)" '["reading"]' "what is in it"
	not grep -q owners $BASELINE
	rm $BASELINE
	equal "$(grown)" null "growth at the first run"
	equal "$(stat -c '%a %u' $BASELINE)" "644 0" "mode and owner"
	cp $BASELINE /tmp/first
	start_load pipes 20
	sleep 2
	# A batch of 63 free pages may move to a processor between the files read.
	near "$(grown)" "$pages" 2 "$pages" "growth of unaccounted"
	su -s /bin/sh nobody -c "bufstat memory" >/tmp/text
	grep '^unaccounted.*; +[0-9.]*M since 20.*, the first run after the boot' \
		/tmp/text || fail "$(grep ^unacc /tmp/text)"
	cmp $BASELINE /tmp/first
	# One of another boot is none.
	sed 's/"boot_id": "........-/"boot_id": "00000000-/' /tmp/first >$BASELINE
	not cmp -s $BASELINE /tmp/first
	equal "$(grown)" null "growth since another boot"
	not grep -q '"boot_id": "00000000-' $BASELINE
	kill $load
}

check "owners: a program" programs
check "owners: programs by Pss" pss
check "owners: memfd, tmpfs" shared
check "owners: files that nobody permits to look at" unpermitted_files
check "owners: huge pages" huge_pages
check "owners: a file in huge pages that no process has" huge_file
check "owners: page tables" page_tables
check "owners: vmalloc" vmalloc
check "owners: BPF maps in per-CPU memory" bpf_per_cpu
check "owners: BPF maps that are pinned" bpf_pinned
check "owners: BPF maps that only a program has" bpf_program
check "owners: BPF maps that only a map has" bpf_inner
check "owners: packet rings" packet_ring
check "owners: buffers of perf" perf_buffers
check "owners: rings of io_uring" io_uring
check "owners: graphics objects" graphics
check "owners: page pools" page_pool
check "owners: the page pool of a driver" driver_pool
check "owners: XFS metadata" xfs
check "owners: slab caches" slab
check "unaccounted: packet rings are named" ring
check "unaccounted: cgroups are named" cgroups
check "unaccounted: growth since the first run after the boot" baseline
