# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat memory: the heads and what is unaccounted are MemTotal, to the byte,
# and under each load only the head in question moves. thorough=1 on the
# kernel's command line tries every load, otherwise only some. The file memory
# has the figures, in pages.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../memory.sh
. /guest/memory.sh
leaves memory

# document NAME: keeps what memory says now.
document() {
	bufstat memory -J >"/tmp/$1.json" || fail "bufstat memory: status $?"
	adds_up "/tmp/$1.json"
}

# adds_up FILE: every head has bytes, and all of them with the rest the total.
adds_up() {
	jq -e '([.heads[].bytes] | all(type == "number")) and
		([.heads[].bytes] | add) + .unaccounted_bytes == .total_bytes' \
		"$1" >/dev/null || fail "does not add up: $(cat "$1")"
}

# head_pages FILE HEAD
head_pages() {
	jq -r --arg head "$2" --argjson page "$PAGE" '
		.heads[] | select(.head == $head) | .bytes / $page' "$1"
}

# part_pages FILE HEAD PART
part_pages() {
	jq -r --arg head "$2" --arg part "$3" --argjson page "$PAGE" '
		([.heads[] | select(.head == $head) | .parts[] |
		select(.part == $part) | .bytes] | add // 0) / $page' "$1"
}

# note WHAT: compares both documents; keeps what every head has moved by.
note() {
	jq -rn --argjson page "$PAGE" --slurpfile one /tmp/before.json \
		--slurpfile two /tmp/after.json '
		def figures: [.heads[] | [.head, .bytes]] +
			[["unaccounted", .unaccounted_bytes]];
		($one[0] | figures | map({(.[0]): .[1]}) | add) as $before |
		$two[0] | figures[] |
		"\(.[0]) \((.[1] - ($before[.[0]] // 0)) / $page)"' >/tmp/moved
	awk -v what="$1" '$2 < -20 || $2 > 20 { print what ": " $0 }' \
		/tmp/moved >>/out/memory
}

# moved HEAD: by how many pages, as noted.
moved() {
	awk -v head="$1" '$1 == head { by = $2 } END { print by + 0 }' /tmp/moved
}

# start KIND NUMBER [FILE]: starts the load, and waits until it is counted: what
# processors count on their own is added within a second.
start() {
	start_load "$@"
	sleep 2
}

# moves HEAD KIND NUMBER [FILE]: the load is in HEAD, and nothing of it is
# unaccounted.
moves() {
	head=$1
	shift
	await_no_load
	sleep 1
	document before
	start "$@"
	document after
	note "$1"
	near "$(moved "$head")" "$pages" 1 "$pages" "$head"
	[ "$head" = unaccounted ] ||
		near "$(moved unaccounted)" 0 1 "$pages" unaccounted
}

anon() {
	moves programs anon 200
}

huge() {
	[ "$THP_KIB" ] || skip "no transparent huge pages"
	echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
	# Whole huge pages: 32 MiB if pages have 16 KiB.
	mib=$((THP_KIB / 1024))
	moves programs huge $((200 / mib * mib))
	before=$(part_pages /tmp/before.json programs huge)
	near $(($(part_pages /tmp/after.json programs huge) - before)) \
		"$pages" 5 "$pages" "the part in huge pages"
}

memfd() {
	moves shared memfd 150
}

locked() {
	moves programs mlock 100
	before=$(part_pages /tmp/before.json programs mlocked)
	near $(($(part_pages /tmp/after.json programs mlocked) - before)) \
		"$pages" 1 "$pages" "the part that is locked"
}

tmpfs() {
	sleep 1
	document before
	dd if=/dev/zero of=/tmp/file bs=1M count=120 2>/dev/null
	sleep 1
	document after
	rm /tmp/file
	note tmpfs
	near "$(moved shared)" $((120 * PAGES_PER_MIB)) 1 \
		$((120 * PAGES_PER_MIB)) shared
	near "$(moved unaccounted)" 0 1 $((120 * PAGES_PER_MIB)) unaccounted
}

pool() {
	[ "$HUGE_KIB" ] || skip "no huge pages"
	echo 1 >/proc/sys/vm/compact_memory
	sleep 1
	document before
	huge_pages_of 120 >/proc/sys/vm/nr_hugepages
	got=$(($(cat /proc/sys/vm/nr_hugepages) * HUGE_KIB / PAGE_KIB))
	sleep 1
	document after
	echo 0 >/proc/sys/vm/nr_hugepages
	note pool
	equal "$(moved huge_pages)" "$got" huge_pages
	near "$(moved unaccounted)" 0 1 "$got" unaccounted
}

tables() {
	moves page_tables tables 150
}

pipes() {
	moves unaccounted pipes 40
}

ring() {
	modprobe af_packet 2>/dev/null || true
	moves unaccounted ring 40
}

inodes() {
	mkdir -p /tmp/inodes
	# As many as one likes, even with large pages.
	mount -t tmpfs -o nr_inodes=0 none /tmp/inodes
	sleep 1
	document before
	(cd /tmp/inodes && seq 60000 | xargs touch)
	sleep 1
	document after
	umount /tmp/inodes
	note inodes
	grown=$(($(moved slab_reclaimable) + $(moved slab_unreclaimable)))
	[ "$grown" -gt $((40000 / PAGE_KIB)) ] || fail "slab: $grown"
	near "$(moved unaccounted)" 0 1 "$grown" unaccounted
}

# named_pages FILE: what of unaccounted is top-level page tables.
named_pages() {
	jq -r --argjson page "$PAGE" '[.unaccounted_parts[] |
		select(.part == "top_level_page_tables") | .bytes] |
		add // 0 | . / $page' "$1"
}

