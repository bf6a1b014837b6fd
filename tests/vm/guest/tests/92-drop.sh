# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat drop: the module shows what it releases.
# shellcheck source=../test.sh
. /guest/test.sh

CAP_SYS_RAWIO=17

# said PATH: a value of the first device.
said() {
	jq -r ".devices[0].$1" /tmp/said
}

# figures NAME FILE: pages, dirty and writeback of a device.
figures() {
	echo "$(pages "$1" "$2") $(column dirty "$1" "$2")" \
		"$(column writeback "$1" "$2")"
}

releases() {
	hold_open -r 30 /dev/vdb /dev/vdc /dev/vdc1
	take /tmp/before
	dropped 0 /dev/vdc
	take /tmp/after
	equal "$(jq -r .source /tmp/said)" module source
	equal "$(said before.pages)" "$(pages vdc /tmp/before)" "pages before"
	equal "$(said before.pages)" 30 "pages before"
	equal "$(said after.pages)" 0 "pages after"
	equal "$(pages vdc /tmp/after)" 0 "pages in the file"
	same_others vdc /tmp/before /tmp/after
	release
}

dry_run() {
	hold_open -r 30 /dev/vdb
	take /tmp/before
	dropped 0 --dry-run vdb
	take /tmp/after
	same_rows /tmp/before /tmp/after
	equal "$(said before.pages) $(said after)" "30 null" "before and after"
	release
}

writes_dirty_pages() {
	hold_open /dev/vdb
	tr '\0' '\125' </dev/zero | head -c $((10 * PAGE)) >/tmp/pattern
	dd if=/tmp/pattern of=/dev/vdb bs="$PAGE" conv=notrunc 2>/dev/null
	take /tmp/before
	equal "$(column dirty vdb /tmp/before)" 10 "dirty pages"
	dropped 0 vdb
	equal "$(said before.dirty_pages)" 10 "dirty pages before"
	take /tmp/after
	equal "$(pages vdb /tmp/after)" 0 pages
	# The pages are gone, so this reads the disk.
	head -c $((10 * PAGE)) /dev/vdb | cmp - /tmp/pattern
	release
}

mounted() {
	mount_quietly /dev/vda
	find /mnt >/tmp/found
	take /tmp/before
	dropped 0 vda
	take /tmp/after
	equal "$(said before.pages)" "$(pages vda /tmp/before)" "pages before"
	equal "$(said after.pages)" "$(pages vda /tmp/after)" "pages after"
	[ "$(said after.pages)" -gt 0 ]
	[ "$(said after.pages)" -lt $(($(said before.pages) / 10)) ]
	equal "$(jq -c '.devices[0].mountpoints' /tmp/said)" '["/mnt"]' mounts
	bufstat drop vda | grep -q 'stayed: in use (mounted on /mnt)'
	find /mnt | cmp - /tmp/found
}

# A RAM disk's pages are the only copy of its contents.
ramdisk() {
	modprobe brd rd_nr=1 rd_size=1024
	hold_open /dev/ram0
	head -c $((10 * PAGE)) /dev/urandom >/tmp/pattern
	dd if=/tmp/pattern of=/dev/ram0 bs="$PAGE" conv=notrunc 2>/dev/null
	dropped 1 --yes ram0 vdb
	[ ! -s /tmp/said ]
	head -c $((10 * PAGE)) /dev/ram0 | cmp - /tmp/pattern
	release
	unload brd
}

several() {
	hold_open -r 30 /dev/vdb /dev/vdd
	take /tmp/before
	dropped 1 vdb vdd
	take /tmp/after
	same_rows /tmp/before /tmp/after
	dropped 0 --yes vdb vdd
	take /tmp/after
	equal "$(pages vdb /tmp/after) $(pages vdd /tmp/after)" "0 0" pages
	release
}

# map TABLE...: maps dm-0 to vdb with this device-mapper target.
map() {
	echo "0 $(cat /sys/class/block/vdb/size) $*" |
		dmsetup --noudevsync load flaky
	dmsetup --noudevsync suspend --nolockfs --noflush flaky
	dmsetup --noudevsync resume flaky
}

# Writes to dm-0 fail, one fsync() reports it, and then writes work again. Now
# no fsync() has an error to report and the pages are clean, but they are the
# only copy of the data.
lose_writes() {
	modprobe dm_flakey
	dmsetup --noudevsync create flaky --notable
	map linear /dev/vdb 0
	hold_open -r 30 /dev/dm-0
	map flakey /dev/vdb 0 0 3600 1 error_writes
	head -c $((10 * PAGE)) /dev/urandom >/tmp/pattern
	dd if=/tmp/pattern of=/dev/dm-0 bs="$PAGE" conv=notrunc 2>/dev/null
	not flush /dev/dm-0
	map linear /dev/vdb 0
	flush /dev/dm-0
	is_kept
	take /tmp/before
	equal "$(figures dm-0 /tmp/before)" "30 0 0" "pages, none of them dirty"
}

is_kept() {
	head -c $((10 * PAGE)) /dev/dm-0 | cmp - /tmp/pattern
}

unmap() {
	release
	dmsetup --noudevsync remove flaky
	unload dm_flakey
}

# with_sources COMMAND...: runs it with each available source.
with_sources() {
	for source in module kcore cachestat; do
		if [ $source != cachestat ] || has_cachestat; then
			"$@" --source $source dm-0
		fi
	done
}

write_error() {
	lose_writes
	for source in module kcore; do
		bufstat devices --source $source -r -n -o KNAME,WRITE-ERROR |
			sort >/tmp/errors.$source
	done
	diff /tmp/errors.module /tmp/errors.kcore
	grep -qx 'dm-0 EIO' /tmp/errors.module
	with_sources dropped 1
	dropped 1 dm-0
	is_kept
	bufstat drop dm-0 2>/tmp/error || true
	cat /tmp/error
	grep -q '^bufstat: dropping: .*dm-0: refused.*EIO.*--despite-errors' \
		/tmp/error
	equal "$(said write_error)" EIO "the error in JSON"
	with_sources dropped 1 --dry-run
	dropped 3 --yes vdd dm-0
	is_kept
	# No source knows of write errors now, and --dry-run says so.
	bufstat module unload
	without_cap $CAP_SYS_RAWIO bufstat drop --dry-run dm-0 >/tmp/text || true
	bufstat module load
	cat /tmp/text
	grep -q '^ *not known: whether a write to it has failed' /tmp/text
	take /tmp/after
	same_rows /tmp/before /tmp/after
	dropped 0 --despite-errors dm-0
	equal "$(said write_error)" EIO "the error in JSON"
	not is_kept
	unmap
}

check "drop releases a device's pages, and no other device's" releases
check "drop --dry-run releases nothing" dry_run
check "drop writes dirty pages first" writes_dirty_pages
check "drop on a mounted ext4 says what stayed, and it still reads" mounted
check "drop refuses a RAM disk" ramdisk
check "drop of several devices needs --yes" several
check "drop refuses a device with a write error that somebody was told of" \
	with BTF write_error
