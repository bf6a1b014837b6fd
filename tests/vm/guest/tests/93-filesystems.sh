# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat filesystems and files: every page of Cached belongs to a filesystem,
# and one that does not answer does not delay the others.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh
leaves filesystems files
CAP_SYS_RAWIO=17

fs_json() {
	bufstat filesystems -J "$@" >/tmp/fs.json
}

# The tool has the module's figures, and at most TOLERANCE pages are
# unattributed.
nothing_left() {
	modprobe -a ext4 xfs
	mount_quietly /dev/vda
	share memfd 500
	read_files /mnt 3000
	fs_json -O
	cp /tmp/fs.json /out/filesystems.json
	bufstat files -J -O >/out/files.json
	jq -e '.complete and .lists_all_pages' /tmp/fs.json
	jq -e ".unattributed_bytes | . <= $TOLERANCE * $PAGE and . >= -$TOLERANCE * $PAGE" \
		/tmp/fs.json
	jq -e '.attributed_bytes == ([.filesystems[].cached_bytes] | add)' \
		/tmp/fs.json
	jq -e '.cached_bytes - .attributed_bytes == .unattributed_bytes' \
		/tmp/fs.json
	equal "$(jq '.filesystems[] | select(.mountpoints == ["/mnt"]).pages' \
		/tmp/fs.json)" "$(fs_pages /mnt)" "pages of /mnt"
	release
}

# What has changed since a saved sample.
what_changed() {
	mount -t tmpfs tmpfs /mnt
	: >/mnt/file
	bufstat fs --save /tmp/saved.json >/dev/null
	write_pages /mnt/file 1000
	bufstat fs -J --since /tmp/saved.json >/tmp/fs.json
	equal "$(jq '.filesystems[] | select(.mountpoints == ["/mnt"]).since_bytes' \
		/tmp/fs.json)" $((1000 * PAGE)) "what changed"
}