# Top-level page tables are in no count before Linux 7. How large they are is known
# of x86 only, and how many there are only where the kernel lists the children of a
# process (CONFIG_PROC_CHILDREN). Elsewhere nothing may be said.
forks() {
	sleep 1
	document before
	start forks 1000
	document after
	note forks
	named=$(($(named_pages /tmp/after.json) - $(named_pages /tmp/before.json)))
	echo "forks: named $named" >>/out/memory
	if [ "$(uname -m)" != x86_64 ] || [ ! -e /proc/2/task/2/children ]; then
		equal "$named" 0 "named of unaccounted"
		return
	fi
	expected=$(moved unaccounted)
	# Where the kernel cannot isolate page tables, each is said to be a page too large.
	grep -q ' __pti_set_user_pgtbl$' /proc/kallsyms || expected=$((expected + 1000))
	near "$named" "$expected" 10 "$expected" "named of unaccounted"
}

splice() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	dd if=/dev/zero of=/mnt/spliced bs=1M count=40 2>/dev/null
	sync
	moves orphans splice 40 /mnt/spliced
}

loop() {
	modprobe loop
	dd if=/dev/zero of=/tmp/image bs=1M count=64 2>/dev/null
	loop_device=$(losetup -f)
	sleep 1
	document before
	losetup "$loop_device" /tmp/image
	exec 5<"$loop_device"
	dd bs=1M of=/dev/null <&5 2>/dev/null
	sleep 1
	document after
	exec 5<&-
	losetup -d "$loop_device"
	rm /tmp/image
	note loop
	near "$(moved block_cache)" $((64 * PAGES_PER_MIB)) 1 \
		$((64 * PAGES_PER_MIB)) block_cache
	near "$(moved unaccounted)" 0 1 $((64 * PAGES_PER_MIB)) unaccounted
}

# A swap file, of which a half is read again: those pages are mapped and in the
# swap cache.
KPF_MMAP=11
KPF_SWAPCACHE=13
swapped() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	rm -rf /mnt/many /mnt/clean /mnt/dirty
	dd if=/dev/zero of=/mnt/swap bs=1M count=80 2>/dev/null ||
		fail "no room for a swap file"
	chmod 600 /mnt/swap
	mkswap /mnt/swap >/dev/null
	swapon /mnt/swap
	sleep 1
	document before
	start swapped 60
	document after
	note swapped
	twice=$(part_pages /tmp/after.json programs in_swap_cache)
	cached=$(frames $KPF_MMAP $KPF_SWAPCACHE)
	echo "swapped: $twice of $cached mapped and in the swap cache" >>/out/memory
	kill $load
	wait $load || true
	swapoff /mnt/swap
	rm /mnt/swap
	near "$twice" "$cached" 1 "$cached" "mapped and in the swap cache"
	[ "$cached" -gt 1000 ] || skip "nothing stayed in the swap cache"
	near "$(moved unaccounted)" 0 1 $((60 * PAGES_PER_MIB)) unaccounted
}

