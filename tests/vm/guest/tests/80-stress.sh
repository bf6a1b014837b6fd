# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Everything at once while four readers read: devices come and go, partition
# tables are read again, a file system is mounted and unmounted, caches are
# dropped, filesystems are walked, and memory is used up until the OOM killer
# strikes.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../memory.sh
. /guest/memory.sh

# stress= on the kernel's command line overrides it.
STRESS_SECONDS=${stress:-$(often 40)}
READERS="1 2 3 4"
# Each of them reads at least this often, even if that takes longer.
LEAST=50

# Commands of the rounds. Some fail for lack of memory, even half way.
mount_round="umount /mnt
	mount -t ext4 -o noatime /dev/vdd /mnt &&
	find /mnt -size -100 && umount /mnt"
ramdisk_round="rmmod brd
	modprobe brd rd_nr=8 rd_size=1024 && cat /dev/ram[0-7] && rmmod brd"
read_round="dd if=/dev/vdb of=/dev/null bs=64k count=16 &&
	blockdev --rereadpt /dev/vdc"
walk_round="filesystems -a && filesystems -n 1000 /"
drop_round="echo 3 >/proc/sys/vm/drop_caches && sleep 1"

# oom_scores SCORE: of all processes. With -1000 the OOM killer takes none of
# them, however long the memory of its victims takes to be freed.
oom_scores() {
	for score in /proc/[0-9]*/oom_score_adj; do
		echo "$1" >"$score"
	done 2>/dev/null
}

# goes_on NAME COMMANDS: repeats them until it is killed. The OOM killer may take
# the commands.
goes_on() {
	repeat "/tmp/$1.said" sh -c "echo 0 >/proc/self/oom_score_adj
		$2" >"/tmp/$1" &
	rounds="$rounds $!"
}

# Every single snapshot must be whole and add up: watch_file fails at the first
# that does not. While hog runs, this shell starts nothing, because a failed
# fork would end it.
stress() {
	modprobe loop
	truncate -s 1M /tmp/backing
	oom_scores -1000
	readers=
	for reader in $READERS; do
		watch_file "$FILE" $LEAST >"/tmp/reader$reader" &
		readers="$readers $!"
	done
	loops churn 20 10 /tmp/backing >/tmp/churn &
	churning=$!
	set_aside 100000
	rounds=
	goes_on mount_round "$mount_round"
	goes_on ramdisk_round "$ramdisk_round"
	goes_on drop_round "$drop_round"
	goes_on read_round "$read_round"
	goes_on walk_round "$walk_round"
	hog "$STRESS_SECONDS" >/tmp/hog &
	wait $!
	# shellcheck disable=SC2086 # words
	end $readers $churning $rounds
	give_back
	(cd /tmp && tail -n 1 churn hog ./*_round reader?) | tee /out/stress
	cat /tmp/churn /tmp/hog /tmp/*_round /tmp/reader? | awk -v least=$LEAST '
		$1 == "rounds" && $2 >= 1 { loops = 1 }
		$1 == "killed" && $2 >= 1 { killed = 1 }
		$1 == "runs" && $4 >= 1 { rounds++ }
		$1 == "valid" && $2 >= least && !$4 && !$6 { readers++ }
		END { exit !(loops && killed && rounds == 5 && readers == 4) }'
	unload loop
	[ ! -d /sys/module/brd ] || unload brd
}

settles() {
	hold_open -r 5 /dev/vdb
	take /tmp/snapshot
	equal "$(pages vdb /tmp/snapshot)" 5 "pages of vdb"
	release
	counts_every_device /tmp/snapshot
}

check_long "four readers while all else goes on: every file adds up" stress
oom_scores 0
check "after that the figures are exact again" settles