# same_in_explain MOUNTPOINT: explain has the same figures as filesystems.
same_in_explain() {
	wanted=$(jq -c --arg at "$1" '.filesystems[] |
		select(.mountpoints == [$at]) | del(.share_percent,
			.longest_hold_ns, .change_bytes, .since_bytes)' /tmp/fs.json)
	[ "$wanted" ]
	equal "$(jq -c --arg at "$1" '.cached.filesystems[] |
		select(.mountpoints == [$at]) | del(.share_percent)' \
		/tmp/explain.json)" "$wanted" "explain, $1"
}

# of_mount MOUNTPOINT KEY: its value in the answer of filesystems.
of_mount() {
	jq -r --arg at "$1" --arg key "$2" \
		'.filesystems[] | select(.mountpoints == [$at])[$key]' /tmp/fs.json
}

# exported MOUNTPOINT KEY: the metric of this name has the same value.
exported() {
	number=$(of_mount "$1" maj:min)
	labels="major=\"${number%:*}\",minor=\"${number#*:}\""
	wanted="bufstat_filesystem_$2{$labels} $(of_mount "$1" "$2")"
	grep -qxF "$wanted" /tmp/export ||
		fail "not exported: $wanted: $(grep ^bufstat_f /tmp/export)"
}

# Compares idle filesystems only: the others change between two commands.
others_say_the_same() {
	modprobe ext4
	mkdir -p /tmp/quiet
	mount -t tmpfs quiet /tmp/quiet
	write_pages /tmp/quiet/file 5000
	mount -t ext4 -o ro /dev/vda /mnt
	read_files /mnt 3000
	fs_json -O
	bufstat explain -J >/tmp/explain.json
	bufstat export --top 1000 >/tmp/export
	bufstat explain cache >/tmp/text
	bufstat -J --filesystems >/tmp/summary.json
	bufstat --filesystems >/tmp/summary
	umount /tmp/quiet
	for place in /mnt /tmp/quiet; do
		same_in_explain $place
		exported $place cached_bytes
		exported $place dirty_bytes
	done
	jq -e --argjson page "$PAGE" '.cached | .complete and
		.page_size_bytes == $page and
		.attributed_bytes == ([.filesystems[].cached_bytes] | add) and
		.cached_bytes - .attributed_bytes == .unattributed_bytes' \
		/tmp/explain.json
	size=$(mib_of 5000)
	tr -s ' \n' ' ' </tmp/text | grep -qF -- "- /tmp/quiet (tmpfs): $size" ||
		fail "not said: $(cat /tmp/text)"
	equal "$(jq -c '.cached.filesystems[] |
		select(.mountpoints == ["/tmp/quiet"]).pages' /tmp/summary.json)" \
		5000 "pages in the summary's JSON"
	grep -q "^cached by filesystem: \(.*, \)*/tmp/quiet (tmpfs) $size, " \
		/tmp/summary ||
		fail "not in the summary: $(cat /tmp/summary)"
}

# quiet_row FILE: the stable values of an idle filesystem.
quiet_row() {
	jq -c '.filesystems[] | select(.source == "quiet") |
		del(.share_percent, .longest_hold_ns)' "$1"
}

captured() {
	mount -t tmpfs quiet /mnt
	write_pages /mnt/file 1234
	bufstat capture /tmp/capture
	fs_json -O
	write_pages /mnt/file 2000
	bufstat filesystems -J -O --capture /tmp/capture >/tmp/captured.json
	rm /tmp/capture
	equal "$(quiet_row /tmp/captured.json)" "$(quiet_row /tmp/fs.json)" row
	equal "$(quiet_row /tmp/captured.json | jq .pages)" 1234 pages
	jq -e '.complete and .lists_all_pages and
		.attributed_bytes == ([.filesystems[].cached_bytes] | add) and
		.cached_bytes - .attributed_bytes == .unattributed_bytes' \
		/tmp/captured.json
}

# A mount in another mount namespace, and its files.
other_namespace() {
	unshare -m sh -c "mount -t tmpfs hidden /mnt &&
		dd if=/dev/zero of=/mnt/file bs=$PAGE count=900 2>/dev/null &&
		touch /tmp/mounted && exec sleep 1000" &
	until [ -e /tmp/mounted ]; do sleep 0.1; done
	rm /tmp/mounted
	fs_json
	equal "$(jq '.filesystems[] | select(.source == "hidden").pages' \
		/tmp/fs.json)" 900 "pages of the other namespace's tmpfs"
	path=$(bufstat files -J | jq -r '.files[] | select(.pages == 900).path')
	equal "$(stat -c %s "$path")" $((900 * PAGE)) "size of $path"
}

top_files() {
	mount -t tmpfs tmpfs /mnt
	mkdir /mnt/directory
	for i in $(seq 30); do
		write_pages /mnt/directory/file$i $i
	done
	bufstat files -r -n -o PATH,PAGES --top 5 /mnt >/tmp/top
	printf '/mnt/directory/file%d %d\n' 30 30 29 29 28 28 27 27 26 26 |
		diff - /tmp/top
	bufstat files -J /mnt | jq -e '.files | length == 20'
}

# pages_of FILE...: what files says of the files that were named.
pages_of() {
	bufstat files --source "$source" --top 1 -r -n -o PATH,PAGES "$@"
}

# A file that is named is listed, whatever others are larger and even without
# pages; a directory stands for its filesystem.
named_files() {
	mount -t tmpfs tmpfs /mnt
	for i in 10 20 30; do
		write_pages /mnt/file$i $i
	done
	: >/mnt/empty
	ln -s file10 /mnt/link
	for source in module $(lacking BTF || echo kcore); do
		equal "$(pages_of /mnt/file10)" '/mnt/file10 10' "$source: one"
		equal "$(pages_of /mnt/link)" '/mnt/file10 10' "$source: link"
		equal "$(pages_of /mnt/empty)" '/mnt/empty 0' "$source: empty"
		equal "$(cd /mnt && pages_of ./link)" '/mnt/file10 10' \
			"$source: relative"
		equal "$(pages_of /mnt/file10 /mnt | xargs)" \
			'/mnt/file30 30 /mnt/file10 10' "$source: and others"
		bufstat files --source $source -J /mnt/file20 |
			jq -e '.complete and .filesystems_cached_bytes == null and
				(.files | length == 1)'
		status=0
		pages_of /dev/vda /mnt/none 2>/tmp/error || status=$?
		equal $status 3 "$source: exit status"
		grep -q '/dev/vda: a block device: ' /tmp/error
		grep -q '/mnt/none: No such file' /tmp/error
	done
	bufstat fs -J /mnt/file20 |
		jq -e '(.filesystems | length == 1 and .[0].pages >= 60) and
			.others_bytes >= 0 and
			(.lists_all_pages | not)'
}

# A directory means what is below it: on its own filesystem, also when that has larger
# files elsewhere, on those mounted there, and as seen there if it is a bind mount.
below_directories() {
	mount -t tmpfs tmpfs /mnt
	mkdir -p /mnt/in/mounted /mnt/in/deep /mnt/index /mnt/bound
	mount -t tmpfs tmpfs /mnt/in/mounted
	for i in $(seq 25); do
		write_pages /mnt/large$i 50
	done
	write_pages /mnt/index/file 4000
	write_pages /mnt/in/deep/file 3
	write_pages /mnt/in/file 2
	write_pages /mnt/in/mounted/file 1
	mount --bind /mnt/in/deep /mnt/bound
	ln -s in /mnt/link
	for source in module $(lacking BTF || echo kcore); do
		wanted='/mnt/in/deep/file 3 /mnt/in/file 2 /mnt/in/mounted/file 1'
		for path in /mnt/in /mnt/in/ /mnt/link /mnt/../mnt/in/.; do
			equal "$(bufstat files --source "$source" --top 5 -rn \
				-o PATH,PAGES "$path" | grep ' [1-9]' | xargs)" \
				"$wanted" "$source: $path"
		done
		equal "$(cd /mnt && pages_of in)" '/mnt/in/deep/file 3' \
			"$source: the largest"
		equal "$(pages_of /mnt/bound)" '/mnt/bound/file 3' "$source: bound"
	done
	bufstat capture /tmp/capture
	equal "$(bufstat files --top 1 --capture /tmp/capture -rn -o PATH,PAGES \
		/mnt/index)" '/mnt/index/file 4000' captured
	umount /mnt/bound /mnt/in/mounted
}

# The module tells of 1,024 files of a filesystem, and says so where these leave out
# what is below the directory.
below_many() {
	mount -t tmpfs -o nr_inodes=4k tmpfs /mnt
	mkdir /mnt/in
	for i in $(seq 1100); do
		printf "%$((2 * PAGE))s" x >/mnt/large$i
	done
	write_pages /mnt/in/file 1
	status=0
	source=module
	pages_of /mnt/in >/tmp/out 2>/tmp/error || status=$?
	equal "$status" 3 'exit status'
	grep -q 'module: it lists the 1024 largest files' /tmp/error
	lacking BTF && return
	source=kcore
	equal "$(bufstat files --source kcore --top 2 -rn -o PATH,PAGES /mnt/in)" \
		'/mnt/in/file 1' kcore
}

# The name of the process that holds a deleted file and a memfd.
users() {
	mount -t tmpfs tmpfs /mnt
	share deleted=/mnt/gone 700
	bufstat files -J /mnt | jq -e --arg user "shared($holder)" \
		'.files[0] | .pages == 700 and .state == "deleted" and
			.path == "gone" and .users == [$user]'
	release
	share memfd 800
	bufstat files -J | jq -e --arg user "shared($holder)" \
		'.files[] | select(.path == "memfd:bufstat-test") |
			.pages == 800 and .users == [$user]'
	release
}

# A mount lies below a directory of a stopped server, so opening it waits for
# the server. The other filesystems are printed at once, the tool says what is
# missing, and the reader of its output does not wait either. So does every answer that
# is made of them. The kernel's memory has the filesystem all the same.
silent_server() {
	start_silent_fuse
	kill -STOP "$holder"
	start=$(date +%s)
	{ bufstat filesystems --source module -J 2>/tmp/error || echo $? >/tmp/status; } |
		cat >/tmp/fs.json
	took=$(($(date +%s) - start))
	for command in explain 'explain -J' export 'capture /tmp/capture'; do
		# shellcheck disable=SC2086 # words
		without_cap $CAP_SYS_RAWIO bufstat $command >/tmp/said 2>/tmp/why &&
			code=0 || code=$?
		equal "$code" 3 "exit status of $command"
		grep -q "^bufstat: measuring: .*: did not answer" /tmp/why ||
			fail "$command does not say what is missing: $(cat /tmp/why)"
		[ "$command" != 'explain -J' ] || jq -e '.complete == false' /tmp/said
	done
	rm -f /tmp/capture
	lacking BTF || bufstat filesystems -J >/tmp/whole.json
	end_silent_fuse
	lacking BTF || jq -e '.complete and .source == "kcore"' /tmp/whole.json
	equal "$(cat /tmp/status)" 3 "exit status"
	cat /tmp/error
	equal "$(jq -r '.filesystems[] | select(.source == "inside").note' \
		/tmp/fs.json)" "did not answer" "note"
	jq -e '.complete == false and .lists_all_pages == false' /tmp/fs.json
	jq -e '[.filesystems[] | select(.pages != null)] | length > 0' /tmp/fs.json
	in_time $took 10 || fail "took $took seconds"
}

# Still in use, but in no mount namespace: found through an open descriptor.
unmounted_lazily() {
	mount -t tmpfs gone /mnt
	write_pages /mnt/file 3000
	exec 7</mnt/file
	umount -l /mnt
	fs_json
	exec 7<&-
	jq -e '.filesystems[] | select(.note == "not mounted, but in use") |
		.pages == 3000 and .fstype == "tmpfs" and
			(.mountpoints[0] | test("^/proc/[0-9]+/fd/7$"))' \
		/tmp/fs.json
	jq -e '.unattributed_note == null' /tmp/fs.json
}

# Secret memory is on no list. If it is only mapped, it is in the rest.
secret_memory() {
	share secret 1500
	fs_json
	release
	jq -e --arg fd "^/proc/$holder/fd/" '.filesystems[] |
		select(.source == "[secretmem]") | .pages == 1500 and
			.reclaimable_bytes == 0 and
			(.mountpoints[0] | test($fd))' /tmp/fs.json
	share secret-mapped 1500
	fs_json
	bufstat fs >/tmp/table
	release
	jq -e --argjson page "$PAGE" '.unattributed_bytes > $page * 1400 and
		(.unattributed_note | test("secret memory"))' /tmp/fs.json
	grep -q '^unattributed .* on no list: ' /tmp/table
}

# mlocked pages are not reclaimable; mapped pages are.
not_reclaimable() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	write_pages /mnt/locked 1000
	write_pages /mnt/mapped 500
	sync
	maps_read
	bufstat fs -J >/tmp/before.json
	start_holding shared mapped=/mnt/mapped 500
	other=$holder
	start_holding shared locked=/mnt/locked 1000
	fs_json
	kill "$other"
	release
	rm /mnt/locked /mnt/mapped
	took=$(($(jq '.filesystems[] | select(.mountpoints == ["/mnt"]).reclaimable_bytes' \
		/tmp/before.json) - $(of_mount /mnt reclaimable_bytes)))
	case $(of_mount /mnt note) in
	null) equal $took $((1000 * PAGE)) "what mlock took" ;;
	"reclaimable at most") has_large_folios && [ $took -le $((1000 * PAGE)) ] ;;
	*) fail "note: $(of_mount /mnt note)" ;;
	esac
}