# zram as swap: what it has compressed is in one head, what it gives back shows
# in free.
zram() {
	modprobe zram 2>/dev/null || skip "no zram"
	[ -e /sys/block/zram0 ] || skip "no zram device"
	echo 200M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null
	swapon /dev/zram0
	sleep 1
	document before
	start swapped 60
	document after
	used=$(awk -v page="$PAGE" '{ print $3 / page }' \
		/sys/block/zram0/mm_stat)
	note zram
	kill $load
	wait $load || true
	swapoff /dev/zram0
	echo 1 >/sys/block/zram0/reset
	[ "$used" -gt $((4000 / PAGE_KIB)) ] || fail "zram has $used pages"
	near "$(moved compressed)" "$used" 1 "$used" compressed
	near "$(moved unaccounted)" 0 1 $((60 * PAGES_PER_MIB)) unaccounted
}

bpf() {
	moves vmalloc bpf 60
	before=$(part_pages /tmp/before.json vmalloc bpf)
	near $(($(part_pages /tmp/after.json vmalloc bpf) - before)) \
		"$pages" 1 "$pages" "the part of BPF"
}

# XFS has buffers of its own for metadata, which no count has. They are small
# here; that the sum holds is what is asked.
xfs() {
	modprobe xfs
	mount -t xfs /dev/vde /mnt
	(mkdir -p /mnt/many && cd /mnt/many && seq 20000 | xargs touch)
	umount /mnt
	mount -t xfs /dev/vde /mnt
	sleep 1
	document before
	find /mnt -size +1 >/dev/null
	sleep 1
	document after
	note xfs
	jq -r '.unaccounted_parts[] | select(.part == "xfs_buffers") |
		"xfs: \(.label), \(.bytes)"' /tmp/after.json >>/out/memory
	tail -n 1 /out/memory | grep -q '^xfs: XFS metadata.*, null$' ||
		fail "XFS is not named"
	rm -rf /mnt/many
	grown=$(moved unaccounted)
	[ "$grown" -lt 12000 ] || fail "unaccounted: $grown"
}

# Either the answer is as if the process had never been, or it is marked.
killed() {
	sleep 1
	document before
	start anon 300
	kill -9 $load
	begin=$(date +%s)
	for tries in 1 2 3 4 5; do
		status=0
		bufstat memory -J >/tmp/after.json || status=$?
		adds_up /tmp/after.json
		[ $status = 3 ] || break
	done
	note "killed, measured $tries times, $(($(date +%s) - begin)) s"
	equal $status 0 "exit status"
	near "$(moved unaccounted)" 0 1 76800 unaccounted
}

# vmstat NAME...: the sum of these counts, in pages.
vmstat() {
	for name; do
		awk -v name="$name" '$1 == name { print $2 }' /proc/vmstat
	done | awk '{ sum += $1 } END { print sum }'
}

# row KEY FILE: the pages of a row of --prove or --available.
row() {
	jq --arg key "$1" '.[] | arrays[] | select(.key == $key) | .pages' "$2"
}

# prove FILE: counts every page frame.
prove() {
	cat /proc/sys/vm/stat_refresh
	bufstat memory --prove -J >"$1" || fail "bufstat memory --prove: status $?"
	jq -r '.census[] | "prove: \(.key) \(.pages) \(.note // "")"' "$1" >>/out/memory
	equal "$(row difference "$1")" 0 "the census"
}

# The same pages by order and by type are those without a flag.
parts() {
	prove /tmp/census.json
	other=$(row other /tmp/census.json)
	equal "$(jq '[.census[] | select(.key | startswith("order_")) | .pages] | add' \
		/tmp/census.json)" "$other" "the sum of the orders"
	equal "$(jq '[.census[] | select(.key as $key |
		["zsmalloc", "page_pool", "listed", "unreferenced", "pipes", "in_use",
			"unread"] |
		index($key)) | .pages // 0] | add' /tmp/census.json)" "$other" \
		"the sum of the types"
	# bufstat itself takes some of those to count, and what is free in larger
	# pieces is on a list only with its first page.
	listed=$(row listed /tmp/census.json)
	free=$(row counted_free_per_cpu /tmp/census.json)
	[ "$listed" -gt 0 ] || fail "nothing is on lists, of $free"
	[ "$listed" -le $((free + 128)) ] || fail "on lists: $listed, of $free"
	# The later pages of what is free in larger pieces are left for what is
	# unaccounted, too: a huge page on a list of a processor is 511 of them.
	# They are among those without a reference and on no list.
	left=$(row left /tmp/census.json)
	rest=$(row counted_unaccounted /tmp/census.json)
	later=$(row unreferenced /tmp/census.json)
	[ "$left" -ge $((rest - 128)) ] || fail "at most $left, and $rest unaccounted"
	[ "$left" -le $((rest + later + 128)) ] ||
		fail "at most $left, and $rest unaccounted, $later unreferenced"
}

