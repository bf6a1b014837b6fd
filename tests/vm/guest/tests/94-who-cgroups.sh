# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat who: cgroups that bring pages in and lose them, programs that drop their
# own, and whose pages are cached now.
# One processor: all of it has only one, as tracing begins (other_processors).
# shellcheck source=../test.sh
. /guest/test.sh
needs tracing
leaves who
lacking struct-pages || leaves who-now
# shellcheck source=../who.sh
. /guest/who.sh

cgroup() {
	[ -e /sys/fs/cgroup/cgroup.procs ] ||
		mount -t cgroup2 none /sys/fs/cgroup
	id=docker-$(printf '%064d' 0 | tr 0 a).scope
	mkdir -p "/sys/fs/cgroup/system.slice/$id" /sys/fs/cgroup/plain
	who sh -c "
		echo 0 >/sys/fs/cgroup/system.slice/$id/cgroup.procs
		dd if=/dev/vdb of=/dev/null bs=4k count=1
		echo 0 >/sys/fs/cgroup/plain/cgroup.procs
		dd if=/dev/vdc of=/dev/null bs=4k count=1"
	rmdir "/sys/fs/cgroup/system.slice/$id" /sys/fs/cgroup/plain
	equal "$(jq -r '.filled[] | select(.name == "vdb" and .command == "dd") |
		.cgroup' /tmp/who)" docker:aaaaaaaaaaaa "container"
	equal "$(jq -r '.filled[] | select(.name == "vdc" and .command == "dd") |
		.cgroup' /tmp/who)" /plain "cgroup"
}

CG=/sys/fs/cgroup

# some_cgroups NAME...: with the memory controller.
some_cgroups() {
	[ -e $CG/cgroup.procs ] || mount -t cgroup2 none $CG
	echo +memory >$CG/cgroup.subtree_control
	for name; do
		mkdir "$CG/$name"
	done
}

