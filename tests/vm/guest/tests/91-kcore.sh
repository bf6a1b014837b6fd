# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The source kcore: it reads from the kernel's memory what the module counts in
# the kernel.
# shellcheck source=../test.sh
. /guest/test.sh

CAP_SYS_RAWIO=17

hold_some() {
	hold_open -r 30 /dev/vda /dev/vdb /dev/vdc1
	dd if=/dev/vdd of=/dev/null bs="$PAGE" count=7 2>/dev/null
	exec 4</dev/vdd
	dd if=/dev/vdd of=/dev/null bs="$PAGE" count=7 2>/dev/null
}

# rows SOURCE: kname, pages and openers of each device with pages.
rows() {
	bufstat devices --source "$1" -J -o KNAME,PAGES,OPENERS >/tmp/json
	jq -e '.complete and .settled' /tmp/json >/dev/null ||
		fail "$1: not complete: $(cat /tmp/json)"
	jq -r '.devices[] | select(.kname) | "\(.kname) \(.pages) \(.openers)"' \
		/tmp/json | sort
}

# pages_of SOURCE: the same without openers, which cachestat does not have.
pages_of() {
	rows "$1" | cut -d ' ' -f 1,2 | grep -v ' 0$\| null$'
}

agree() {
	hold_some
	rows module >/tmp/module
	rows kcore >/tmp/kcore
	cat /tmp/module
	[ "$(wc -l </tmp/module)" -ge 4 ]
	diff /tmp/module /tmp/kcore
	has_cachestat || return 0
	pages_of module >/tmp/module
	pages_of cachestat >/tmp/cachestat
	diff /tmp/module /tmp/cachestat
}

# A report from another host: what was found how, and never an address.
says_what_it_found() {
	BUFSTAT_DEBUG=kernel bufstat devices --source kcore 2>/tmp/said >/dev/null
	head -n 3 /tmp/said
	grep -qE '^bufstat: kernel: struct super_block: s_inodes at [0-9]+, 16 bytes$' /tmp/said
	grep -qE '^bufstat: kernel: symbol blockdev_superblock: (exported|in )' /tmp/said
	not grep -iE '0x|[0-9a-f]{12}' /tmp/said
}
check 'BUFSTAT_DEBUG=kernel says what was found how' says_what_it_found

# Without the kernel's types kcore fails, and writes nothing.
without_types() {
	hold_some
	rows kcore >/tmp/first
	mount -t tmpfs none /sys/kernel/btf
	not bufstat devices --source kcore 2>/tmp/said
	umount /sys/kernel/btf
	cat /tmp/said
	grep -q CONFIG_DEBUG_INFO_BTF /tmp/said
	rows kcore >/tmp/second
	diff /tmp/first /tmp/second
	[ ! -e /run/bufstat ]
}

# The size of block_device, from which the layout of bdev_inode is derived, is
# wrong in this BTF; the size of bdev_inode is right. So kcore searches all
# symbols and types.
misleading_types() {
	hold_some
	rows kcore >/tmp/first
	cp /sys/kernel/btf/vmlinux /tmp/btf
	other_size block_device /tmp/btf
	mount -t tmpfs none /sys/kernel/btf
	mv /tmp/btf /sys/kernel/btf/vmlinux
	status=0
	(rows kcore) >/tmp/second || status=$?
	umount /sys/kernel/btf
	equal $status 0 "exit status"
	diff /tmp/first /tmp/second
}

# A search of all symbols and types takes 5 to 8 MB; the quick way to find the
# devices takes 2.5 MB on x86-64. Pages of 64 KiB are taken as a whole.
quick() {
	case $(uname -r) in
	4.18.*) skip "its exports have another form, so all symbols are read" ;;
	esac
	hold_some
	least=$(time_runs 3 bufstat devices --source module | cut -d ' ' -f 3)
	memory=$(time_runs 3 bufstat devices --source kcore | cut -d ' ' -f 3)
	echo "$memory KiB, with the module $least KiB"
	pages=$((PAGE_KIB > 16 ? 17 : 16))
	[ "$memory" -lt $((least + 1000 + pages * PAGE_KIB)) ]
}

without_module() {
	hold_some
	rows kcore >/tmp/with
	bufstat module unload
	rows kcore >/tmp/without
	bufstat module load
	diff /tmp/with /tmp/without
}

# Without CAP_SYS_RAWIO there is a message, and the exit status is 2.
no_capability() {
	status=0
	without_cap $CAP_SYS_RAWIO bufstat devices --source kcore \
		2>/tmp/said || status=$?
	cat /tmp/said
	equal $status 2 "exit status"
	grep -q 'needs CAP_SYS_RAWIO' /tmp/said
	status=0
	su -s /bin/sh nobody -c "bufstat devices --source kcore" \
		2>/tmp/said || status=$?
	cat /tmp/said
	equal $status 2 "exit status as nobody"
	grep -q 'is for root' /tmp/said
}

# With hidden addresses, kcore reads the symbols from the kernel's memory.
hidden_addresses() {
	hold_some
	rows kcore >/tmp/open
	echo 2 >/proc/sys/kernel/kptr_restrict
	status=0
	rows kcore >/tmp/hidden || status=$?
	echo 0 >/proc/sys/kernel/kptr_restrict
	equal $status 0 "exit status"
	diff /tmp/open /tmp/hidden
}

# A device whose node is gone is still measured: kcore opens no device.
filled_in() {
	hold_some
	bufstat module unload
	mv /dev/vdb /dev/vdb.away
	status=0
	bufstat devices -r -o KNAME,PAGES,SOURCE >/tmp/rows 2>/tmp/said ||
		status=$?
	mv /dev/vdb.away /dev/vdb
	bufstat module load
	cat /tmp/rows /tmp/said
	equal $status 0 "exit status"
	not grep -q cachestat /tmp/rows
	grep -q '^vdb [1-9][0-9]* kcore$' /tmp/rows
	tail -n 1 /tmp/rows | grep -q ' 0 $'
}

# Unbinds the driver of a mounted disk. sysfs no longer has the disk, but its
# pages stay, and only the kernel's memory has its name.
removed_device() {
	case $(uname -r) in
	4.18.*) skip "a disk removed while mounted gets another name (Linux 5.8)" ;;
	esac
	driver=/sys/bus/virtio/drivers/virtio_blk
	bus=$(basename "$(readlink -f /sys/block/vdd/device)")
	mount_quietly /dev/vdd
	find /mnt >/dev/null
	echo "$bus" >$driver/unbind
	[ ! -e /sys/block/vdd ]
	for source in kcore module; do
		bufstat devices --source $source -rno KNAME,NAME,PAGES,STATE \
			>/tmp/$source
	done
	umount /mnt
	echo "$bus" >$driver/bind
	# The module does not follow a pointer that may be stale. The tool then
	# has the name from the mount.
	cat /tmp/kcore /tmp/module
	grep -q '^vdd vdd [1-9]' /tmp/kcore
	grep -q '^[^ ]* vdd [1-9]' /tmp/module
}

check "kcore and the module agree row by row" with BTF agree
check "without types kcore says so, and keeps nothing" with BTF without_types
check "kcore reads little of what there is" with BTF quick
check "types that mislead are not believed" with BTF misleading_types
check "kcore needs no module" with BTF without_module
check "kcore says which right is missing" with BTF no_capability
check "kptr_restrict=2 hides nothing" with BTF hidden_addresses
check "a device without a node is measured by kcore" with BTF filled_in
check "a device that was removed has its name from memory" with BTF removed_device