# rises KEY PAGES: by about so many between the two.
rises() {
	was=$(row "$1" /tmp/before.json)
	is=$(row "$1" /tmp/after.json)
	rise=$((${is:-0} - ${was:-0}))
	echo "prove: $1 rose by $rise of $2" >>/out/memory
	near "$rise" "$2" 2 "$2" "$1"
}

# proves KIND NUMBER KEY...: these rows have the load.
proves() {
	await_no_load
	sleep 1
	prove /tmp/before.json
	start "$1" "$2"
	shift 2
	prove /tmp/after.json
	for key; do
		rises "$key" "$pages"
	done
}

# rises_exactly KEY PAGES: but for the few pages in pipes of other programs.
rises_exactly() {
	rise=$(($(row "$1" /tmp/after.json) - $(row "$1" /tmp/before.json)))
	echo "prove: $1 rose by $rise of $2" >>/out/memory
	off=$((rise - $2))
	[ "${off#-}" -le 8 ] || fail "$1 rose by $rise, expected $2"
}

# What is spliced into pipes stays what it was.
prove_pipes() {
	proves pipes 40 left
	rises_exactly pipes "$pages"
	rises_exactly pipes_not_open 0
	rise=$(($(row in_use /tmp/after.json) - $(row in_use /tmp/before.json)))
	near "$rise" 0 5 "$pages" "in use, of no type"
	rises mapped 0
	held=$load
	cp /tmp/after.json /tmp/before.json
	start flight 20
	prove /tmp/after.json
	rises_exactly pipes "$pages"
	rises_exactly pipes_not_open "$pages"
	# What is open outside this PID namespace is not seen, and not guessed.
	unshare --pid --fork --mount-proc bufstat memory --prove -J >/tmp/inside.json ||
		[ $? = 3 ] || fail "in a PID namespace: status $?"
	equal "$(row pipes /tmp/inside.json)" "$(row pipes /tmp/after.json)" \
		"pipes, in a PID namespace"
	equal "$(row pipes_not_open /tmp/inside.json)" null "open there"
	cp /tmp/after.json /tmp/before.json
	in_flight=$pages
	kill "$held"
	wait "$held" || true
	prove /tmp/after.json
	rises_exactly pipes $((-40 * PAGES_PER_MIB))
	rises_exactly pipes_not_open 0
	cp /tmp/after.json /tmp/before.json
	kill "$load"
	wait "$load" || true
	prove /tmp/after.json
	rises_exactly pipes $((-in_flight))
	rises_exactly pipes_not_open $((-in_flight))
	dd if=/dev/zero of=/mnt/spliced bs=1M count=20 2>/dev/null
	cp /tmp/after.json /tmp/before.json
	start splice 20 /mnt/spliced
	prove /tmp/after.json
	rises_exactly pipes 0
}

# In pieces of 256 KiB.
prove_ring() {
	modprobe af_packet 2>/dev/null || true
	proves packet 40 mapped in_use left
	[ "$PAGE_KIB" != 4 ] || rises order_6 "$pages"
}

# Without kernel memory the row says what it needs, and nothing has a figure.
prove_without_kcore() {
	: >/tmp/nothing
	mount --bind /tmp/nothing /proc/kcore
	bufstat memory --prove -J >/tmp/without.json || fail "status $?"
	umount /proc/kcore
	equal "$(jq -r '[.census[] | select(.key as $key | ["by_type", "zsmalloc", "in_use"] |
		index($key)) | [.key, .pages, (.note | startswith("needs kernel memory"))]] |
		tostring' /tmp/without.json)" '[["by_type",null,true]]' "by type"
}