no_module() {
	rmmod bufstat
	status=0
	bufstat filesystems --source module 2>/tmp/error || status=$?
	insmod "$MODULE"
	equal $status 2 "exit status"
	equal "$(cat /tmp/error)" \
		"bufstat: module: not loaded (sudo bufstat module load)" message
}

# While a file grows and shrinks, the figures do not add up; the tool then says
# so and marks the answer. The file is truncated, not removed: a file that is
# being removed is on no list, its last pages are rightly unattributed, and on a
# busy host that can take long.
churn() {
	while :; do
		fallocate -l 32M /tmp/churn
		truncate -s 0 /tmp/churn
	done &
	churning=$!
	marked=0
	# What processors count on their own is not in Cached yet: each so many pages.
	uncounted=$(awk -v processors="$(nproc)" '/vm stats threshold:/ && $4 > most {
		most = $4 } END { print most * processors }' /proc/zoneinfo)
	for times in $(seq 40); do
		[ "$marked" = 0 ] || [ "$times" -le "$(often 20)" ] || break
		status=0
		bufstat fs -J >/tmp/fs.json 2>/tmp/error || status=$?
		jq -c '[.settled, .unattributed_bytes, .cached_bytes]' /tmp/fs.json
		equal "$status $(jq .settled /tmp/fs.json)" \
			"$([ $status = 0 ] && echo "0 true" || echo "3 false")" \
			"exit status and settled"
		case $status in
		0)
			# The tolerance is 0.1 % and 32 pages, either way.
			jq -e --argjson pages $((33 + uncounted)) \
				--argjson page "$PAGE" '(.unattributed_bytes |
				fabs) <= .cached_bytes / 1000 + $pages * $page' \
				/tmp/fs.json >/dev/null
			;;
		3)
			marked=$((marked + 1))
			grep -q 'measuring: unsettled: Cached changed' /tmp/error
			;;
		esac
	done
	kill $churning
	wait $churning || true
	rm -f /tmp/churn
	echo "$marked of $times unsettled"
	[ $marked -gt 0 ]
}

