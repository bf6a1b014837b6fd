# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat blocks says what is on a device, by what is cached of it: beside what blkid
# says of the disk, for all that the programs here make, each in its usual use. It may
# say less, but is never confident and wrong. thorough=1 on the kernel's command line
# looks at more states of the cache.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh

# What the programs of this machine make, on $1: NAME USE COMMAND. The tree is in $D.
TYPES='ext2 mount mkfs.ext4 -q -F -t ext2 -L some $1
ext3 mount mkfs.ext4 -q -F -t ext3 $1
ext4 mount mkfs.ext4 -q -F -t ext4 -b 4096 -L root $1
ext4 mount mkfs.ext4 -q -F -t ext4 -b 1024 $1
jbd journal mkfs.ext4 -q -F -O journal_dev -b 4096 $1
btrfs mount mkfs.btrfs -q -f -L pool $1
swap swap mkswap -L swap $1
swap swap mkswap $1
vfat mount mkfs.vfat -I -F 16 -n SIXTEEN $1
vfat mount mkfs.vfat -I -F 32 -s 1 -n EFI $1
exfat mount mkfs.exfat -L stick $1
ntfs mount mkntfs -q -F -Q -L windows $1
f2fs mount mkfs.f2fs -q -f -l flash $1
nilfs2 mount mkfs.nilfs2 -q -f -B 16 -L log $1
udf mount mkudffs -l disc $1
jfs mount mkfs.jfs -q -L old $1
reiserfs mount mkreiserfs -q -f -f -l older $1
minix mount mkfs.minix -3 $1
bfs mount mkfs.bfs $1
erofs mount mkfs.erofs $1 $D
iso9660 mount genisoimage -quiet -V CD -o /tmp/image $D && cat /tmp/image >$1
crypto_LUKS luks luks $1 luks1
crypto_LUKS luks luks $1 luks2 --pbkdf pbkdf2
linux_raid_member md array 0.90 $1
linux_raid_member md array 1.0 $1
linux_raid_member md array 1.1 $1
linux_raid_member md array 1.2 $1
LVM2_member lvm volume $1
bcache bcache make-bcache -B $1
dos part echo ,,L | sfdisk -q --label dos $1
gpt part echo ,,L | sfdisk -q --label gpt $1'

luks() { # DEVICE TYPE OPTION...
	device=$1 type=$2
	shift 2
	echo secret | cryptsetup -q luksFormat --type "$type" -c aes-cbc-plain64 \
		-s 256 "$@" --pbkdf-force-iterations 1000 "$device"
}

# The filesystem in the array makes a device with metadata 1.0 look like one.
array() { # VERSION DEVICE
	mdadm --quiet --create /dev/md0 --metadata "$1" --level 1 --raid-devices 2 \
		--run --force "$2" missing </dev/null
	mkfs.ext4 -q -F -t ext4 -L inside /dev/md0
	mdadm --quiet --stop /dev/md0
}

lvm_quietly() {
	lvm "$@" --config 'devices { use_devicesfile = 0 } global { locking_type = 1 }
		activation { udev_sync = 0 udev_rules = 0 verify_udev_operations = 1 }' \
		2>/dev/null
}

volume() { # DEVICE
	lvm_quietly pvcreate -ffy "$1" && lvm_quietly vgcreate vg "$1" &&
		lvm_quietly lvcreate -y -Wn -Zn -an -l 50%FREE -n lv vg
}

use() { # USE NAME
	case $1:$2 in
	mount:ext*) ;;
	mount:ntfs) modprobe ntfs3 ;;
	mount:iso9660) modprobe isofs ;;
	mount:*) modprobe "$2" ;;
	esac
	case $1 in
	mount)
		case $2 in
		ntfs) mount -t ntfs3 /dev/vdb /mnt ;;
		erofs | iso9660 | bfs) mount -t "$2" -o ro /dev/vdb /mnt ;;
		*) mount -t "$2" /dev/vdb /mnt ;;
		esac
		ls -R /mnt >/dev/null
		;;
	swap) swapon /dev/vdb ;;
	luks) echo secret | cryptsetup open /dev/vdb secret ;;
	md)
		mdadm --quiet --assemble --run /dev/md0 /dev/vdb
		mount -t ext4 /dev/md0 /mnt
		;;
	lvm) lvm_quietly vgchange -ay vg ;;
	bcache) modprobe bcache && echo /dev/vdb >/sys/fs/bcache/register ;;
	journal)
		mkfs.ext4 -q -F -t ext4 -b 4096 -J device=/dev/vdb /dev/vdc1
		mount -t ext4 /dev/vdc1 /mnt
		;;
	part)
		mkfs.ext4 -q -F -L inside /dev/vdb1
		mount -t ext4 /dev/vdb1 /mnt
		;;
	esac
}