prove_zram() {
	modprobe zram 2>/dev/null || skip "no zram"
	[ -e /sys/block/zram0 ] || skip "no zram device"
	echo 100M >/sys/block/zram0/disksize
	prove /tmp/before.json
	before=$(awk -v page="$PAGE" '{ print $3 / page }' /sys/block/zram0/mm_stat)
	dd if=/dev/urandom of=/dev/zram0 bs=1M count=20 oflag=direct 2>/dev/null
	prove /tmp/after.json
	used=$(awk -v page="$PAGE" '{ print $3 / page }' /sys/block/zram0/mm_stat)
	echo 1 >/sys/block/zram0/reset
	rises zsmalloc $((used - before))
	rises left 0
}

# on_processors: free pages on per-CPU lists, as the kernel counts them.
on_processors() {
	awk '$1 == "count:" { n += $2 } END { print n + 0 }' /proc/zoneinfo
}

# No count of the kernel is in the census, and each row is near the kernel's own.
# Thousands of free pages leave a processor's lists from one moment to the next.
# What the kernel counts as slab also has what kmalloc took as whole pages, which have
# no flag: 3 to 10 MB here.
census() {
	prove /tmp/census.json
	cat /proc/sys/vm/stat_refresh
	total=$(row total /tmp/census.json)
	equal "$total" $(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) / PAGE_KIB)) total
	free=$(row free /tmp/census.json)
	near $((free + $(row counted_free_per_cpu /tmp/census.json))) \
		$(($(vmstat nr_free_pages) + $(on_processors))) 1 "$total" free
	lists=$(vmstat nr_active_anon nr_inactive_anon nr_active_file nr_inactive_file \
		nr_unevictable)
	near "$(row lru /tmp/census.json)" "$lists" 1 "$total" lru
	slab=$(vmstat nr_slab_reclaimable nr_slab_unreclaimable)
	flagged=$(row slab /tmp/census.json)
	if [ "$flagged" -lt $((slab / 2)) ] || [ "$flagged" -gt $((slab + 64)) ]; then
		fail "slab: $flagged, of $slab"
	fi
	near "$(row page_tables /tmp/census.json)" "$(vmstat nr_page_table_pages)" 0 0 \
		"page tables"
}

# available_by_hand: si_mem_available() from what the kernel tells of its zones.
available_by_hand() {
	awk '$1 == "high" { high = $2 }
		$1 == "low" { low += $2 }
		$1 == "managed" { managed = $2 }
		$1 == "protection:" {
			gsub(/[(),]/, " ")
			most = 0
			for (i = 2; i <= NF; i++)
				if ($i > most)
					most = $i
			reserve = most + high
			total += reserve < managed ? reserve : managed
		}
		END { print low + 0, total + 0 }' /proc/zoneinfo >/tmp/zones
	read -r low reserve </tmp/zones
	file=$(vmstat nr_active_file nr_inactive_file)
	other=$(vmstat nr_slab_reclaimable nr_kernel_misc_reclaimable)
	echo $(($(vmstat nr_free_pages) - reserve +
		file - (file / 2 < low ? file / 2 : low) +
		other - (other / 2 < low ? other / 2 : low)))
}

# The files are not read in one instant, and on a busy host the kernel still frees
# what earlier tests used, 512 pages at a time.
available() {
	for _ in $(seq 100); do
		# A boost of watermarks stays in totalreserve_pages if lowmem_reserve_ratio
		# was written meanwhile. This works it out again, without one.
		cat /proc/sys/vm/watermark_scale_factor >/proc/sys/vm/watermark_scale_factor
		bufstat memory --available -J >/tmp/available.json
		[ "$(row difference /tmp/available.json)" != 0 ] || break
		sleep 0.2
	done
	equal "$(row difference /tmp/available.json)" 0 "available, recomputed"
	near "$(row recomputed /tmp/available.json)" "$(available_by_hand)" 1 \
		"$(row available /tmp/available.json)" "available, by hand"
	equal $(($(row free /tmp/available.json) + $(row reserve /tmp/available.json) +
		$(row file /tmp/available.json) + $(row file_kept /tmp/available.json) +
		$(row reclaimable /tmp/available.json) +
		$(row reclaimable_kept /tmp/available.json))) \
		"$(row recomputed /tmp/available.json)" "the sum of the rows"
}

