# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat drop and failed writes: what may be the only copy stays, and a program
# that opens the file or device later still gets the kernel's only report of it.
# shellcheck source=../test.sh
. /guest/test.sh

CAP_SYS_RAWIO=17

# What is written to, and the disk below it.
filesystem=ext4 disk=vdb

# map FIRST COUNT: writes to these sectors fail.
map() {
	{
		[ "$1" = 0 ] || echo "0 $1 linear /dev/$disk 0"
		[ "$2" = 0 ] ||
			echo "$1 $2 flakey /dev/$disk $1 0 3600 1 error_writes"
		end=$(($1 + $2))
		[ "$end" = "$size" ] ||
			echo "$end $((size - end)) linear /dev/$disk $end"
	} | dmsetup --noudevsync load flaky
	dmsetup --noudevsync suspend --nolockfs --noflush flaky
	dmsetup --noudevsync resume flaky
}

# From now on writes fail, or work again: those to the device, or to the blocks of
# the file only, since a journal or tree that breaks would fail fsync() by itself.
break_writes() {
	if [ "$written" = /dev/dm-0 ]; then
		map 0 "$size"
	else
		map "$place" $((10 * PAGE / 512))
	fi
}

mend_writes() {
	map 0 0
}

set_up() {
	modprobe -a $filesystem dm_flakey
	size=$(cat /sys/class/block/$disk/size)
	dmsetup --noudevsync create flaky --notable
	mend_writes
	[ "$1" != device ] || return 0
	case $filesystem in
	ext4) make="-F -E lazy_itable_init=0" options=errors=continue ;;
	xfs) make=-f options=defaults ;;
	# As databases have it: what is written again keeps its place.
	btrfs) make=-f options=nodatacow ;;
	esac
	# shellcheck disable=SC2086 # words
	"mkfs.$filesystem" -q $make /dev/dm-0
	mount -t $filesystem -o "$options" /dev/dm-0 /mnt
}

take_down() {
	[ "$1" = device ] || umount /mnt
	[ "$1" != device ] || release
	dmsetup --noudevsync remove flaky
	unload dm_flakey
}

# dirty TARGET: writes to a file or device of which nobody knows an error yet.
# Sets $written to it, $named to what is dropped, and $place to the file's sector.
dirty() {
	number=$((${number:-0} + 1))
	case $1 in
	device) written=/dev/dm-0 named=dm-0 ;;
	file) written=/mnt/$number named=$written ;;
	mount) written=/mnt/$number named=/mnt ;;
	esac
	if [ "$1" = device ]; then
		# The error stays with the device as long as it is in memory.
		[ $number = 1 ] || {
			take_down device
			set_up device
		}
		hold_open -r 30 /dev/dm-0
	else
		head -c $((10 * PAGE)) /dev/urandom >"$written"
		flush "$written"
		place=$(place_of "$written" /dev/dm-0)
	fi
	head -c $((10 * PAGE)) /dev/urandom >/tmp/pattern
	dd if=/tmp/pattern of="$written" bs="$PAGE" conv=notrunc 2>/dev/null
}

# unwritten: pages, of all filesystems.
unwritten() {
	cat /proc/sys/vm/stat_refresh
	awk '$1 == "nr_dirty" || $1 == "nr_writeback" { pages += $2 }
		END { print pages }' /proc/vmstat
}

# The flusher writes the ten pages, if drop has not. That has no report to make, and
# uses none up; sync(1) would commit journals, too. Not all that is dirty is written:
# btrfs keeps its trees.
flusher_writes() {
	most=$(($(unwritten) - 10))
	pause=$(cat /proc/sys/vm/dirty_writeback_centisecs)
	# A new value wakes the flusher.
	echo 10 >/proc/sys/vm/dirty_writeback_centisecs
	for _ in $(seq 20); do
		left=$(unwritten)
		[ "$left" != 0 ] || break
		[ "$left" -gt $most ] || break
		sleep 0.1
	done
	echo "$pause" >/proc/sys/vm/dirty_writeback_centisecs
}

