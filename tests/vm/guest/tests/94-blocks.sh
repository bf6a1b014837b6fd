# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat blocks says what each cached block of a device is: the same as
# libext2fs's iterators over the whole filesystem. It reads nothing of the device
# and brings in no page. thorough=1 on the kernel's command line tries all
# layouts of filesystems.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
lacking struct-pages || leaves blocks

# sectors DEVICE: how much was read of it so far.
sectors() {
	awk '{ print $3 }' "/sys/class/block/$1/stat"
}

cached() {
	take /tmp/taken
	pages "$1" /tmp/taken
}

# measure DEVICE: one answer, with what was read and cached before and after.
measure() {
	before=$(cached "$1")
	read=$(sectors "$1")
	status=0
	bufstat blocks "$1" --timeout 60 --runs -J -O >/tmp/blocks.json 2>/tmp/said ||
		status=$?
	read_after=$(sectors "$1")
	after=$(cached "$1")
}

# told DEVICE [whole]: every kind is right, and the sums are exact. Of a writable
# mount the journal's thread may read at any time, so tries again if more was read.
told() {
	device=$1
	maps_read
	for _ in 1 2 3 4 5 6; do
		measure "$device"
		[ "$read $before" != "$read_after $after" ] || break
		sleep 1
	done
	cat /tmp/said
	equal "$read_after" "$read" 'sectors read by bufstat'
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
	shift
	block_kinds "/dev/$device" "$@" </tmp/runs >/tmp/kinds ||
		fail "$(cat /tmp/kinds)"
	grep 'right [1-9]' /tmp/kinds
}

# bytes KIND: of the last answer.
bytes() {
	jq --arg kind "$1" '[.kinds[] | select(.kind == $kind).bytes] | add + 0' \
		/tmp/blocks.json
}

walked() {
	modprobe ext4
	echo 3 >/proc/sys/vm/drop_caches
	mount -t ext4 -o ro /dev/vda /mnt
	find /mnt -type f -size +100k
	told vda
	[ "$(bytes directory)" -ge $((100 * 4096)) ]
	[ "$(bytes 'inode table')" -ge $((100 * 4096)) ]
	# A larger page with a directory has the files beside it, too.
	jq -e --argjson least $((PAGE_KIB > 16 ? 1 : 5)) '.fstype == "ext4" and
		.inodes > 12000 and
		([.owners[].path | strings | select(startswith("/d"))] |
			length) >= $least' /tmp/blocks.json
	bufstat blocks /mnt >/tmp/text
	cat /tmp/text
	grep -q 'typical of something that walks the whole tree' /tmp/text
}

read_raw() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	dd if=/dev/vda of=/dev/null bs=1M count=8 2>/dev/null \
		skip=$(($(cat /sys/class/block/vda/size) / 2048 - 40))
	dd if=/dev/vda of=/dev/null bs=1M count=20 2>/dev/null
	told vda
	[ "$(bytes free)" -ge $((8 << 20)) ]
	[ "$(bytes journal)" -ge 4096 ]
}

# Blocks of 1 KiB, four to a page, of which some were never read.
small_blocks() {
	modprobe ext4
	echo 3 >/proc/sys/vm/drop_caches
	mount -t ext4 /dev/vdd /mnt
	find /mnt -type f -size +100k
	for i in $(seq 200); do echo "$i" >"/mnt/new$i"; done
	sync
	told vdd
	[ "$(bytes 'not read')" -gt 0 ]
	rm /mnt/new*
	sync
	told vdd
}

# Holds a device open: the last close would drop the pages.
keep() {
	exec 7<"$1"
}

# Only x86-64 says where it maps its pages: elsewhere some buffer heads are needed,
# and what reads a device raw makes none.
with_buffers() {
	modprobe ext4
	mount -t ext4 -o ro /dev/vdd /mnt
}

# What fsck reads, it reads through the device.
checked() {
	with_buffers
	keep /dev/vda
	e2fsck -fn /dev/vda >/tmp/fsck
	told vda whole
	[ "$(bytes bitmap)" -ge $((16 * 1024)) ]
}

