# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The examples of the manual that take a machine: tools/manual --machine pastes what
# they print, and compares its pages' commands with those below.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh
# shellcheck source=../manual.sh
. /guest/manual.sh

# inside CGROUP COMMAND...: in a cgroup of version 2.
inside() {
	grep -q ' /sys/fs/cgroup ' /proc/mounts ||
		mount -t cgroup2 cgroup2 /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p "/sys/fs/cgroup/$1"
	procs=/sys/fs/cgroup/$1/cgroup.procs
	shift
	sh -c 'echo 0 >"$0" && exec "$@"' "$procs" "$@"
}

device() {
	exec 4</dev/vdb
	dd if=/dev/vdb of=/dev/null bs=1M 2>/dev/null
	example drop 'bufstat drop vdb'
}

who() {
	files
	example who 'bufstat who -o NAME,CACHE,COMMAND,IN,OUT,HOW -- find /mnt -mtime +7'
}

charged() {
	files
	inside backup.service cat /mnt/data/table >/dev/null
	inside db.service find /mnt -mtime +7 >/dev/null
	example charges 'bufstat charges /dev/vdb'
	example who-now 'bufstat who --now -o NAME,CACHE,CGROUP,RESIDENT,SHARE vdb'
}

blocks() {
	files
	find /mnt -mtime +7 >/dev/null
	example blocks 'bufstat blocks vdb'
}

path() {
	[ -e /sys/kernel/tracing/trace ] ||
		mount -t tracefs tracefs /sys/kernel/tracing
	exec 4</dev/vdb
	echo 1 >/proc/sys/vm/drop_caches
	other_processors 0
	example path 'bufstat path --max-depth 4 -- dd if=/dev/vdb of=/dev/null bs=1M count=1'
	example path-direct 'bufstat path --max-depth 4 -- dd if=/dev/vdb of=/dev/null bs=1M count=1 iflag=direct'
	other_processors 1
}

repro() {
	modprobe loop
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/vdb
	mount -t ext4 /dev/vdb /mnt
	mkdir -p /var/tmp
	mount --bind /mnt /var/tmp
	example repro 'bufstat repro dd --size 16M'
	umount /var/tmp
}

module() {
	example module 'bufstat module status'
}

check "examples of drop" device
check "examples of who" who
check "examples of charges and who --now" charged
check "examples of blocks" blocks
check "examples of path" path
check "examples of repro" repro
check "examples of module" module
# shellcheck source=../tests/94-articles.sh
. /guest/tests/94-articles.sh
