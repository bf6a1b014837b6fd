# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat drop and failed writes: what may be the only copy stays, and a program
# that opens the file or device later still gets the kernel's only report of it.
# shellcheck source=../test.sh
. /guest/test.sh

CAP_SYS_RAWIO=17

map() { # TABLE...
	echo "0 $size $*" | dmsetup --noudevsync load flaky
	dmsetup --noudevsync suspend --nolockfs --noflush flaky
	dmsetup --noudevsync resume flaky
}

# From now on writes fail, or work again.
break_writes() {
	map flakey /dev/vdb 0 0 3600 1 error_writes
}

mend_writes() {
	map linear /dev/vdb 0
}

set_up() {
	modprobe -a ext4 dm_flakey
	size=$(cat /sys/class/block/vdb/size)
	dmsetup --noudevsync create flaky --notable
	mend_writes
	[ "$1" = device ] || {
		# A journal that breaks would fail fsync() by itself.
		mkfs.ext4 -qF -O ^has_journal -E lazy_itable_init=0 /dev/dm-0
		mount -t ext4 -o errors=continue /dev/dm-0 /mnt
	}
	: >/tmp/copy
}

take_down() {
	[ "$1" = device ] || umount /mnt
	[ "$1" != device ] || release
	dmsetup --noudevsync remove flaky
	unload dm_flakey
}

# dirty TARGET: writes to a file or device of which nobody knows an error yet.
# Sets $written to it, and $named to what is dropped.
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
		head -c $((10 * PAGE)) /dev/zero >"$written"
		flush "$written"
	fi
	head -c $((10 * PAGE)) /dev/urandom >/tmp/pattern
	dd if=/tmp/pattern of="$written" bs="$PAGE" conv=notrunc 2>/dev/null
}

# loses WHEN TARGET COMMAND...: a write fails before or while COMMAND drops it.
loses() {
	when=$1 target=$2
	shift 2
	dirty "$target"
	break_writes
	# The flusher's write: sync(1) has no report to make, and uses none up.
	[ "$when" = during ] || {
		sync
		mend_writes
	}
	status=0
	"$@" "$named" >/tmp/out 2>&1 || status=$?
	# Where drop refuses to write, the flusher does.
	[ "$when" = before ] || sync
	mend_writes
	echo "$when $target: exit status $status, $*"
	cat /tmp/out
	[ $status -ne 0 ]
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
check "drop --despite-errors leaves that report, too" with BTF despite_errors
check "drop releases nothing if nobody knows of failed writes" with BTF unknown
check "drop beside a steady writer" with BTF beside_a_writer