# Layouts of filesystems, one after the other: after find, and after the whole
# device was read.
layouts() {
	modprobe ext4
	# Not every kernel has it as a module.
	modprobe quota_v2 2>/dev/null || true
	mkdir -p /tmp/layout/a/b
	for i in $(seq 300); do
		echo "$i" >"/tmp/layout/a/b/some-file-with-a-long-name-$i"
	done
	ln -s "$(printf %0200d 0)" /tmp/layout/a/link
	dd if=/dev/urandom of=/tmp/layout/data bs=64k count=20 2>/dev/null
	while read -r options; do
		case $options in
		*65536*) size=120M ;;
		*) size=40M ;;
		esac
		# shellcheck disable=SC2086 # words
		mkfs.ext4 -q -F -E lazy_itable_init=0 -d /tmp/layout $options \
			/dev/vdb $size 2>/tmp/said || fail "$options: $(cat /tmp/said)"
		if ! mount -t ext4 /dev/vdb /mnt 2>/tmp/said; then
			echo "$options: this kernel does not mount it" |
				tee -a /out/blocks-layouts
			continue
		fi
		find /mnt -type f -size +100k
		told vdb >/tmp/verdict || fail "$options: $(cat /tmp/verdict)"
		echo "$options: $(tail -n 1 /tmp/verdict)" |
			tee -a /out/blocks-layouts
		echo new >/mnt/new
		sync
		dd if=/dev/vdb of=/dev/null bs=1M 2>/dev/null
		told vdb >/tmp/verdict || fail "$options: $(cat /tmp/verdict)"
		echo "$options, all read: $(tail -n 1 /tmp/verdict)" |
			tee -a /out/blocks-layouts
		umount /mnt
	done <<-END
		-t ext2 -b 1024
		-t ext3 -b 1024
		-t ext3 -b 4096
		-t ext4 -b 1024
		-t ext4 -b 4096
		-t ext4 -b 1024 -O ^flex_bg -g 1024
		-t ext4 -b 1024 -O meta_bg,^resize_inode -g 1024
		-t ext4 -b 4096 -O bigalloc -C 16384
		-t ext4 -b 4096 -O inline_data -I 256
		-t ext4 -b 4096 -O ^metadata_csum,uninit_bg
		-t ext4 -b 4096 -O quota,ea_inode -I 256
		-t ext4 -b 4096 -O mmp
		-t ext4 -b 65536 -O ^resize_inode
	END
	grep -c 'right [1-9].* wrong 0' /out/blocks-layouts
	grep -q '^-t ext4 -b 4096: right' /out/blocks-layouts
}

# The journal is on another device, whose cache is all journal.
external() {
	modprobe ext4
	mkfs.ext4 -q -F -O journal_dev -b 4096 /dev/vdc1
	mkfs.ext4 -q -F -b 4096 -J device=/dev/vdc1 /dev/vdb
	mount -t ext4 /dev/vdb /mnt
	for i in $(seq 50); do echo "$i" >"/mnt/$i"; done
	sync
	told vdb
	bufstat blocks vdc1 --timeout 60 -J >/tmp/blocks.json
	cat /tmp/blocks.json
	# A larger page has blocks that the journal did not reach.
	jq -e --argjson page "$PAGE" '.complete and .fstype == "jbd" and
		([.kinds[].kind] - ["journal", "superblock and descriptors",
		"other metadata"] - (if $page > 4096 then ["not read"]
		else [] end) == [])' /tmp/blocks.json
	[ "$(bytes journal)" -ge 4096 ]
	umount /mnt
}

