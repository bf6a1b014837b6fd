# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# kcore counts dirty pages and pages under writeback in the page trees: as many
# as the module counts, device by device, in trees of all shapes.
# shellcheck source=../test.sh
. /guest/test.sh

LOOPS=10
# Bytes; large enough for indexes that need many levels of nodes.
LARGE=1152921504606846976
COUNTS=$(often 16)

# rows SOURCE: name, pages, dirty bytes and bytes under writeback of each device
# with pages. Fails if the answer is not complete and settled.
rows() {
	bufstat devices --source "$1" -J -o KNAME,PAGES,DIRTY,WRITEBACK \
		>/tmp/json
	jq -e '.complete and .settled' /tmp/json >/dev/null ||
		fail "$1: not complete: $(cat /tmp/json)"
	jq -r '.devices[] | select(.kname) |
		"\(.kname) \(.pages) \(.dirty_bytes) \(.writeback_bytes)"' \
		/tmp/json | sort
}

# same_rows_as_module [KNAME PAGES DIRTY WRITEBACK]...: all rows are equal, and
# these, in pages, are among them.
same_rows_as_module() {
	rows module >/tmp/module
	rows kcore >/tmp/kcore
	cat /tmp/module
	diff /tmp/module /tmp/kcore
	while [ $# -gt 0 ]; do
		grep -qx "$1 $2 $(($3 * PAGE)) $(($4 * PAGE))" /tmp/kcore ||
			fail "$1 is not as it was made: $(grep "^$1 " /tmp/kcore)"
		shift 4
	done
}

# dirty DEVICE INDEX PAGES: the device must be held open, or close writes them.
dirty() {
	dd if=/dev/zero of="/dev/$1" bs="$PAGE" seek="$2" count="$3" \
		conv=notrunc 2>/dev/null
}

# Adds the loop devices and holds them open.
add_loops() {
	modprobe loop
	truncate -s $LARGE /tmp/backing
	loops add 0 $LOOPS /tmp/backing
	# shellcheck disable=SC2046
	hold_open $(seq 0 $((LOOPS - 1)) | sed 's|^|/dev/loop|')
}

remove_loops() {
	release
	loops remove 0 $LOOPS
	unload loop
	rm /tmp/backing
}

shapes() {
	add_loops
	last=$((LARGE / PAGE - 1))
	dirty loop0 0 1
	head -c "$PAGE" /dev/loop1 >/dev/null
	dirty loop2 1 1
	dirty loop3 0 64
	dirty loop4 0 3000
	flush /dev/loop4
	dirty loop4 1000 700
	dirty loop4 0 1
	for index in 0 70 5000 1048576 268435456 $last; do
		dirty loop5 "$index" 1
	done
	dd if=/dev/loop6 of=/dev/null bs="$PAGE" count=500 2>/dev/null
	dirty loop6 64 3
	# Large folios on Linux 7.
	large=$((24 * PAGES_PER_MIB))
	dd if=/dev/zero of=/dev/loop7 bs=1M count=24 seek=1 conv=notrunc 2>/dev/null
	dirty loop8 "$last" 1
	same_rows_as_module loop0 1 1 0 loop2 1 1 0 loop3 64 64 0 \
		loop4 3000 701 0 loop5 6 6 0 loop7 $large $large 0 loop8 1 1 0
	grep -q "^loop1 [0-9]* 0 0$" /tmp/kcore || fail "loop1 is not clean"
	# Three pages, or the folio that contains them.
	grep -q "^loop6 [0-9]* [1-9][0-9]* 0$" /tmp/kcore || fail loop6
	for number in $(seq 0 $((LOOPS - 1))); do
		flush "/dev/loop$number"
	done
	same_rows_as_module loop4 3000 0 0 loop5 6 0 0 loop7 $large 0 0
	remove_loops
}

# The position of the marks in a tree's flags differs between kernels, and a
# tree of one page has only these flags. kcore has to tell the position from
# them.
only_singles() {
	add_loops
	dirty loop0 0 1
	dirty loop9 0 1
	same_rows_as_module loop0 1 1 0 loop9 1 1 0
	remove_loops
}

# The backing file is in a frozen filesystem, so pages written to the loop
# devices stay under writeback until the thaw.
writeback() {
	modprobe loop
	mount -t ext4 -o noatime /dev/vda /mnt
	# Room for page 2010 and for 12 MiB.
	dd if=/dev/zero of=/mnt/backing bs=1M \
		count=$((12 + 2048 / PAGES_PER_MIB)) 2>/dev/null
	sync
	loops add 0 4 /mnt/backing
	hold_open /dev/loop0 /dev/loop1 /dev/loop2 /dev/loop3
	dirty loop0 0 1
	dirty loop1 0 64
	dirty loop2 70 1
	dd if=/dev/zero of=/dev/loop3 bs=1M count=12 conv=notrunc 2>/dev/null
	fsfreeze --freeze /mnt
	syncing=
	for number in 0 1 2 3; do
		flush /dev/loop$number &
		syncing="$syncing $!"
	done
	# How many pages of loop3 are under writeback depends on the kernel.
	for _ in $(seq 100); do
		sleep 0.2
		rows kcore >/tmp/writing
		! cmp -s /tmp/writing /tmp/written ||
			! grep -qx "loop0 1 0 $PAGE" /tmp/writing || break
		cp /tmp/writing /tmp/written
	done
	dirty loop1 2000 10
	status=0
	(same_rows_as_module loop0 1 0 1 loop1 74 10 64 loop2 1 0 1 &&
		grep -q "^loop3 $((12 * PAGES_PER_MIB)) [0-9]* [1-9]" \
			/tmp/kcore) || status=$?
	fsfreeze --unfreeze /mnt
	# shellcheck disable=SC2086 # words
	wait $syncing
	equal $status 0 "while they were written"
	release
	loops remove 0 4
	unload loop
	rm /mnt/backing
	umount /mnt
}

# dirty_now: loop0's dirty pages by the module.
dirty_now() {
	cat "$FILE" >/tmp/now
	column dirty loop0 /tmp/now
}

# counted_now KNAME: its dirty pages by kcore in /tmp/json.
counted_now() {
	jq -r --arg name "$1" '.page_size_bytes as $page | [.devices[] |
		select(.kname == $name) | .dirty_bytes] |
		if length == 0 then 0 elif .[0] then .[0] / $page
		else "blank" end' /tmp/json
}