# loses WHEN TARGET COMMAND...: a write fails before or while COMMAND drops it.
loses() {
	when=$1 target=$2
	shift 2
	dirty "$target"
	break_writes
	[ "$when" = during ] || {
		flusher_writes
		mend_writes
	}
	status=0
	"$@" "$named" >/tmp/out 2>&1 || status=$?
	# Where drop refuses to write, the flusher does.
	[ "$when" = before ] || flusher_writes
	mend_writes
	echo "$when $target: exit status $status, $*"
	cat /tmp/out
	[ $status -ne 0 ]
	# btrfs itself gives up pages that it could not write.
	[ "$filesystem" = btrfs ] ||
		head -c $((10 * PAGE)) "$written" | cmp - /tmp/pattern
	# The node of a device is on another filesystem.
	expected="EIO EIO"
	[ "$target" != device ] || expected="EIO none"
	equal "$(reports "$written")" "$expected" "fsync and syncfs"
}

# both TARGET COMMAND...: the write fails before the drop, then during it.
both() {
	loses before "$@"
	loses during "$@"
}

each_source() { # TARGET
	number=0
	set_up "$1"
	# With the module alone, with kcore alone, with neither.
	both "$1" without_cap $CAP_SYS_RAWIO bufstat drop
	bufstat module unload
	both "$1" bufstat drop
	both "$1" without_cap $CAP_SYS_RAWIO bufstat drop
	bufstat module load
	take_down "$1"
}

each_source_of() { # FILESYSTEM DISK TARGET
	filesystem=$1 disk=$2
	each_source "$3"
}

# Nothing is known to have failed, but nobody knows. What is clean stays, too.
unknown() {
	set_up file
	number=0
	dirty file
	flush /mnt/1
	bufstat module unload
	without_cap $CAP_SYS_RAWIO bufstat drop --dry-run /mnt/1 >/tmp/out 2>&1 ||
		echo "exit status $?"
	status=0
	without_cap $CAP_SYS_RAWIO bufstat drop /mnt/1 2>>/tmp/out || status=$?
	bufstat module load
	cat /tmp/out
	grep -q 'not known whether a write to it has failed; .*--despite-errors' \
		/tmp/out
	grep -q 'refused, it is not known whether a write .*--despite-errors' \
		/tmp/out
	equal $status 2 "exit status"
	bufstat drop /mnt/1
	take_down file
}

despite_errors() {
	number=0
	set_up file
	dirty file
	break_writes
	bufstat drop --despite-errors /mnt/1
	mend_writes
	not cmp /mnt/1 /tmp/pattern
	equal "$(reports /mnt/1)" "EIO EIO" "fsync and syncfs"
	take_down file
}

# Beside a writer that goes on, drop ends, and says what is dirty again.
beside_a_writer() {
	set_up file
	number=0
	dirty file
	while :; do
		dd if=/tmp/pattern of=/mnt/1 bs="$PAGE" conv=notrunc 2>/dev/null
	done &
	writer=$!
	ended=0
	bufstat drop /mnt/1 >/tmp/out 2>&1 || ended=$?
	kill $writer
	wait $writer || true
	cat /tmp/out
	echo "exit status $ended"
	case $ended in
	0) ;;
	# Between two writes the pages may be clean, and still in the hands of dd.
	3) grep -qE 'stayed: (dirty, written to meanwhile|in use)' /tmp/out ;;
	*) false ;;
	esac
	take_down file
}

for target in file device mount; do
	check "drop leaves the report of a failed write, $target" \
		with BTF each_source $target
done
for target in file mount; do
	check "drop leaves the report of a failed write, $target on xfs" \
		with BTF each_source_of xfs vde $target
	check "drop leaves the report of a failed write, $target on btrfs" \
		with btrfs with BTF each_source_of btrfs vdb $target
done
check "drop --despite-errors leaves that report, too" with BTF despite_errors
check "drop releases nothing if nobody knows of failed writes" with BTF unknown
check "drop beside a steady writer" with BTF beside_a_writer