# While pages come and go and are used for something else, no block is wrong.
churn() {
	modprobe ext4
	mount -t ext4 -o ro /dev/vda /mnt
	while :; do
		dd if=/dev/vda of=/dev/null bs=1M count=100 2>/dev/null
		echo 3 >/proc/sys/vm/drop_caches
	done &
	while :; do
		dd if=/dev/urandom of=/tmp/other bs=1M count=100 2>/dev/null
		rm /tmp/other
	done &
	for i in $(seq "$(often 20)"); do
		status=0
		bufstat blocks vda --timeout 60 --runs -rnb >"/tmp/runs.$i" 2>/tmp/said ||
			status=$?
		case $status in
		0) ;;
		3) grep . /tmp/said ;;
		*) fail "status $status: $(cat /tmp/said)" ;;
		esac
	done
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
	for runs in /tmp/runs.*; do
		[ -s "$runs" ] || continue
		block_kinds /dev/vda <"$runs" || fail "wrong"
	done | tee /tmp/verdicts
	[ -s /tmp/verdicts ]
	rm -f /tmp/runs.* /tmp/other
}

# tar of the tree reads the files, and of the device what leads to them. For a
# directory ext4 reads whole pages ahead, so large ones also have what is beside it.
archived() {
	modprobe ext4
	echo 3 >/proc/sys/vm/drop_caches
	mount -t ext4 -o ro /dev/vda /mnt
	tar cf - -C /mnt . >/dev/null
	told vda
	[ "$(bytes directory)" -ge $((100 * 4096)) ]
	[ "$(bytes 'inode table')" -ge $((100 * 4096)) ]
	if [ "$PAGE" = 4096 ]; then
		equal "$(bytes 'file data')" 0 'bytes of files in the cache of the device'
	else
		[ "$(bytes 'file data')" -lt $(($(bytes directory) / 2)) ]
	fi
}

# Pages that go are seen to change, and bufstat changes none. With MGLRU (Debian's
# 6.12), /proc/kpageflags does not show that a page was read once more.
keeps_flags() {
	with_buffers
	keep /dev/vda
	dd if=/dev/vda of=/dev/null bs=1M count=20 2>/dev/null
	status=0
	page_flags /dev/vda sh -c 'echo 1 >/proc/sys/vm/drop_caches' ||
		status=$?
	equal $status 1 'exit status of page_flags after drop_caches'
	dd if=/dev/vda of=/dev/null bs=1M count=20 2>/dev/null
	page_flags /dev/vda bufstat blocks vda --timeout 60 -J >/tmp/flags
	tail -n 1 /tmp/flags | tee /out/blocks-flags
	grep -q '^[1-9][0-9]* pages, of which 0 changed' /tmp/flags
}

# XFS and btrfs do not read their metadata through this cache, but others do.
others() {
	with_buffers
	for disk in vde:xfs vdf:btrfs; do
		! lacking "${disk#*:}" || continue
		modprobe "${disk#*:}"
		keep "/dev/${disk%:*}"
		dd if="/dev/${disk%:*}" of=/dev/null bs=1M count=70 2>/dev/null
		bufstat blocks "${disk%:*}" --timeout 60 -J >/tmp/blocks.json
		cat /tmp/blocks.json
		jq -e --arg type "${disk#*:}" \
			--argjson least $((70 * PAGES_PER_MIB)) '.complete and
			.fstype == $type and .pages >= $least and
			([.kinds[].bytes] | add) == .bytes and
			([.kinds[].kind] | index("raw data"))' /tmp/blocks.json
		[ "$(bytes 'superblock and descriptors')" -ge 4096 ]
	done
}

# identity DEVICE: type, label and whether they are proven, as devices says.
identity() {
	bufstat devices -J -o NAME,FSTYPE,LABEL,CONFIDENT --source kcore "$1" \
		>/tmp/devices.json
	jq -r '.devices[0] | "\(.fstype) \(.label) \(.confident)"' \
		/tmp/devices.json
}

# Nothing else tells that LUKS is on vdb. (mount and others need the library, too.)
without_libblkid() {
	library=$(find / -xdev -name libblkid.so.1 | head -n 1)
	status=0
	mv "$library" /tmp/libblkid
	bufstat blocks vdb -J >/tmp/blocks.json 2>/tmp/said || status=$?
	mv /tmp/libblkid "$library"
	cat /tmp/said
	equal "$status" 3 'exit status'
	grep -q '^bufstat: telling what is on it: vdb: ' /tmp/said
	jq -e '.fstype == null and .complete == false' /tmp/blocks.json
}

