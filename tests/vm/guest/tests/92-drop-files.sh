# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat drop of files, filesystems and cgroups: what --dry-run says comes
# true, and what stays is named. thorough=1 on the kernel's command line tries
# each of them on each filesystem.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh
leaves drop

# said PATH: a value of the first file or filesystem.
said() {
	jq -r "(.files + .filesystems)[0].$1" /tmp/said
}

# stays PATH: pages, reason and users of the file.
stays() {
	jq -r --arg path "$1" '(.files + .filesystems)[0].stays[] |
		select(.path == $path) |
		"\(.pages) \(.why) \(.mlocked_pages) \(.users | length)"' \
		/tmp/said
}

# drops [ARGUMENT...]: a dry run, then the drop; what was said comes true within
# 0.5 %.
drops() {
	dropped 0 --dry-run "$@"
	cp /tmp/said /tmp/forecast
	least=$(said release_least_pages)
	most=$(said release_most_pages)
	equal "$(said after) $(said done)" "null false" "after a dry run"
	dropped 0 "$@"
	gone=$(($(said before.pages) - $(said after.pages)))
	slack=$(($(said before.pages) / 200))
	echo "$*: $least to $most, released $gone"
	cat /tmp/forecast /tmp/said
	[ $gone -ge $((least - slack)) ]
	[ $gone -le $((most + slack)) ]
}

# fill DIRECTORY: files of each kind that drop has to tell apart.
fill() {
	for file in clean mapped locked; do
		write_pages "$1/$file" 1000
	done
	sync
	start_holding shared mapped="$1/mapped" 400
	mapper=$holder
	start_holding shared locked="$1/locked" 100
	locker=$holder
	start_holding shared deleted="$1/gone" 200
	write_pages "$1/dirty" 300
}

let_go() {
	kill "$mapper" "$locker" "$holder"
	wait "$mapper" "$locker" "$holder" || true
}

# one_file DIRECTORY
one_file() {
	drops "$1/dirty"
	equal "$(said before.dirty_pages) $(said after.pages)" "300 0" \
		"the dirty file"
	equal "$(file_pages "$1/dirty")" 0 "pages of the dirty file"
	drops "$1/mapped"
	equal "$(stays "$1/mapped" | cut -d ' ' -f 2-)" "mapped 0 1" \
		"the mapped file"
	[ "${thorough-}" ] || return 0
	drops "$1/clean"
	equal "$(said before.pages) $gone $least" "1000 1000 1000" "the clean file"
	equal "$(said write_error)" none "write error"
	drops "$1/locked"
	equal "$(stays "$1/locked" | cut -d ' ' -f 2)" mapped "the mlocked file"
	[ "$(stays "$1/locked" | cut -d ' ' -f 3)" -ge 100 ]
}

# on_filesystem TYPE DEVICE
on_filesystem() {
	modprobe "$1"
	mount -t "$1" "$2" /mnt
	[ "$1" != ext4 ] || maps_read
	fill /mnt
	[ "$1 ${thorough-}" = "xfs " ] || one_file /mnt
	for file in clean mapped locked; do
		cat "/mnt/$file" >/tmp/copy
	done
	write_pages /mnt/dirty 300
	drops /mnt
	equal "$(fs_pages /mnt)" "$(said after.pages)" "pages after"
	jq -e '.filesystems[0].before.dirty_pages >= 300' /tmp/said
	[ $gone -ge 2700 ]
	cp /tmp/said /out/drop.json
	stays /mnt/mapped | grep -q '^4[0-9]* mapped 0 1'
	stays /mnt/locked | grep -q '^1[0-9]* mapped 1[0-9]* 1'
	jq -e '.filesystems[0].stays[] | select(.why == "deleted") |
		.pages == 200 and (.users | length) == 1' /tmp/said
	bufstat drop /mnt >/tmp/text
	cat /tmp/text
	grep -q ' stayed: /mnt/mapped: mapped by shared(' /tmp/text
	grep -q ' stayed: gone: deleted, and released when shared(' /tmp/text
	let_go
	cmp /tmp/copy /mnt/locked
	[ ! "${thorough-}" ] || drops /mnt
	rm /tmp/copy /mnt/clean /mnt/mapped /mnt/locked /mnt/dirty
	umount /mnt
}

# The module lists 1024 files; kcore has no such limit.
many_files() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	maps_read
	find /mnt -type f -exec cat {} + >/dev/null
	dropped 0 --dry-run --source module /mnt
	echo "module: $(said release_most_pages) pages, $(said files) files"
	[ "$(said release_most_pages)" -le 1100 ]
	[ "$(said files)" -ge 12000 ]
	drops /mnt
	equal "$(jq -r .source /tmp/said)" kcore source
	[ $gone -ge 12000 ]
	umount /mnt
}

refused() { # PATH PATTERN
	not bufstat drop "$1" 2>/tmp/error
	cat /tmp/error
	grep -q "^bufstat: dropping: $1: refused, $2" /tmp/error
}

refuses() {
	mount -t tmpfs tmpfs /mnt
	write_pages /mnt/file 100
	refused /mnt "the only copy"
	refused /mnt/file "the only copy"
	equal "$(fs_pages /mnt)" 100 "pages of the tmpfs"
	umount /mnt
	modprobe -a overlay ext4
	mount -t ext4 /dev/vda /mnt
	mkdir -p /mnt/upper /mnt/work /mnt/lower /tmp/over
	mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work \
		overlay /tmp/over
	refused /tmp/over "the pages of an overlay"
	umount /tmp/over
	refused /mnt/upper "it is a directory"
	rm -r /mnt/upper /mnt/work /mnt/lower
	rmdir /tmp/over
}

