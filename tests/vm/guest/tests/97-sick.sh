# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Beside a sick disk or mount every command answers, and leaves nothing behind.
# The file sick has the times. sick=all on the kernel's command line tries every
# command, with the module, with kcore and with neither, and beside a healthy disk,
# too. Otherwise only those run that may wait, with the module.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
hurried
# shellcheck source=../sick.sh
. /guest/sick.sh

# bufstat promises 2 s. An emulated machine is many times slower.
MOST_SECONDS=${sick_seconds:-12}

COMMANDS="summary filesystems files cgroups charges memory export sources who"
[ "${sick:-}" != all ] ||
	COMMANDS="$COMMANDS summary-fs json devices explain capture top screen
		path blocks who-now zones record history"

# The command path traces.
[ "${sick:-}" != all ] || other_processors 0

CAP_SYS_RAWIO=17
as=
bufstat=bufstat

# Beside some sicknesses nothing is mounted.
ext4_disk() {
	if grep -q " /mnt ext" /proc/mounts; then
		echo /mnt
	else
		echo /dev/vda
	fi
}

# shellcheck disable=SC2086,SC2046 # words
run_command() {
	case $1 in
	summary) $bufstat ;;
	summary-fs) $bufstat --filesystems ;;
	json) $bufstat -J --filesystems ;;
	devices) $bufstat devices -a ;;
	filesystems) $bufstat fs ;;
	selected) $bufstat fs /tmp/fuse/directory / ;;
	named) $bufstat devices /tmp/named ;;
	files) $bufstat files ;;
	cgroups) $bufstat cgroups ;;
	charges) $bufstat charges ${device:-} /mnt ;;
	blocks) $bufstat blocks ${device:-$(ext4_disk)} ;;
	explain) $bufstat explain ;;
	export) $bufstat export ;;
	capture) $bufstat capture /tmp/capture.tar ;;
	sources) $bufstat sources ;;
	memory) $bufstat memory --owners all --pss ;;
	who) $bufstat who -s 0.1 -c 1 ;;
	path) $bufstat path --all-processes --duration 0.1 ;;
	who-now) $bufstat who --now ;;
	zones) $bufstat zones ;;
	# It records until it is told to end.
	record) timeout 4 $bufstat record --dir /tmp/recording ;;
	history) $bufstat history --dir /tmp/recording ;;
	top) $bufstat top --batch -c 1 ;;
	screen) TERM=linux BUFSTAT_TOP_SCRIPT=/tmp/script $bufstat top ;;
	save) $bufstat --save /mnt/saved ;;
	textfile) $bufstat export --textfile /mnt/textfile ;;
	cachestat) $bufstat devices -a --source cachestat ;;
	dump) $bufstat fs --vmcore /mnt/vmcore --timeout 3 ;;
	dump-again) $bufstat devices --vmcore /mnt/vmcore ;;
	module) $bufstat devices --source module ;;
	dry) $bufstat drop --dry-run "$device" ;;
	drop) $bufstat drop "$device" ;;
	dry-file) $bufstat drop --dry-run /mnt/dirty ;;
	dry-mount) $bufstat drop --dry-run /mnt ;;
	dry-fuse) $bufstat drop --dry-run /tmp/fuse ;;
	drop-file) $bufstat drop /mnt/dirty ;;
	drop-mount) $bufstat drop /mnt ;;
	esac
}

# The screen waits for none of its tabs, and ends at once.
cat >/tmp/script <<-end
	hurry
	sleep 2
	keys 2
	sleep 1
	keys 3
	sleep 1
	keys 1
end

now() {
	cut -d ' ' -f 1 /proc/uptime
}

# Processes left by earlier commands, which count only once.
known=/tmp/left
# busybox's grep takes an empty pattern file to match every line.
echo none >$known

