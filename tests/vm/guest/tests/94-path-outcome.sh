# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat path: what came of the calls, which no function's name tells.
# One processor: as for 94-path.sh.
# shellcheck source=../test.sh
. /guest/test.sh
needs tracing
leaves path

TRACING=/sys/kernel/tracing
[ -e $TRACING/trace ] || mount -t tracefs tracefs $TRACING
# As in 94-path.sh: at the top the buffer is as large as it is.
sed 's/.*expanded: \([0-9]*\).*/\1/' $TRACING/buffer_size_kb >/tmp/kib
cat /tmp/kib >$TRACING/buffer_size_kb

# path COMMAND...: the sentences are in /tmp/said, the JSON is in /tmp/path.
path() {
	status=0
	bufstat path -J -- "$@" >/tmp/path 2>/tmp/errors || status=$?
	[ $status = 0 ] || cat /tmp/errors
	jq -r '.sentences[]' /tmp/path | tee /tmp/said
}

# request WAY FILE BYTES ENTRY: the sentence of it is in /tmp/sentence.
request() {
	path queued "$1" "$2" "$3"
	equal $status 0 "exit status"
	jq -r --arg entry "$4" '.entries[] | select(.entry == $entry) |
		[.failed, .error, .direct, .page_cache] | map(tostring) | join(" ")' \
		/tmp/path | tee /tmp/request
	grep " of $4 " /tmp/said >/tmp/sentence
}

# fails and succeeds WAY ENTRY: 100 bytes are refused where O_DIRECT takes blocks.
requests() {
	mount -t ext4 /dev/vda /mnt
	file=$(find /mnt -type f -size +0 | head -n 1)
	for of in /dev/vdc "$file"; do
		echo "$1 of $of"
		request "$1" "$of" 100 "$2"
		equal "$(cat /tmp/request)" "1 EINVAL true false" "what failed"
		grep -q '; 1 failed (Invalid argument)$' /tmp/sentence
		request "$1" "$of" 4096 "$2"
		equal "$(cat /tmp/request)" "0 null true false" "what did not"
		not grep -q failed /tmp/said
		not grep -q 'waited until' /tmp/said
	done
	umount /mnt
	not grep -q bufstat $TRACING/kprobe_events
}

falls_back() {
	modprobe btrfs
	mount -t btrfs /dev/vdf /mnt
	dd if=/dev/urandom of=/mnt/file bs=64k count=1
	sync
	echo 1 >/proc/sys/vm/drop_caches
	for way in "aio io_submit" "uring io_uring_enter"; do
		# shellcheck disable=SC2086
		set -- $way
		request "$1" /mnt/file 100 "$2"
		case $(uname -r) in
		6.1.*) # What would tell is part of another function there.
			equal "$(cat /tmp/request)" "0 null false true" "the request"
			;;
		*)
			equal "$(cat /tmp/request)" "0 null true true" "the request"
			grep -q 'which fell back to the page cache: ' /tmp/sentence
			;;
		esac
		not grep -q failed /tmp/said
	done
	umount /mnt
}

WAITED='; the calls waited until the device had the data$'

# Only what was written and has reached the device: no read, no call that failed,
# and no tmpfs, although functions that sync are called in all of them.
waits() {
	path dd if=/dev/vdc of=/dev/null bs=64k count=4 iflag=direct
	cp /tmp/path /out/path.json
	grep -q '^4 reads of .* with O_DIRECT' /tmp/said
	not grep -q 'waited until' /tmp/said
	mount -t ext4 /dev/vda /mnt
	path queued osync /mnt/waited 65536
	grep -q "^4 writes to .*$WAITED" /tmp/said
	path dd if=/dev/zero of=/mnt/waited bs=64k count=4
	grep -q "^4 writes to " /tmp/said
	not grep -q 'waited until' /tmp/said
	path queued direct-osync /mnt/waited 100
	grep -q "^4 writes to .*4 failed (Invalid argument)$" /tmp/said
	not grep -q 'waited until' /tmp/said
	jq -e '[.entries[] | select(.failed > 0 and .sync)] == []' /tmp/path
	path queued fsync /mnt/waited 0
	jq -e '[.entries[] | select(.entry == "fsync" and .sync)] != []' /tmp/path
	umount /mnt
	path queued osync /tmp/waited 65536
	grep -q "^[45] writes to " /tmp/said
	not grep -q 'waited until' /tmp/said
	path queued fsync /tmp/waited 0
	jq -e '[.entries[] | select(.entry == "fsync")] |
		length > 0 and all(.sync | not)' /tmp/path
	rm /tmp/waited
}

# The program comes from a disk, and brings in far more than its call reads.
asked_first() {
	mount -t ext4 /dev/vda /mnt
	cp -L "$(command -v jq)" /mnt/program
	umount /mnt
	mount -t ext4 /dev/vda /mnt
	cat >/tmp/reads <<-'END'
		/mnt/program -n --version >/dev/null
		head -c 512 /dev/vdc >/dev/null
	END
	exec 4</dev/vdc
	echo 1 >/proc/sys/vm/drop_caches
	path sh /tmp/reads
	exec 4<&-
	umount /mnt
	jq -e '[.entries[] | select(.entry == "handle_mm_fault" or .entry == "execve") |
		.pages_added] | add > 8' /tmp/path
	read=$(grep -n 'reads\{0,1\} of /dev/vdc through' /tmp/said | cut -d: -f1)
	fault=$(grep -n 'page fault\|of execve' /tmp/said | head -n 1 | cut -d: -f1)
	[ "$read" ]
	[ "$read" -lt "${fault:-9}" ]
}

# raw FUNCTION: the functions outside of all others are that one.
raw_from() {
	settings=$(cat $TRACING/set_graph_function $TRACING/current_tracer)
	bufstat path --ftrace --function "$1" --functions 'vfs_*,ksys_*,*_read_iter,filemap_*' \
		-- dd if=/dev/vdc of=/dev/null bs=64k count=1 >/tmp/raw 2>/tmp/said
	cat /tmp/said
	outer=$(sed -n 's/^ *[0-9]*) .*|  \([a-z_0-9]*\)().*/\1/p' /tmp/raw |
		sort -u | xargs)
	equal "$outer" "$1" "where the text begins"
	grep -q '|    [a-z_0-9]*()' /tmp/raw
	equal "$(cat $TRACING/set_graph_function $TRACING/current_tracer)" "$settings" \
		"the settings"
}

modprobe ext4
other_processors 0
check "path: requests of AIO that fail are told" requests aio io_submit
check "path: requests of io_uring that fail are told" requests uring io_uring_enter
check "path: on btrfs they fall back" with btrfs falls_back
check "path: waiting for the device is said of what waited" waits
check "path: the call asked for is above page faults" asked_first
check "path --ftrace --function prints that function alone" raw_from vfs_read
other_processors 1
