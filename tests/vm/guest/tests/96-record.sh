# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The recorder on a real disk: what filled a device is in the history, whatever
# ended the recorder, and a disk that hangs does not stop it.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh

DIR=/var/lib/bufstat

# start_recorder: on a filesystem on the device-mapper device "tape".
start_recorder() {
	bufstat record --interval 2 --room 4M 2>/tmp/record.err &
	recorder=$!
}

readings() { # [DIR]
	bufstat history --dir "${1:-$DIR}" -J 2>/dev/null |
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
	cat /tmp/record.err
	fail "no $1 readings: $number"
}

set_up() { # [SECTORS [MKFS-OPTION...]]
	modprobe dm_flakey 2>/dev/null || skip "no device-mapper here"
	sectors=${1:-$(cat /sys/class/block/vdb/size)}
	[ $# = 0 ] || shift
	# A test that failed has left its own.
	umount $DIR 2>/dev/null || true
	dmsetup --noudevsync remove tape 2>/dev/null || true
	dmsetup --noudevsync create tape --notable
	echo "0 $sectors linear /dev/vdb 0" |
		dmsetup --noudevsync load tape
	dmsetup --noudevsync resume tape
	mkfs.ext4 -qF "$@" /dev/dm-0
	mkdir -p $DIR
	mount -t ext4 /dev/dm-0 $DIR
}

remove_tape() {
	umount $DIR
	dmsetup --noudevsync remove tape
}

causes() {
	bufstat history --dir $DIR -J | jq -r '.gaps[].cause'
}

# What fills a device is the first row, with the bytes that it read.
filled() {
	set_up
	start_recorder
	wait_tracer $DIR
	wait_readings 2
	dd if=/dev/zero of=/tmp/image bs=1M count=24 2>/dev/null
	modprobe loop
	loops add 0 1 /tmp/image
	loop=/dev/loop0
	# At the last close the device loses its pages.
	hold_open $loop
	dd if=$loop of=/dev/null bs=1M 2>/dev/null
	wait_readings 2
	bufstat history -b -o NAME,RISE,SINCE,UNTIL,GRAPH | tee /tmp/history
	rise=$(bufstat history -bnr -o NAME,RISE $loop | head -n 1)
	who=$(bufstat history -nr -o NAME,WHO $loop | head -n 1)
	now=$(date '+%Y-%m-%d %H:%M:%S')
	at=$(bufstat devices --at "$now" -bnr -o NAME,BUFFERS |
		sed -n "s/^${loop#/dev/} //p")
	release
	loops remove 0 1
	rm /tmp/image
	kill $recorder
	wait $recorder
	remove_tape
	equal "$rise" "${loop#/dev/} +$((24 << 20))" "the largest rise of $loop"
	equal "$at" $((24 << 20)) "$loop now"
	# On a slow host what is traced may miss a few pages of what is counted.
	case $who in
	"${loop#/dev/} dd\\x20100%" | "${loop#/dev/} dd\\x209"[5-9]%*) ;;
	*) fail "who was behind it: $who" ;;
	esac
}

CUT_MIB=32

# power_cut: what the disk has if the power fails now is mounted on /tmp/cut. No
# more than a minute is lost, and a recorder goes on there. It leaves in $held for how
# many seconds the recorder could not write.
power_cut() {
	dmsetup --noudevsync suspend --nolockfs tape
	now=$(date +%s)
	blockdev --flushbufs /dev/vdb
	dd if=/dev/vdb of=/tmp/cut.image bs=1M count=$CUT_MIB 2>/dev/null
	dmsetup --noudevsync resume tape
	held_before=$held held=$(($(date +%s) - now))
	loops add 0 1 /tmp/cut.image
	mkdir -p /tmp/cut
	mount -t ext4 /dev/loop0 /tmp/cut
	last=$(bufstat history --dir /tmp/cut -J 2>/tmp/said |
		sed -n '/"history"/,$d; s/^ *"readings": \([0-9]*\),$/\1/p')
	# A time from which on there is nothing.
	gap=$(bufstat history --dir /tmp/cut -J 2>>/tmp/said | jq -r \
		'.gaps[] | select(.cause | startswith("nothing was")) | .from' |
		tail -n 1)
	echo "at $now: $last readings, the last at $gap, held $held s: $(cat /tmp/said)"
	if [ $((now - began)) -gt 75 ]; then
		[ "${last:-0}" -gt 0 ] || fail "nothing is left: $(cat /tmp/said)"
		[ -z "$gap" ] || [ $((now - $(date -ud "$gap" \
			-D %Y-%m-%dT%H:%M:%SZ +%s))) -le $((65 + held_before)) ] ||
			fail "more than a minute is lost"
	fi
	bufstat history --dir /tmp/cut -J 2>/dev/null | jq -e \
		'[.gaps[].cause | select(test("damaged|lost"))] == []' ||
		fail "damage: $(bufstat history --dir /tmp/cut)"
	bufstat record --dir /tmp/cut --interval 1 --room 4M 2>/tmp/said &
	second=$!
	sleep 4
	kill $second
	wait $second || fail "no recorder goes on: $(cat /tmp/said)"
	[ "$(readings /tmp/cut)" -gt "${last:-0}" ] || fail "nothing is added"
	umount /tmp/cut
	loops remove 0 1
}