# bound KEY FREED: what was freed is between the bounds, within 0.5 percent.
bound() {
	low=$(jq --arg key "$1" --argjson page "$PAGE" '.give_back[] |
		select(.key == $key) | .at_least_bytes / $page' /tmp/give.json)
	high=$(jq --arg key "$1" --argjson page "$PAGE" '.give_back[] |
		select(.key == $key) | .at_most_bytes / $page' /tmp/give.json)
	echo "$1: $2 of $low to $high" >>/out/memory
	[ "$2" -ge $((low - low / 200 - 64)) ] ||
		fail "$1 freed $2, at least $low was said"
	[ "$2" -le $((high + high / 200 + 64)) ] ||
		fail "$1 freed $2, at most $high was said"
}

all_free() {
	echo $(($(head_pages "$1" free) + $(head_pages "$1" free_per_cpu)))
}

# give KEY COMMAND: does what the table is about.
give() {
	key=$1
	shift
	sleep 2
	bufstat memory --give-back -J >/tmp/give.json
	sh -c "$*"
	sleep 2
	bufstat memory -J >/tmp/after.json
	cp /tmp/give.json /tmp/before.json
	note "$key"
	bound "$key" $(($(all_free /tmp/after.json) - $(all_free /tmp/give.json)))
}

# KASAN frees objects when it wants to: what a command frees is not what it gave back.
give_back() {
	! lacking "freed memory" || skip "no freed memory in this kernel"
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	find /mnt -type f -exec cat {} + >/dev/null
	dd if=/dev/zero of=/mnt/clean bs=1M count=100 2>/dev/null
	sync
	dd if=/dev/zero of=/mnt/dirty bs=1M count=40 2>/dev/null
	give drop_1 "echo 1 >/proc/sys/vm/drop_caches"
	dd if=/mnt/clean of=/dev/null bs=1M 2>/dev/null
	give sync_drop_1 "sync; echo 1 >/proc/sys/vm/drop_caches"
	mkdir -p /mnt/many
	(cd /mnt/many && seq 20000 | xargs touch)
	sync
	echo 1 >/proc/sys/vm/drop_caches
	give drop_2 "echo 2 >/proc/sys/vm/drop_caches"
	if [ "$HUGE_KIB" ]; then
		huge_pages_of 60 >/proc/sys/vm/nr_hugepages
		give shrink_pool "echo 0 >/proc/sys/vm/nr_hugepages"
	fi
	rm -rf /mnt/many /mnt/clean /mnt/dirty
}

# XFS has its metadata in no slab cache, and drop_caches=2 frees it all the same.
give_back_xfs() {
	! lacking "freed memory" || skip "no freed memory in this kernel"
	modprobe xfs 2>/dev/null || skip "no XFS here"
	mount -t xfs /dev/vde /mnt
	for directory in $(seq 60); do
		mkdir "/mnt/$directory"
		(cd "/mnt/$directory" && seq 100000000 100000199 | xargs touch)
	done
	umount /mnt
	mount -t xfs /dev/vde /mnt
	echo 3 >/proc/sys/vm/drop_caches
	find /mnt -type f -exec ls -l {} + >/dev/null
	give drop_2 "echo 2 >/proc/sys/vm/drop_caches"
	jq -e '.give_back[] | select(.key == "drop_2").cost | test("XFS metadata")' \
		/tmp/give.json >/dev/null || fail "nothing is said of XFS"
	umount /mnt
	mount -t xfs /dev/vde /mnt
	rm -rf /mnt/[0-9]*
	umount /mnt
}

: >/out/memory
echo 1 >/proc/sys/vm/drop_caches
document idle
cp /tmp/idle.json /out/memory.json
bufstat memory >>/out/memory
check "memory: the census finds every page of MemTotal" census
check "memory: available is recomputed" available
check "memory: what has no flag is counted by order and by type" parts
check "memory: pipes are found in the census" prove_pipes
check "memory: a ring of packets is found in the census" prove_ring
check "memory: compressed data is found in the census" prove_zram
check "memory: the census says what it needs kernel memory for" prove_without_kcore
loads="anon pipes"
[ ! "${thorough-}" ] ||
	loads="give_back give_back_xfs anon huge memfd locked tmpfs pool tables pipes ring
		inodes forks splice loop swapped zram bpf xfs killed"
for load in $loads; do
	check "memory: $load" "$load"
done
bufstat memory >>/out/memory
