# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A night with its culprits: each of them works in a minute of its own, and in
# the morning the recording says who it was and how much it brought in. What is
# true comes from the module, or from what the culprit had to do.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
needs tracing

MIB=$PAGES_PER_MIB
# On a tmpfs: what the recorder writes is no part of the night.
NIGHT=/run/night

readings() {
	bufstat history --dir $NIGHT -J 2>/dev/null |
		sed -n 's/^ *"readings": \([0-9]*\),$/\1/p'
}

# wait_readings NUMBER: until there are so many more.
wait_readings() {
	before=$(readings)
	for _ in $(seq 600); do
		number=$(readings)
		[ "${number:-0}" -lt $((${before:-0} + $1)) ] || return 0
		sleep 0.1
	done
	fail "no $1 readings: $number"
}

# A disk with files, and a snapshot of it to read the files from.
prepare_backup() {
	modprobe dm_snapshot 2>/dev/null || skip "no snapshots in this kernel"
	# The loop device of the snapshot has blocks of 4 KiB; mkfs would take 1 KiB.
	mkfs.ext4 -qF -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 /dev/vdb
	mkdir -p /tmp/backup
	mount -t ext4 /dev/vdb /mnt
	for i in 1 2 3 4 5 6 7 8; do
		dd if=/dev/urandom of=/mnt/file$i bs=1M count=4 2>/dev/null
	done
	umount /mnt
	truncate -s 16M /tmp/cow
	loops add 1 1 /tmp/cow
	echo "0 $(cat /sys/class/block/vdb/size) snapshot /dev/vdb /dev/loop1 N 16" |
		dmsetup --noudevsync create backup
	mount -t ext4 -o ro,noload /dev/dm-0 /tmp/backup
}

prepare() {
	modprobe loop
	prepare_backup
	mount_quietly /dev/vda
	truncate -s $((32768 * PAGE)) /tmp/made
	loops add 0 1 /tmp/made
	mkdir -p /tmp/data
	mkfs.ext4 -qF -E lazy_itable_init=0,lazy_journal_init=0 /dev/vdd
	mount -t ext4 /dev/vdd /tmp/data
	sync
	echo 3 >/proc/sys/vm/drop_caches
	# At the last close a device loses its pages.
	hold_open /dev/loop0 /dev/vde
}

# However it ends: the next test would find it.
end_night() {
	status=$?
	set +e
	# shellcheck disable=SC2046 # one word per job
	kill $(jobs -p) 2>/dev/null
	umount /tmp/data /tmp/backup
	dmsetup --noudevsync remove backup
	loops remove 0 2
	rm -f /tmp/made /tmp/cow
	rm -rf $NIGHT
	(exit $status)
	clean_up
}

# gained DEVICE: pages that it has now and did not have before.
gained() {
	take /run/after
	echo $(($(pages "$1" /run/after) - $(pages "$1" /run/before)))
}

# Each sets name, the cache, and pages, which it brought in.
work_find() {
	find /mnt >/dev/null
	name=vda
	pages=$(gained vda)
}

work_tar() {
	tar -cf - -C /tmp/backup . | cat >/dev/null
	name=/tmp/backup
	pages=$((32 * MIB))
}

# Small groups, because most of what it writes is in a bitmap of each.
work_mkfs() {
	mkfs.ext4 -qF -b 4096 -g 512 -N 2048 \
		-O ^flex_bg,^metadata_csum,^uninit_bg,^has_journal /dev/loop0
	name=loop0
	pages=$(gained loop0)
}

work_database() {
	pages=$(database /tmp/data/rows 16 600)
	name=/tmp/data
}

work_dd() {
	dd if=/dev/vde of=/dev/null bs=1M count=32 2>/dev/null
	name=vde
	pages=$((32 * MIB))
}

# traced_all FROM TO: of what came in then, and not only a sample of it.
traced_all() {
	bufstat history --dir $NIGHT --from "@$1" --to "@$2" -J |
		jq -e '.filled and .estimated == false' >/dev/null
}

# wait_named COMMAND: until the recording names it. The tracer of a slow host is late.
wait_named() {
	for _ in $(seq 150); do
		! bufstat history --dir $NIGHT --from "@$from" -J 2>/dev/null |
			jq -e --arg command "$1" \
				'any(.filled[]?; .command == $command)' >/dev/null ||
			return 0
		sleep 0.2
	done
}

# minute CULPRIT: it works; its time and what it did are in /tmp/culprits. A slow
# host may use up what tracing may cost: then it works again.
minute() {
	for _ in 1 2 3; do
		wait_tracer $NIGHT
		sync
		echo 3 >/proc/sys/vm/drop_caches
		from=$(date +%s)
		wait_readings 2
		take /run/before
		"work_${1%.*}"
		wait_named "$1"
		wait_readings 2
		to=$(date +%s)
		sleep 2
		! traced_all "$from" "$to" || break
	done
	echo "$1 $from $to $name $pages" >>/tmp/culprits
}

# asked CULPRIT FROM TO NAME PAGES: what history says of that minute.
asked() {
	bufstat history --dir $NIGHT --from "@$2" --to "@$3" -J "$4" >/tmp/answer
	bufstat history --dir $NIGHT --from "@$2" --to "@$3" "$4"
	seen=$(jq --arg command "$1" --arg name "$4" '[.filled[] |
		select(.command == $command and .name == $name) | .pages_in] |
		add // 0' /tmp/answer)
	echo "$1: $seen of $5 pages of $4"
	[ "$5" -ge 100 ] || fail "$1 brought in $5 pages only"
	[ $((seen * 100)) -ge $(($5 * 97)) ] || {
		jq -c '.filled[], .untraced, .gaps' /tmp/answer
		fail "$1: $seen of $5 pages"
	}
	who=$(jq -r --arg name "$4" '.history[] | select(.name == $name) | .who' \
		/tmp/answer)
	case $who in
	"$1 "*) ;;
	*) fail "behind the growth of $4: $who" ;;
	esac
	bufstat who --dir $NIGHT --from "@$2" --to "@$3" -J "$4" >/tmp/answer ||
		[ $? = 3 ]
	[ "$(jq --arg command "$1" '[.filled[] | select(.command == $command) |
		.pages_in] | add' /tmp/answer)" = "$seen" ] ||
		fail "who says something else: $(cat /tmp/answer)"
}

night() { # CULPRIT...
	trap end_night EXIT
	prepare
	rm -f /tmp/culprits
	bufstat record --dir $NIGHT --interval 1 --room 4M 2>/tmp/record.err &
	recorder=$!
	wait_tracer $NIGHT
	for culprit; do
		minute "$culprit"
	done
	kill $recorder
	wait $recorder
	cat /tmp/record.err
	while read -r line; do
		# shellcheck disable=SC2086 # words
		asked $line
	done </tmp/culprits
}

if [ "${thorough-}" ]; then
	all="find tar mkfs.ext4 database dd"
else
	all="find database dd"
fi
# shellcheck disable=SC2086 # words
check_long "each culprit of a night is named, with its pages" night $all