# Another file at a path that is in the kernel's list, and a mount over it.
hidden() {
	modprobe ext4
	mount -t ext4 /dev/vda /mnt
	maps_read
	mkdir -p /mnt/over
	write_pages /mnt/over/file 500
	sync
	mount -t tmpfs cover /mnt/over
	write_pages /mnt/over/file 10
	drops /mnt
	equal "$(stays /mnt/over/file)" "500 no path 0 0" "the hidden file"
	equal "$(fs_pages /mnt/over)" 10 "pages of what covers it"
	umount /mnt/over
	rm -r /mnt/over
}

# A write fails, and somebody is told of it: the only copy is in memory.
write_error() {
	modprobe -a ext4 dm_flakey
	mkfs.ext4 -qF /dev/vdb
	size=$(cat /sys/class/block/vdb/size)
	echo "0 $size linear /dev/vdb 0" | dmsetup --noudevsync create flaky
	mount -t ext4 -o errors=continue /dev/dm-0 /mnt
	maps_read
	write_pages /mnt/file 10
	sync
	map "0 $size flakey /dev/vdb 0 0 3600 1 error_writes"
	write_pages /mnt/file 10
	not flush /mnt/file
	map "0 $size linear /dev/vdb 0"
	dropped 1 --dry-run /mnt/file
	dropped 1 /mnt/file
	bufstat drop /mnt/file 2>&1 | grep -q 'refused, a write to it has failed'
	dropped 3 /mnt
	equal "$(stays /mnt/file)" "10 write error 0 0" "the file"
	equal "$(file_pages /mnt/file)" 10 "pages of the file"
	dropped 0 --despite-errors /mnt/file
	equal "$(file_pages /mnt/file)" 0 "pages of the file"
	umount /mnt
	dmsetup --noudevsync remove flaky
	unload dm_flakey
}

map() { # TABLE
	echo "$1" | dmsetup --noudevsync load flaky
	dmsetup --noudevsync suspend --nolockfs --noflush flaky
	dmsetup --noudevsync resume flaky
}

# figure WHEN NAME: of the cgroup.
figure() {
	jq -r ".cgroups[0].$1.$2" /tmp/said
}

in_cgroup() { # COMMAND...
	sh -c 'echo $$ >/tmp/cgroup/test/cgroup.procs; exec "$@"' sh "$@"
}

end_cgroup() { # PROCESS
	kill "$1"
	wait "$1" || true
	rm /mnt/big
	umount /mnt
	rmdir /tmp/cgroup/test
	umount /tmp/cgroup
}

cgroup() {
	modprobe ext4
	cgroups_2 /tmp/cgroup
	mkdir /tmp/cgroup/test
	mount -t ext4 /dev/vda /mnt
	maps_read
	in_cgroup dd if=/dev/zero of=/mnt/big bs=1M count=30 2>/dev/null
	in_cgroup sh -c 'sync; cat /mnt/big >/dev/null'
	sh -c 'echo $$ >/tmp/cgroup/test/cgroup.procs; exec sleep 1000' &
	if [ ! -e /tmp/cgroup/test/memory.reclaim ]; then
		dropped 2 --cgroup test
		jq -e '.cgroups[0] | .done == false and .error != null' /tmp/said
		end_cgroup $!
		return
	fi
	dropped 0 --dry-run --cgroup test
	least=$(jq '.cgroups[0].release_least_bytes' /tmp/said)
	most=$(jq '.cgroups[0].release_most_bytes' /tmp/said)
	equal "$(figure before lru_file_bytes)" \
		"$(awk '/^(in)?active_file/ { n += $2 } END { print n }' \
			/tmp/cgroup/test/memory.stat)" "bytes before"
	dropped 0 --cgroup /tmp/cgroup/test --size 10M
	cat /tmp/said
	gone=$(($(figure before lru_file_bytes) - $(figure after lru_file_bytes)))
	[ $gone -ge $((10 << 20)) ]
	[ $gone -le $((15 << 20)) ]
	dropped 0 --cgroup /test
	cat /tmp/said
	gone=$((gone + $(figure before lru_file_bytes) - \
		$(figure after lru_file_bytes)))
	echo "$least to $most, released $gone"
	[ "$least" -ge $((27 << 20)) ]
	[ $gone -ge $((least - least / 200)) ]
	[ $gone -le $((most + most / 200)) ]
	jq -e '.cgroups[0].users | length == 1' /tmp/said
	# One document of each schema is checked.
	if [ -e /out/drop.json ]; then
		jq --slurpfile said /tmp/said '.cgroups = $said[0].cgroups' \
			/out/drop.json >/tmp/drop.json
		mv /tmp/drop.json /out/drop.json
	fi
	dropped 1 --cgroup nobody
	end_cgroup $!
}

check "drop of files and of their filesystem, ext4" \
	with BTF on_filesystem ext4 /dev/vda
check "drop of files and of their filesystem, xfs" \
	with BTF on_filesystem xfs /dev/vde
[ ! "${thorough-}" ] ||
	check "drop of a filesystem with more files than the module lists" \
		with BTF many_files
check "drop refuses tmpfs, overlay and directories" refuses
check "drop leaves alone what covers a file's path" with BTF hidden
check "drop refuses a file with a write error that somebody was told of" \
	with BTF write_error
check "drop --cgroup reclaims page cache and nothing else" cgroup