# What is on a device, by what is cached of it: udev does not run here. Nothing of
# it is read.
identified() {
	uuid=0a7e5a54-26a1-4b64-8c7b-3f2a1d0c9e8b
	with_buffers
	mkfs.ext4 -q -F -L some -U "$uuid" /dev/vdb 100M
	keep /dev/vdb
	echo 1 >/proc/sys/vm/drop_caches
	dd if=/dev/vdb of=/dev/null bs=64k count=1 2>/dev/null
	before=$(sectors vdb)
	equal "$(identity vdb)" 'ext4 some false' 'from the start alone'
	bufstat devices --source kcore -n -o FSTYPE vdb | grep 'looks like ext4'
	bufstat blocks vdb >/tmp/text
	grep ' of vdb (looks like ext4, some): ' /tmp/text
	equal "$(sectors vdb)" "$before" 'sectors read by bufstat'
	dd if=/dev/vdb of=/dev/null bs=1M 2>/dev/null
	equal "$(identity vdb)" 'ext4 some true' 'all of it'
	bufstat blocks vdb -J >/tmp/blocks.json
	jq -e --arg uuid "$uuid" '.fstype == "ext4" and .label == "some" and
		.uuid == $uuid and .confident' /tmp/blocks.json
	keep /dev/null
	mkswap /dev/vdb >/dev/null
	swapon /dev/vdb
	equal "$(identity vdb)" 'swap null true' 'swap in use'
	swapoff /dev/vdb
	equal "$(identity vdd)" 'ext4 null true' 'mounted'
	dd if=/dev/zero of=/dev/vdb bs=1M count=1 2>/dev/null
	printf 'LUKS\272\276\0\001' | dd of=/dev/vdb conv=notrunc 2>/dev/null
	keep /dev/vdb
	dd if=/dev/vdb of=/dev/null bs=64k count=1 2>/dev/null
	equal "$(identity vdb)" 'crypto_LUKS null false' 'nobody has opened it'
	without_libblkid
	echo 0 1024 linear /dev/vdb 8192 | dmsetup --noudevsync create secret
	equal "$(identity vdb)" 'crypto_LUKS null true' 'open'
	keep /dev/null
	dmsetup --noudevsync remove secret
}

refused() {
	status=0
	su nobody -s /bin/sh -c 'bufstat blocks vda' 2>/tmp/said || status=$?
	cat /tmp/said
	equal "$status" 2 'exit status'
	status=0
	bufstat blocks nosuch 2>/tmp/said || status=$?
	cat /tmp/said
	[ "$status" != 0 ] || fail 'nosuch was found'
}

hidden() {
	modprobe ext4
	mount -t ext4 -o ro /dev/vda /mnt
	status=0
	bufstat blocks vda 2>/tmp/said || status=$?
	cat /tmp/said
	equal "$status" 2 'exit status'
	grep -q "^bufstat: kcore: this kernel's /proc/kcore lacks its struct pages" \
		/tmp/said
}

thorough_only() {
	check "blocks: after fsck, with nothing unknown" with struct-pages checked
	check "blocks: of each layout of ext2, ext3 and ext4" \
		with struct-pages layouts
	check "blocks: after tar of the tree" with struct-pages archived
	check "blocks: with the journal on another device" with struct-pages external
	check "blocks: while pages come and go" with struct-pages churn
	check "blocks: of XFS and btrfs" with struct-pages others
}

[ "$(uname -m)" != riscv64 ] ||
	check "blocks: hidden struct pages are said to be" hidden
check "blocks: after find, each is what libext2fs says" \
	with struct-pages walked
check "blocks: read through the device" with struct-pages read_raw
check "blocks: of 1 KiB, and changed ones" with struct-pages small_blocks
check "blocks: what is on a device, by what is cached of it" \
	with struct-pages identified
check_long "blocks: no flag of a cached page changes" \
	with struct-pages keeps_flags
[ ! "${thorough-}" ] || thorough_only
check "blocks: who may not, and what is not there" with BTF refused