# most_seconds COMMAND: path reads the kernel's list of functions, for which the kernel
# looks each function of a module up among all symbols of that module. Those of
# riscv64 keep their local labels: XFS has 4,000 functions and 367,000 symbols. Under
# emulation that alone takes half a minute.
most_seconds() {
	case $1-$(uname -m) in
	path-riscv64) echo $((MOST_SECONDS * 10)) ;;
	*) echo "$MOST_SECONDS" ;;
	esac
}

# try SICKNESS COMMAND MOST-LEFT STATUS...: the command and the reader of its
# pipe end in time, with one of the statuses, and leave at most MOST-LEFT
# processes.
try() {
	sickness=$1 command=$2 most=$3
	shift 3
	rm -f /tmp/status
	: >/tmp/said
	start=$(now)
	{
		{
			run_command "$command" && code=0 || code=$?
			echo $code >/tmp/code
		} 2>/tmp/said.err | cat >/tmp/said
		now >/tmp/ended
		mv /tmp/code /tmp/status
	} &
	seconds=$(most_seconds "$command")
	ends_within "$seconds" || {
		echo "$sickness $command: no answer in $seconds s" >>/tmp/wrong
		return 0
	}
	sleep 0.2
	left_behind | grep -vxFf $known >/tmp/new || true
	left=$(wc -l </tmp/new)
	cat /tmp/new >>$known
	status=$(cat /tmp/status)
	cp /tmp/said.err "/tmp/$command.err"
	echo "$with $sickness $command: $(awk -v a="$start" \
		-v b="$(cat /tmp/ended)" 'BEGIN { printf "%.2f s", b - a }'), exit $status, $left left" |
		tee -a /out/sick
	[ "$left" -le "$most" ] ||
		echo "$sickness $command: $left processes left" >>/tmp/wrong
	case " $* " in
	*" $status "*) ;;
	*) echo "$sickness $command: exit status $status: $(tail -n 2 /tmp/said.err)" >>/tmp/wrong ;;
	esac
	case $command in
	summary*) grep -q ^Mem: /tmp/said ||
		echo "$sickness $command: no table" >>/tmp/wrong ;;
	esac
}

# each SICKNESS [MOST-LEFT]: tries every command. With neither the module nor kcore
# devices are opened, and the first command that does so may leave one process more.
each() {
	: >/tmp/wrong
	most_left=${2:-0}
	[ "$with" != neither ] || most_left=$((most_left + 1))
	for command in $COMMANDS; do
		try "$1" "$command" "$most_left" 0 2 3
	done
	[ -z "${device:-}" ] || try "$1" dry 0 0 1 2 3
	[ "$with" != neither ] || [ "$(left_behind | wc -l)" -le "$most_left" ] ||
		echo "$1: more than $most_left processes left" >>/tmp/wrong
}

all_well() {
	cat /tmp/wrong
	[ ! -s /tmp/wrong ]
}

# written_late COMMAND: it leaves one process; a second run leaves no other.
written_late() {
	try suspended "$1" 1 1
	grep -q "not done yet; process [0-9]* goes on with it" /tmp/said.err ||
		echo "$1 does not say that it goes on" >>/tmp/wrong
	try suspended "$1" 0 1
	grep -q "not answering since" /tmp/said.err ||
		echo "$1 does not say since when" >>/tmp/wrong
}

# written_after_all FILE...: each is written, and no temporary file is left.
written_after_all() {
	for file; do
		[ -s "$file" ] || echo "$file was not written" >>/tmp/wrong
		[ "$(echo "$file"*)" = "$file" ] ||
			echo "left: $(echo "$file"*)" >>/tmp/wrong
	done
}

# dropped_late COMMAND [STATUS...]: drop says why it releases nothing. With neither the
# module nor kcore it does not try: nobody knows of writes that failed before.
dropped_late() {
	command=$1
	shift
	case $with in
	neither) try suspended "$command" 0 2 "$@" ;;
	*) try suspended "$command" 0 1 "$@" ;;
	esac
	reason="nothing is released: the disk has written nothing for"
	[ "$with" != neither ] ||
		reason="refused, it is not known whether a write to it has failed"
	[ "$command" = drop-mount ] || grep -q "$reason" /tmp/said.err ||
		echo "$command: $(cat /tmp/said.err)" >>/tmp/wrong
}