# files_of NAME MIB...: such files, none of it cached. There is room for no more.
files_of() {
	mount -t ext4 /dev/vda /mnt
	maps_read
	rm -f /mnt/victim /mnt/other /mnt/culprit /mnt/reader /mnt/writer*
	while [ $# -gt 0 ]; do
		file_of "$1" "$2"
		shift 2
	done
}

file_of() {
	dd if=/dev/zero of="/mnt/$1" bs=1M count="$2" 2>/dev/null
	sync
	bufstat drop "/mnt/$1"
}

# Two cgroups read a file each; then one of them is squeezed. The file stays
# open: the kernel knows what was evicted as long as it has the inode, and takes
# that too once the file has no pages.
tells_victim() {
	some_cgroups victim other
	files_of victim 16 other 16
	sleep 600 </mnt/victim &
	cat >/tmp/squeeze <<-END
		for who in victim other victim; do
			(echo 0 >$CG/\$who/cgroup.procs; exec cat /mnt/\$who) >/dev/null
		done
		echo 8M >$CG/victim/memory.max
		sleep 5
		echo max >$CG/victim/memory.max
		(echo 0 >$CG/victim/cgroup.procs; exec cat /mnt/victim) >/dev/null
		# The kernel adds up what it counts every 2 s.
		sleep 3
	END
	who sh /tmp/squeeze
	kill $!
	grep workingset $CG/victim/memory.stat
	# The kernel remembers 64 pages in a node, and may give nodes up too.
	forgotten=$(awk '$1 == "workingset_nodereclaim" { print $2 * 64 }' \
		$CG/victim/memory.stat)
	rmdir $CG/victim $CG/other
	# What was read again is what was lost, less what was forgotten.
	jq -e --argjson most $((16 * MIB)) --argjson forgotten "${forgotten:-0}" \
		'.evicted | map(select(.cgroup == "/victim")) | length == 1 and
		(.[0] | (.refaulted_pages // 0) as $back |
			.pages > $most / 4 and .pages <= $most + 100 and
			$back + $forgotten > .pages * 0.9 and
			$back <= .pages + 100 and
			.refaulted_at_least == ($forgotten > 0) and
		([.taken_by[] | select(.cgroup == "/") | .limit_pages] |
			add) > .pages * 0.9)' /tmp/who
	jq -e '.evicted | map(.cgroup == "/other") | any | not' /tmp/who
	jq .evicted /tmp/who >/tmp/evicted
}

# One cgroup reads so much that another, below the same limit, loses its pages.
tells_culprit() {
	some_cgroups slice
	echo +memory >$CG/slice/cgroup.subtree_control
	mkdir $CG/slice/victim $CG/slice/culprit
	files_of victim 12 culprit 30
	echo 20M >$CG/slice/memory.max
	sleep 600 </mnt/victim &
	cat >/tmp/reads <<-END
		for who in victim culprit wait victim; do
			[ \$who != wait ] || {
				sleep 5
				echo max >$CG/slice/memory.max
				continue
			}
			(echo 0 >$CG/slice/\$who/cgroup.procs
			exec cat /mnt/\$who) >/dev/null
		done
		sleep 3
	END
	bufstat who -- sh /tmp/reads >/tmp/table
	cat /tmp/table
	rmdir $CG/slice/victim $CG/slice/culprit $CG/slice
	number='[1-9][0-9.]*[KM]'
	kill $!
	grep -q "^/slice/culprit brought in $number from /mnt; /slice/victim lost $number at the limit of a cgroup\(; \(at least \)*$number refaulted since\)*\.$" \
		/tmp/table
	grep -q "^/slice/culprit brought in $number from /mnt and lost $number of its own at the limit of a cgroup" \
		/tmp/table
}

# The thread of a loop device works for who reads the device.
on_behalf() {
	case $(uname -r) in
	4.18.* | 5.10.*) skip "the pages are charged to nobody in this kernel" ;;
	esac
	some_cgroups borrower
	# The loop device finds the cgroup by its requests.
	echo +io >$CG/cgroup.subtree_control
	modprobe loop
	mount -t ext4 /dev/vda /mnt
	maps_read
	dd if=/dev/zero of=/mnt/disk bs=1M count=8 2>/dev/null
	bufstat drop /mnt/disk
	loop=$(losetup -f)
	losetup "$loop" /mnt/disk
	cat >/tmp/reads <<-END
		echo 0 >$CG/borrower/cgroup.procs
		exec dd if=$loop of=/dev/null bs=64k
	END
	bufstat who -J -o +PAGES-IN,KERNEL,ON-BEHALF-OF -- sh /tmp/reads >/tmp/who
	cat /tmp/who
	losetup -d "$loop"
	rmdir $CG/borrower
	jq -e --argjson least $((8 * MIB)) '.filled |
		map(select(.name == "/mnt" and .pages_in > 0)) |
		(map(.pages_in) | add) >= $least and
		(map(.kernel_bytes > 0 and .on_behalf_of == "/borrower") | all)' \
		/tmp/who
}

# slow_disk: /dev/vdb through a device that can hold its writes up. Nothing waits
# for a journal then.
slow_disk() {
	modprobe -a ext4 dm_flakey
	mkfs.ext4 -qF -O ^has_journal /dev/vdb
	dmsetup --noudevsync create slow --notable
	echo "0 $(cat /sys/class/block/vdb/size) linear /dev/vdb 0" |
		dmsetup --noudevsync load slow
	dmsetup --noudevsync resume slow
	mount -t ext4 -o noatime /dev/dm-0 /mnt
	maps_read
}

# Whether fadvise(DONTNEED) worked, by what is left of the files. What is being
# written is not written while the disk is held up.
drops() {
	slow_disk
	for way in dropped dropped-dirty dropped-mapped; do
		dd if=/dev/zero of=/mnt/$way bs="$PAGE" count=64 2>/dev/null
	done
	sync
	echo 1 >/proc/sys/vm/drop_caches
	cat >/tmp/drops <<-END
		fills dropped /mnt/dropped 64
		fills dropped-mapped /mnt/dropped-mapped 64
		# The file's inode has to be there when it is written.
		chmod 640 /mnt/dropped-dirty
		dmsetup --noudevsync suspend --noflush --nolockfs slow
		fills dropped-dirty /mnt/dropped-dirty 64
		dmsetup --noudevsync resume slow
		bufstat drop --bytes /mnt/dropped-mapped
	END
	who sh /tmp/drops
	for way in dropped dropped-dirty dropped-mapped; do
		jq -c --arg way $way '.advised[] | select(.command == $way) |
			[.pages_in, .dropped_pages, .worked, .calls,
			.dirty_calls, .mapped_calls]' /tmp/who
	done >/tmp/advised
	cat >/tmp/expected <<-END
		[64,64,"yes",1,0,0]
		[64,0,"no",1,1,0]
		[64,0,"no",1,0,1]
	END
	# Not every processor's kernel takes programs at a function's end, as Linux
	# 6.12 on s390x and ppc64. Then only what was dropped is known.
	[ "$(uname -m)" = x86_64 ] || grep -q '[01],[01],[01]]$' /tmp/advised || {
		echo '[64,64,"yes",null,null,null]' | diff - /tmp/advised
		umount /mnt
		dmsetup --noudevsync remove slow
		skip "calls of fadvise are not seen on this processor"
	}
	diff /tmp/expected /tmp/advised
	# One document with all that the schema knows.
	[ ! -e /tmp/evicted ] || jq --slurpfile evicted /tmp/evicted \
		'.evicted = $evicted[0]' /tmp/who >/out/who.json
	# bufstat drops by a process of its own, which brought nothing in.
	jq -e '.advised | map(select(.command == "bufstat")) | length == 1 and
		(.[0] | .pages_in == 0 and .dropped_pages == 64)' /tmp/who
	sync
	echo 1 >/proc/sys/vm/drop_caches
	bufstat who -- sh /tmp/drops | tee /tmp/table
	size=$((64 * PAGE_KIB))K
	[ $((64 * PAGE_KIB)) -lt 1024 ] || size=$((64 / MIB))M
	grep -q "^dropped ([0-9]*) brought in $size from /mnt and dropped $size: its fadvise(DONTNEED) worked\.$" /tmp/table
	grep -q "^dropped-dirty .* dropped 0: its fadvise(DONTNEED) did not work: files were dirty or being written\.$" /tmp/table
	umount /mnt
	dmsetup --noudevsync remove slow
}

# What is cached now, as charges says it.
now() {
	some_cgroups reader
	files_of reader 4
	(echo 0 >$CG/reader/cgroup.procs; exec cat /mnt/reader) >/dev/null
	exec 4</dev/vdb
	dd if=/dev/vdb of=/dev/null bs=64k count=16 2>/dev/null
	bufstat charges -J -O /mnt vdb >/tmp/charges
	bufstat who --now -J /mnt vdb >/tmp/now
	cp /tmp/now /out/who-now.json
	cat /tmp/now
	jq -r '.charges[] | select(.pages > 0) |
		"\(.of) \(.cgroup) \(.pages)"' /tmp/charges | sort >/tmp/expected
	jq -r '.now[] | "\(.name) \(.cgroup) \(.resident_pages)"' /tmp/now |
		sort >/tmp/rows
	diff /tmp/expected /tmp/rows
	# ext4 may keep some maps of free blocks beside the files.
	jq -e --argjson pages $((4 * MIB)) '.complete and ([.now[] |
		select(.name == "/mnt" and .cgroup == "/reader") |
		.resident_pages - $pages | . >= 0 and . < 20] == [true])' \
		/tmp/now
	# Without a name, of all caches; and no cache but these has more.
	bufstat who --now | tee /tmp/table
	grep -qE '^vdb +device +/ ' /tmp/table
	grep -qE '^/mnt +files +/reader +4M ' /tmp/table
	status=0
	bufstat who --now -J nosuch >/tmp/now 2>/tmp/said || status=$?
	equal "$status $(cat /tmp/now /tmp/said)" \
		"1 $(bufstat charges nosuch 2>&1 || :)" 'a word in vain'
	rmdir $CG/reader
}

other_processors 0
check "who knows the cgroup and the container" cgroup
check "who tells for whom pages were taken from others" tells_culprit
check_long "who tells whose pages reclaim took, and what came back" tells_victim
check "who tells for whom a thread of the kernel works" on_behalf
check "who tells whether fadvise(DONTNEED) worked" drops
check "who --now tells whose pages are cached" with struct-pages now
other_processors 1
