# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A night in which memory runs out of sight: a database, the nightly find of all
# names and an image backup work one after the other while bufstat records, and
# then the host is captured. It makes tests/fixtures/incident, which the README and
# its picture are drawn from; see there.
# shellcheck source=../test.sh
. /guest/test.sh

SERVICES=/sys/fs/cgroup/system.slice

# service NAME COMMAND...: in a cgroup of its own, as systemd runs it.
service() {
	mkdir -p "$SERVICES/$1"
	name=$1
	shift
	sh -c 'echo 0 >"$0/cgroup.procs"; exec "$@"' "$SERVICES/$name" "$@"
}

# until_clock HH:MM:SS
until_clock() {
	while [ "$(date +%H:%M:%S)" \< "$1" ]; do
		sleep 1
	done
}

# The mail is on a logical volume, and fills half of it.
mail_volume() {
	modprobe -a dm_mod xfs btrfs
	echo "0 $(cat /sys/class/block/vdb/size) linear /dev/vdb 0" |
		dmsetup --noudevsync create vg0-mail
	mkfs.ext4 -qF -E lazy_itable_init=0,lazy_journal_init=0 /dev/dm-0
	mkdir -p /var/mail
	mount -t ext4 /dev/dm-0 /var/mail
	for i in $(seq 400); do
		seq "$i" $((i + 30000)) | head -c 150000 >/var/mail/user$i
	done
}

host() {
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup
	mail_volume
	mkdir -p /srv /var/lib/mysql /backup
	mount -t ext4 /dev/vda /srv
	mount -t xfs /dev/vde /var/lib/mysql
	mount -t btrfs /dev/vdf /backup
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

night() {
	host
	date -s '2026-11-22 02:04:40'
	bufstat record --dir /run/night --interval 5 --room 4M 2>/tmp/record.err &
	until_clock 02:05:20
	service mariadb.service database /var/lib/mysql/ibdata1 48 2000
	until_clock 02:06:00
	service updatedb.service find /srv -size +2048
	until_clock 02:06:50
	service backup.service sh -c 'dd if=/dev/dm-0 bs=1M |
		gzip -1 >/backup/mail.img.gz'
	until_clock 02:09:00
	bufstat capture --dir /run/night --from 02:04 /out/incident.tar
	cat /tmp/record.err
	bufstat devices | tee /out/devices
	bufstat history --dir /run/night --from 02:05 | tee /out/history
	bufstat drop vg0-mail | tee /out/drop
	bufstat | tee /out/afterwards
}

check "a night, for tests/fixtures/incident" night
