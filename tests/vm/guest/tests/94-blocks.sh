# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat blocks says what each cached block of a device is: the same as
# libext2fs's iterators over the whole filesystem. It reads nothing of the device
# and brings in no page.
# shellcheck source=../test.sh
. /guest/test.sh

# sectors DEVICE: how much was read of it so far.
sectors() {
	awk '{ print $3 }' "/sys/class/block/$1/stat"
}

cached() {
	take /tmp/taken
	pages "$1" /tmp/taken
}

# told DEVICE [whole]: every kind is right, and the sums are exact.
told() {
	device=$1
	before=$(cached "$device")
	read=$(sectors "$device")
	status=0
	bufstat blocks "$device" --runs -J -O >/tmp/blocks.json 2>/tmp/said ||
		status=$?
	cat /tmp/said
	equal "$(sectors "$device")" "$read" 'sectors read by bufstat'
	after=$(cached "$device")
	equal "$after" "$before" 'pages after bufstat'
	equal "$status" 0 'exit status'
	jq -c "if .runs then .runs |= .[:50] else . end" /tmp/blocks.json >/out/blocks.json
	jq -c 'del(.runs)' /tmp/blocks.json
	jq -e --argjson pages "$before" --argjson page "$PAGE" '
		.complete and .pages == $pages and .bytes == $pages * $page and
		([.kinds[].bytes] | add) == .bytes and
		([.runs[].bytes] | add) == .bytes' /tmp/blocks.json
	jq -r '.runs[] | "\(.offset_bytes) \(.bytes) " +
		(.kind | gsub(" "; "\\x20"))' /tmp/blocks.json >/tmp/runs
	block_kinds "/dev/$@" </tmp/runs
}

# bytes KIND: of the last answer.
bytes() {
	jq --arg kind "$1" '[.kinds[] | select(.kind == $kind).bytes] | add + 0' \
		/tmp/blocks.json
}

# Held open, because the last close would drop the pages.
hold_open() {
	sleep 600 <"$1" &
	opener=$!
	until [ "$(readlink /proc/$opener/fd/0)" = "$1" ]; do
		sleep 0.1
	done
}

walked() {
	modprobe ext4
	echo 3 >/proc/sys/vm/drop_caches
	mount -t ext4 -o ro /dev/vda /mnt
	find /mnt -type f -size +100k
	told vda
	[ "$(bytes directory)" -ge $((100 * PAGE)) ]
	[ "$(bytes 'inode table')" -ge $((100 * PAGE)) ]
	jq -e '.fstype == "ext4" and .inodes > 12000 and
		([.owners[].path | strings | select(startswith("/d"))] |
			length) >= 5' \
		/tmp/blocks.json
	bufstat blocks /mnt >/tmp/text
	cat /tmp/text
	grep -q 'typical of something that walks the whole tree' /tmp/text
}

read_raw() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	dd if=/dev/vda of=/dev/null bs=1M skip=216 count=8 2>/dev/null
	dd if=/dev/vda of=/dev/null bs=1M count=20 2>/dev/null
	told vda
	[ "$(bytes free)" -ge $((8 << 20)) ]
	[ "$(bytes journal)" -ge "$PAGE" ]
}

# Blocks of 1 KiB, four to a page, of which some were never read.
small_blocks() {
	modprobe ext4
	echo 3 >/proc/sys/vm/drop_caches
	mount -t ext4 /dev/vdd /mnt
	find /mnt -type f -size +100k
	for i in $(seq 200); do echo $i >/mnt/new$i; done
	sync
	told vdd
	[ "$(bytes 'not read')" -gt 0 ]
	rm /mnt/new*
	sync
	told vdd
}

check "blocks: after find, each is what libext2fs says" with BTF walked
check "blocks: read through the device" with BTF read_raw
check "blocks: of 1 KiB, and changed ones" with BTF small_blocks