# Dirty pages of a file make drop wait for the disk, but no dry run. Their blocks are
# allocated: else starting to write them may read from the disk, and wait itself.
files_dropped_late() {
	dd if=/dev/zero of=/mnt/dirty bs="$PAGE" count=64 conv=fsync 2>/dev/null
	dd if=/dev/zero of=/mnt/dirty bs="$PAGE" count=64 conv=notrunc 2>/dev/null
	dmsetup --noudevsync suspend --noflush --nolockfs sick
	try suspended dry-file 0 0 2
	try suspended dry-mount 0 0 2
	dropped_late drop-file
	dropped_late drop-mount 2
	resume_sick
}

suspended() {
	make_sick
	device=/dev/dm-0
	mkfs.ext4 -qF "$device"
	mount -t ext4 "$device" /mnt
	: >/mnt/file
	dmsetup --noudevsync suspend sick
	each suspended
	written_late save
	written_late textfile
	resume_sick
	written_after_all /mnt/saved /mnt/textfile
	files_dropped_late
	umount /mnt
	# Dirty pages of the device make drop wait for the disk.
	hold_open "$device"
	dd if=/dev/zero of="$device" bs="$PAGE" count=64 conv=notrunc 2>/dev/null
	dmsetup --noudevsync suspend --noflush --nolockfs sick
	dropped_late drop
	echo 1 >/proc/sys/kernel/hung_task_panic
	try suspended drop 0 1 2
	echo 0 >/proc/sys/kernel/hung_task_panic
	resume_sick
	bufstat drop "$device"
	release
	dmsetup --noudevsync remove sick
	all_well
}

# A dump on a disk that is suspended before anybody has opened the dump.
dump_suspended() {
	make_sick
	mkfs.ext4 -qF /dev/dm-0
	mount -t ext4 /dev/dm-0 /mnt
	cp /bin/busybox /mnt/vmcore
	umount /mnt
	mount -t ext4 /dev/dm-0 /mnt
	dmsetup --noudevsync suspend --noflush --nolockfs sick
	: >/tmp/wrong
	try dump-suspended dump 1 1
	cat /tmp/said.err
	grep -q "/mnt/vmcore: still working" /tmp/said.err ||
		echo "it does not say that it goes on" >>/tmp/wrong
	grep -q "not measured in time (--timeout N sets it)" /tmp/said.err ||
		echo "it does not say why it ends" >>/tmp/wrong
	# The second run leaves no second process.
	try dump-suspended dump-again 0 1
	grep -q "not answering since" /tmp/said.err ||
		echo "it does not say since when" >>/tmp/wrong
	resume_sick
	try dump-resumed dump-again 0 1
	grep -q "no dump" /tmp/said.err ||
		echo "it does not read it after the resume" >>/tmp/wrong
	umount /mnt
	dmsetup --noudevsync remove sick
	all_well
}

# The root is on the suspended disk. An earlier run has cached what bufstat
# reads.
root_suspended() {
	make_sick
	mkfs.ext4 -qF /dev/dm-0
	mount -t ext4 /dev/dm-0 /mnt
	mkdir -p /mnt/proc /mnt/sys /mnt/dev /mnt/tmp /mnt/run /mnt/mnt
	cp -a /bin /etc /lib* /usr /mnt
	for directory in proc sys dev tmp run sys/kernel/debug; do
		mount --bind /$directory /mnt/$directory
	done
	bufstat="$as chroot /mnt bufstat"
	for command in $COMMANDS; do
		run_command "$command" >/dev/null 2>&1 || true
	done
	sync
	dmsetup --noudevsync suspend --noflush --nolockfs sick
	each root-suspended
	dmsetup --noudevsync resume sick
	bufstat="$as bufstat"
	for directory in sys/kernel/debug proc sys dev tmp run; do
		umount -l /mnt/$directory
	done
	umount /mnt
	dmsetup --noudevsync remove sick
	all_well
}