no_more_use() { # USE
	case $1 in
	mount | journal | part) umount /mnt ;;
	swap) swapoff /dev/vdb ;;
	luks) cryptsetup close secret ;;
	md) umount /mnt && mdadm --quiet --stop /dev/md0 ;;
	lvm) lvm_quietly vgchange -an vg ;;
	bcache) echo 1 >/sys/block/vdb/bcache/stop ;;
	esac
}

# say WHEN: what bufstat says now is a line of /tmp/said: WHEN, then values with | .
say() {
	bufstat blocks vdb --timeout 60 -J >/tmp/blocks.json 2>/tmp/errors || true
	jq -r --arg when "$1" '[$when, .confident, .fstype, .label, .uuid] |
		map(. // "") | join("|")' /tmp/blocks.json >>/tmp/said ||
		cat /tmp/errors
}

tag() { # NAME
	blkid -p -s "$1" -o value /dev/vdb || true
}

wipe() {
	for at in 0 124; do
		dd if=/dev/zero of=/dev/vdb bs=1M count=4 seek=$at conv=notrunc 2>/dev/null
	done
}

# reads MIB SKIP: so much of the disk is cached then, while fd 7 holds it.
reads() {
	dd if=/dev/vdb of=/dev/null bs=64k count="$(($1 * 16))" skip="$(($2 * 16))" \
		2>/dev/null
}

# one NAME USE COMMAND...: makes it, uses it, and compares. A line of /out/identity says
# how often bufstat was wrong, and in which states of the cache it was confident. A type
# must be that of blkid, but for the driver ntfs3; a label and UUID, too, or not known.
one() {
	name=$1 what=$2
	shift 2
	command -v "$(echo "$*" | sed 's/^echo.*| //; s/ .*//')" >/dev/null || return 0
	wipe
	D=/tmp/tree
	: >/tmp/said
	(set -e -- /dev/vdb "$*" && D=$D && eval "$2") >/tmp/made 2>&1 </dev/null || {
		echo "$name $*: not made: $(tr '\n' ' ' </tmp/made)" >>/out/identity
		return 0
	}
	sync
	# Somebody has looked at it, and has it open while it is used. md drops what was
	# cached of its members, so somebody looks once more.
	exec 7</dev/vdb
	echo 1 >/proc/sys/vm/drop_caches
	reads 1 0
	[ ! "${thorough-}" ] || say front
	if use "$what" "$name" >/tmp/made 2>&1; then
		reads 1 0
		say used
		no_more_use "$what" >/dev/null 2>&1 || true
	else
		echo "$name $*: not used: $(tr '\n' ' ' </tmp/made)" >>/out/identity
	fi
	reads 4 0
	reads 4 124
	say ends
	if [ "${thorough-}" ]; then
		reads 128 0
		say all
	fi
	truth="$(tag TYPE)|$(tag LABEL)|$(tag UUID)"
	exec 7<&-
	awk -F '|' -v name="$name $*" -v truth="$truth" '
		$2 == "true" { sure = sure " " $1 }
		function differs(said, is) { return said != "" && said != is }
		BEGIN { split(truth, is, "|") }
		$2 == "true" && ($3 != is[1] && $3 != is[1] "3" ||
			differs($4, is[2]) || differs($5, is[3])) {
			wrong++
			said = said " " $0
		}
		{ tried++ }
		END { print "wrong " wrong + 0 " of " tried ", confident:" sure \
			(wrong ? ", said" said ", is " truth : "") ": " name " (" truth ")" }' \
		/tmp/said >>/out/identity
}

compared() {
	tar xzf /more.tar.gz -C /
	PATH=$PATH:/usr/sbin:/usr/bin
	modprobe -a ext4 md_mod raid1 dm_crypt 2>/dev/null || true
	mkdir -p /tmp/tree /run/cryptsetup /run/lock /etc/lvm
	echo some >/tmp/tree/file
	export DM_DISABLE_UDEV=1
	echo "$TYPES" | while read -r line; do
		# shellcheck disable=SC2086 # words
		one $line
	done
	cat /out/identity
	not grep -q '^wrong [1-9]' /out/identity
	tried=$(grep -c '^wrong ' /out/identity)
	sure=$(grep -c '^wrong .* used' /out/identity)
	echo "confident in use: $sure of $tried"
	[ "$tried" -lt 25 ] || [ "$sure" -ge 15 ]
	[ "$sure" -ge $((tried / 2)) ]
}

check "blocks: what is on a device is what blkid says, or it says less" \
	with struct-pages compared