# The loop device of what is left has blocks of 4 KiB, and mkfs would take less.
power_cuts() {
	[ "${thorough-}" ] || skip "only tools/matrix has the time"
	modprobe loop
	set_up $((CUT_MIB * 2048)) -b 4096
	start_recorder
	began=$(date +%s) held=0
	for cut in $(seq 20); do
		sleep 4
		power_cut
		# Under slow emulation all of them take minutes, and a machine that
		# says nothing for so long is taken for lost.
		echo "power cut $cut of 20" >/dev/console
	done
	kill $recorder
	wait $recorder
	remove_tape
}

killed() {
	set_up
	start_recorder
	wait_readings 2
	kill -KILL $recorder
	wait $recorder || true
	start_recorder
	wait_readings 2
	kill $recorder
	wait $recorder
	equal "$(causes | head -n 1)" "the recorder died" "the gap"
	remove_tape
}

# explains_beside: explain, which would say when it grew, does not wait for that disk.
explains_beside() {
	mkdir -p /tmp/large
	mount -t tmpfs -o size=80% large /tmp/large
	dd if=/dev/zero of=/tmp/large/file bs=1M count="$(awk '$1 == "MemTotal:" {
		print int($2 / 8192) }' /proc/meminfo)" 2>/dev/null
	start=$(uptime_seconds)
	# Without it an emulated machine would be too slow to come that far.
	/usr/bin/bufstat explain --timeout 8 >/tmp/explained 2>&1 || echo "status $?"
	explained=$(($(uptime_seconds) - start))
	umount /tmp/large
}

# The readings go on, history answers, and later the file has all of them.
disk_hangs() {
	set_up
	start_recorder
	# What is on the page that is written to needs no disk.
	wait_readings $((PAGE_KIB / 2))
	dmsetup --noudevsync suspend --nolockfs tape
	echo 3 >/proc/sys/vm/drop_caches
	sleep 3
	# A slow host takes longer than bufstat waits for the recorder.
	for _ in 1 2 3 4 5; do
		start=$(uptime_seconds)
		status=0
		bufstat history -J >/tmp/answer 2>/tmp/said || status=$?
		took=$(($(uptime_seconds) - start))
		[ $status != 0 ] || break
	done
	chosen=$(bufstat history -nr -o NAME --from=-1h MemAvailable 2>/dev/null |
		sed 1q)
	explains_beside
	dmsetup --noudevsync resume tape
	cat /tmp/said
	equal "$status" 0 "exit status of history"
	grep -q '"readings": [0-9]' /tmp/answer || fail "no answer: $(cat /tmp/answer)"
	grep -q 'did not answer' /tmp/said || fail "nothing about the disk"
	in_time "$took" 12 || fail "the answer took $took s"
	grep -q '^/tmp/large/file has .* on tmpfs' /tmp/explained ||
		fail "explain: $(cat /tmp/explained)"
	in_time "$explained" 12 || fail "explain took $explained s"
	equal "$chosen" MemAvailable "what was asked for, of the recorder"
	wait_readings 1
	equal "$(causes)" "" "gaps after the disk has come back"
	kill $recorder
	wait $recorder
	remove_tape
}

# A process that waits for a disk would panic such a host.
only_memory() {
	set_up
	echo 1 >/proc/sys/kernel/hung_task_panic
	bufstat record --room 4M 2>/tmp/said && code=0 || code=$?
	mkdir -p /tmp/memory
	mount -t tmpfs tmpfs /tmp/memory
	bufstat record --dir /tmp/memory/tape --room 4M 2>/tmp/record.err &
	recorder=$!
	for _ in $(seq 300); do
		[ -z "$(readings /tmp/memory/tape)" ] || break
		sleep 0.1
	done
	left=$(readings /tmp/memory/tape)
	kill $recorder
	wait $recorder
	echo 0 >/proc/sys/kernel/hung_task_panic
	umount /tmp/memory
	cat /tmp/said
	equal "$code" 1 "exit status on a disk"
	grep -q 'would panic this host' /tmp/said
	[ "${left:-0}" -ge 1 ] || fail "no reading on a tmpfs"
	remove_tape
}

check "history names what filled a device" with tracing filled
check "a recorder that was killed is a gap" killed
check "a disk that hangs stops neither the recorder nor history" disk_hangs
check_long "a power cut loses a minute at most" power_cuts
check "where a hung task panics, only memory is written to" only_memory