# A program on the suspended disk does not start, and a signal ends the wait for it.
program_suspended() {
	bufstat who -- /var/lib/dkms/bufstat/program 2>/tmp/said.err &
	program=$!
	sleep 5
	kill -TERM $program || echo "who: $(cat /tmp/said.err)" >>/tmp/wrong
	for _ in $(seq $((MOST_SECONDS * 10))); do
		kill -0 $program 2>/dev/null || break
		sleep 0.1
	done
	! kill -9 $program 2>/dev/null ||
		echo "who waits for a program for ever" >>/tmp/wrong
}

# Where DKMS has its modules is on the suspended disk, and nobody has looked there.
# Only what says why the module is not loaded looks.
modules_suspended() {
	make_sick
	mkfs.ext4 -qF /dev/dm-0
	mkdir -p /var/lib/dkms
	mount -t ext4 /dev/dm-0 /mnt
	mkdir -p /mnt/bufstat/1.0.0/source
	cp /bin/busybox /mnt/bufstat/program
	umount /mnt
	mount -t ext4 /dev/dm-0 /var/lib/dkms
	[ ! -d /sys/module/bufstat ] || rmmod bufstat
	dmsetup --noudevsync suspend --noflush --nolockfs sick
	each modules-suspended 1
	try modules-suspended module 1 2
	grep -q "not loaded, and its files: " /tmp/said.err ||
		echo "no reason: $(cat /tmp/said.err)" >>/tmp/wrong
	# Another worker would wait there, too.
	try modules-suspended module 0 2
	lacking tracing || program_suspended
	resume_sick
	umount /var/lib/dkms
	dmsetup --noudevsync remove sick
	[ "$with" != module ] || insmod "$MODULE"
	all_well
}