# A figure may be blank. Otherwise it lies between the module's figures from
# before and after.
changing() {
	add_loops
	write_nothing
	dirtier scatter /dev/loop0 &
	scatter=$!
	dirtier refill /dev/loop1 &
	refill=$!
	counted=0 blank=0 after=0
	while [ $((counted + blank)) -lt $COUNTS ] || [ "$after" -le 100 ]; do
		before=$(dirty_now)
		status=0
		bufstat devices --source kcore -J -o KNAME,DIRTY >/tmp/json \
			2>/tmp/said || status=$?
		after=$(dirty_now)
		[ $status = 0 ] || [ $status = 3 ] || fail "$(cat /tmp/said)"
		# Above its threshold the kernel writes by itself.
		[ "$after" -ge "$before" ] || continue
		now=$(counted_now loop1)
		[ "$now" = blank ] || [ "$now" -le 600 ] || fail "loop1: $now"
		now=$(counted_now loop0)
		if [ "$now" = blank ]; then
			blank=$((blank + 1))
			continue
		fi
		counted=$((counted + 1))
		if [ "$now" -lt "$before" ] || [ "$now" -gt "$after" ]; then
			fail "loop0: $before, by kcore $now, $after"
		fi
	done
	# They never end by themselves, so kill must find them running.
	kill $scatter $refill
	wait $scatter $refill || true
	echo "counted $counted blank $blank dirty $after" | tee /out/kcore-tags
	[ $counted -gt $blank ]
	[ "$after" -gt 100 ]
	write_as_usual
	remove_loops
}

check "kcore counts dirty pages as the module does, in trees of all shapes" \
	with BTF shapes
check "kcore knows a single dirty page without any other to learn from" \
	with BTF only_singles
check "kcore counts pages under writeback as the module does" \
	with BTF writeback
check_long "kcore counts right what changes while it counts, or not at all" \
	with BTF changing