# mountinfo names the first; the second is in /sys/fs/btrfs.
second_device() {
	modprobe -a btrfs loop
	truncate -s 256M /tmp/second
	node=$(losetup -f)
	losetup "$node" /tmp/second
	second=${node#/dev/}
	mount -t btrfs /dev/vdf /mnt
	btrfs_device add /mnt "$node"
	hold_open -r 20 "$node"
	equal "$(bufstat devices -nr -o MOUNTPOINTS "$second")" /mnt "where it is mounted"
	equal "$(bufstat devices -nr -o KNAME /mnt | sort | tr '\n' ' ')" "$second vdf " \
		"the devices of /mnt"
	equal "$(bufstat fs -nr -o MOUNTPOINTS "$second")" /mnt "fs SECOND"
	bufstat drop --dry-run "$second" >/tmp/said || fail "drop: $?"
	grep -q 'in use' /tmp/said || fail "not in use: $(cat /tmp/said)"
	bufstat explain buffers | tr -s ' \n' ' ' >/tmp/said
	grep -q "$second [^;]*: btrfs mounted at /mnt" /tmp/said ||
		fail "explain: $(cat /tmp/said)"
	bufstat export | grep -q "device=\"$second\".*mountpoint=\"/mnt\"" ||
		fail "export: $(bufstat export | grep "$second")"
	release
	btrfs_device remove /mnt "$node"
	umount /mnt
	losetup -d "$node"
	rm /tmp/second
}

# Many mounts: the pages that hold their answers must not be counted.
many_mounts() {
	seq 400 | sed 's|^|/tmp/many/|' | xargs mkdir -p
	for i in $(seq 400); do
		mount -t tmpfs many "/tmp/many/$i"
	done
	bufstat fs -J >/tmp/fs.json
	umount /tmp/many/*
	rm -r /tmp/many
	jq -c '[.settled, .unattributed_bytes]' /tmp/fs.json
	jq -e --argjson page "$PAGE" \
		'.settled and .unattributed_bytes >= -$page * 32' /tmp/fs.json
}

check "every page of Cached is a filesystem's" nothing_left
check "what changed since a saved sample" what_changed
check "a capture answers as the host did" captured
check "explain and export have the same figures" others_say_the_same
check "mounts of another namespace" other_namespace
check "the files with most pages, in order" top_files
check "files that are named" named_files
check "a directory means what is below it" below_directories
check "below a directory, beside more files than the module tells of" below_many
check "who has a deleted file and a memfd" users
check "a server that does not answer delays nobody" silent_server
check "unmounted lazily and still in use" unmounted_lazily
check "memory of memfd_secret, and what is left is named" secret_memory
check "mlocked pages are not reclaimable" not_reclaimable
check "a btrfs of two devices is mounted from both" with btrfs second_device
check "without the module: said so, status 2" no_module
check_long "under churn there is a mark" churn
check_long "with 400 mounts it adds up" many_mounts