# A SCSI host that is in error recovery for minutes.
scsi_recovery() {
	modprobe scsi_debug dev_size_mb=64 2>/dev/null ||
		skip "no scsi_debug here"
	modprobe sd_mod 2>/dev/null || true
	disk=
	for _ in $(seq 100); do
		for found in /sys/block/sd*; do
			[ ! -e "$found/size" ] || disk=${found##*/}
		done
		[ -z "$disk" ] && sleep 0.1 || break
	done
	[ -n "$disk" ] || fail "no disk of scsi_debug"
	device=/dev/$disk
	mkfs.ext4 -qF "$device"
	mount -t ext4 "$device" /mnt
	: >/mnt/file
	echo 1 >/sys/bus/pseudo/drivers/scsi_debug/every_nth
	echo 4 >/sys/bus/pseudo/drivers/scsi_debug/opts
	echo 1 >"/sys/block/$disk/device/timeout" 2>/dev/null || true
	blockdev --rereadpt "$device" 2>/dev/null &
	dd if="$device" of=/dev/null bs="$PAGE" skip=1000 count=1 2>/dev/null &
	sleep 2
	cat /sys/class/scsi_host/host*/state
	each scsi-recovery
	[ ! -e /tmp/cachestat ] || try scsi-recovery cachestat 1 3 2 0
	echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
	echo 0 >/sys/bus/pseudo/drivers/scsi_debug/every_nth
	echo 1 >"/sys/block/$disk/device/delete"
	device=
	each_deleted
	umount /mnt 2>/dev/null || umount -l /mnt
	wait
	unload scsi_debug
	all_well
}

# The disk is deleted while it is mounted.
each_deleted() {
	for command in $COMMANDS; do
		try scsi-deleted "$command" 0 0 2 3
	done
	# cachestat cannot ask about the pages of a deleted disk.
	[ ! -e /tmp/cachestat ] || [ ! -d /sys/module/bufstat ] || {
		take /tmp/after
		bufstat devices -J --source cachestat >/tmp/devices || true
		# Pages that the filesystem still keeps after the deletion.
		left=$(awk '$1 == 8 && NF > 4 { print $4 }' /tmp/after)
		echo "scsi-deleted: ${left:-0} pages, $(jq -c '[.complete, .source]' /tmp/devices)" |
			tee -a /out/sick
		[ "${left:-0}" = 0 ] || jq -e '.complete == false' /tmp/devices ||
			echo "pages of a deleted device, and complete" >>/tmp/wrong
	}
}

# serve_nbd: serves /dev/nbd0. $server is the server, $holder its client.
serve_nbd() {
	modprobe nbd max_part=4 2>/dev/null || skip "no nbd here"
	start_holding nbd_server /dev/nbd0
	server=$(cut -d ' ' -f 2 /run/hold)
	device=/dev/nbd0
}

nbd_stopped() {
	serve_nbd
	dd if=/dev/nbd0 of=/dev/null bs="$PAGE" count=8 2>/dev/null
	kill -STOP "$server"
	dd if=/dev/nbd0 of=/dev/null bs="$PAGE" skip=100 count=1 2>/dev/null &
	sleep 0.5
	each nbd-stopped
	# An open waits for the partition scan, which waits for the server.
	blockdev --rereadpt /dev/nbd0 2>/dev/null &
	sleep 0.5
	each nbd-scanned
	[ ! -e /tmp/cachestat ] || {
		try nbd-scanned cachestat 1 3 2 0
		try nbd-scanned cachestat 0 3 2 0
		grep -q "not answering since" /tmp/said.err ||
			echo "cachestat does not say since when" >>/tmp/wrong
	}
	try nbd-scanned drop 1 1
	kill -CONT "$server"
	sleep 1
	kill "$server"
	wait "$holder" || true
	all_well
}

fuse_silent() {
	start_silent_fuse
	# What this names as its device leads to the server.
	mkdir -p /tmp/named
	mount -t tmpfs /dev/../tmp/fuse/directory/disk /tmp/named
	kill -STOP "$holder"
	each fuse-silent
	try fuse-silent selected 0 3 2
	try fuse-silent named 0 1
	umount /tmp/named
	end_silent_fuse
	all_well
}

fuse_read_and_silent() {
	start_silent_fuse
	kill -USR1 "$holder"
	each fuse-read 1
	# It is a mount that fs has asked about.
	try fuse-read dry-fuse 0 0 1 2 3
	[ ! -d /sys/module/bufstat ] || {
		# The processes that are left do not use the module.
		rmmod bufstat || echo "the module cannot be unloaded" >>/tmp/wrong
		insmod "$MODULE"
	}
	end_silent_fuse
	all_well
}

# serve_nfs: serves /tmp/served over NFS 4 from this machine. No daemon answers
# the kernel's questions about exports, so it gets the answers beforehand.
serve_nfs() {
	# It still serves from the first run, the one with the module.
	[ ! -e /proc/fs/nfsd/threads ] || return 0
	modprobe nfsd 2>/dev/null && modprobe nfsv4 2>/dev/null ||
		skip "no NFS here"
	mkdir -p /tmp/served
	mount -t tmpfs served /tmp/served
	mkdir /tmp/served/directory
	ip link set lo up
	mount -t nfsd nfsd /proc/fs/nfsd
	rpc=/proc/net/rpc
	forever=2147483647
	echo "nfsd 127.0.0.1 $forever *" >$rpc/auth.unix.ip/channel
	echo "* /tmp/served $forever 9218 65534 65534 0" >$rpc/nfsd.export/channel
	# By its fsid, which is 0 for the root of all exports.
	echo "* 1 \\x00000000 $forever /tmp/served" >$rpc/nfsd.fh/channel
	echo "-2 -3 +4 +4.1 +4.2" >/proc/fs/nfsd/versions 2>/dev/null ||
		echo "-3 +4 +4.1 +4.2" >/proc/fs/nfsd/versions
	# Linux 7.3 starts no thread before it is told where to listen.
	echo "tcp 2049" >/proc/fs/nfsd/portlist
	echo 2 >/proc/fs/nfsd/threads
}

nfs_dead() {
	serve_nfs
	mkdir -p /tmp/nfs
	mount -t nfs4 -o addr=127.0.0.1,clientaddr=127.0.0.1,vers=4.2,hard,actimeo=0 \
		127.0.0.1:/ /tmp/nfs
	mount -t tmpfs inside /tmp/nfs/directory
	ip link set lo down
	each nfs-dead
	ip link set lo up
	umount -l /tmp/nfs/directory
	umount -l /tmp/nfs
	all_well
}

# A process holds its own mmap_lock while it waits for the thaw.
frozen() {
	mkfs.ext4 -qF /dev/vdb
	mount -t ext4 /dev/vdb /mnt
	dd if=/dev/zero of=/mnt/mapped bs="$PAGE" count=16 2>/dev/null
	fsfreeze --freeze /mnt
	blocked_mmap /mnt/mapped &
	process=$!
	for _ in $(seq 6); do
		timeout -s KILL 1 cat /proc/$process/maps >/dev/null 2>&1 || break
		sleep 0.5
	done
	grep -H . /proc/$process/task/*/wchan
	# Newer kernels read /proc/PID/maps without that lock.
	blocked=yes
	! timeout -s KILL 1 cat /proc/$process/maps >/dev/null || blocked=no
	echo "frozen: /proc/PID/maps waits: $blocked" | tee -a /out/sick
	device=/dev/vdb
	each frozen
	[ ! -d /sys/module/bufstat ] || [ $blocked = no ] ||
		grep -q "users: blocked_mmap" /tmp/files.err ||
		echo "files: $(cat /tmp/files.err)" >>/tmp/wrong
	fsfreeze --unfreeze /mnt
	wait $process
	# The module drops its references within a second.
	for _ in $(seq 50); do
		umount /mnt 2>/dev/null && break
		sleep 0.1
	done
	not grep -q " /mnt " /proc/mounts
	device=
	all_well
}

truncated() {
	modprobe loop
	dd if=/dev/zero of=/tmp/image bs=1M count=16 2>/dev/null
	loop=$(losetup -f)
	losetup "$loop" /tmp/image
	mkfs.ext4 -qF "$loop"
	mount -t ext4 "$loop" /mnt
	ls /mnt >/dev/null
	: >/tmp/image
	# busybox's losetup has no -c.
	set_capacity "$loop"
	device=$loop
	each truncated
	try truncated drop 0 0 1 2 3
	umount /mnt 2>/dev/null || umount -l /mnt
	losetup -d "$loop" || true
	all_well
}

healthy() {
	each healthy
	all_well
}

# sick WITH [PREFIX]: bufstat runs with the prefix.
sick() {
	with=$1 as=${2:-}
	bufstat="$as bufstat"
	# The kernel's NFS server waits for daemons that are not here.
	first='' long=''
	[ "${sick:-}" != all ] || first=healthy long=nfs_dead
	for sickness in $first suspended root_suspended modules_suspended scsi_recovery \
		nbd_stopped fuse_silent fuse_read_and_silent $long frozen truncated; do
		check "$with: beside $sickness every command answers, and leaves nothing" \
			$sickness
	done
}

# For bufstat cgroups; an earlier script may still hold the controller.
mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null || true

unload_module() {
	rmmod bufstat
}

: >/out/sick
# /tmp/cachestat: the kernel has cachestat(2), of Linux 6.5.
cachestat /dev/vda >/dev/null 2>&1
[ $? = 77 ] || : >/tmp/cachestat
sick module
with=dump
check "a dump on a suspended disk is left, and read after the resume" \
	dump_suspended
[ "${sick:-}" != all ] || {
	unload_module
	sick kcore
	sick neither "without_cap $CAP_SYS_RAWIO"
	insmod "$MODULE"
}
[ "${sick:-}" != all ] || other_processors 1
