# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat charges says whose the pages of a device or filesystem are: the sum of
# a cgroup is what its memory.stat says, and each page of a file is charged to
# whom /proc/kpagecgroup says. Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cgroups.sh
. /guest/cgroups.sh
lacking struct-pages || leaves charges

# A disk with a file of 6 MiB that is not cached, and a tmpfs.
set_up() {
	modprobe ext4
	mkdir -p $CG
	mount -t tmpfs -o size=80% some /mnt
	mkdir /mnt/disk /mnt/tmpfs
	mkfs.ext4 -qF /dev/vdb
	mount -t ext4 -o noatime /dev/vdb /mnt/disk
	dd if=/dev/zero of=/mnt/disk/file bs=1M count=6 2>/dev/null
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

remove() {
	umount /mnt/disk
	! grep -q ' /mnt/huge ' /proc/mounts || umount /mnt/huge
	umount /mnt
}

# stat_pages CGROUP FIELD
stat_pages() {
	awk -v field="$2" -v page="$PAGE" \
		'$1 == field { print $2 / page }' "$CG$1/memory.stat"
}

# same_file NAME OF: kpagecgroup says the same of each page.
same_file() {
	page_cgroups "$1" | sort >/tmp/pages
	awk -v of="$2" '$1 == of { print $4, $5 }' /tmp/charges | sort \
		>/tmp/ours
	diff /tmp/pages /tmp/ours || fail "$1: kpagecgroup says otherwise"
}

version_2() {
	cgroups_2 $CG
	set_up
	mkdir $CG/reader $CG/writer $CG/raw $CG/outer
	echo +memory >$CG/outer/cgroup.subtree_control
	mkdir $CG/outer/gone
	inside /reader dd if=/mnt/disk/file of=/dev/null bs=1M 2>/dev/null
	inside /writer dd if=/dev/zero of=/mnt/disk/new bs=1M count=3 2>/dev/null
	inside /writer dd if=/dev/zero of=/mnt/tmpfs/file bs=1M count=5 2>/dev/null
	inside /outer/gone dd if=/dev/zero of=/mnt/tmpfs/gone bs=1M count=4 \
		2>/dev/null
	# A page of 2 MiB is one entry of the tree, or 512 of the same (5.10).
	[ -z "$THP_KIB" ] || options=,huge=always
	mkdir /mnt/huge
	mount -t tmpfs -o "size=80%${options-}" huge /mnt/huge
	inside /writer dd if=/dev/zero of=/mnt/huge/file bs=1M count=6 2>/dev/null
	inside /raw hold -r 500 /dev/vda >/tmp/held &
	until [ -s /tmp/held ]; do sleep 0.1; done
	# What is read later, by all, is still the reader's.
	cat /mnt/disk/file >/dev/null
	rmdir $CG/outer/gone
	# Allocating the new file's blocks adds pages to vdb, between two looks at it.
	sync
	# The kernel adds up what it counts every 2 s.
	sleep 3
	# What hold says has a page in /tmp.
	measure_charges /mnt /mnt/disk /mnt/huge vda vdb /tmp
	cp /tmp/charges.json /out
	least=$((6 * 1024 / PAGE_KIB))
	[ $least -lt 500 ] || least=500
	for name in reader writer raw; do
		near_pages $name "$(pages_of /$name null)" "$(stat_pages /$name file)"
		[ "$(pages_of /$name null)" -ge $least ]
	done
	equal "$(awk '$1 == "vda" && $3 == "/raw" { print $5 }' /tmp/charges)" \
		500 'raw, of vda'
	near_pages tmpfs "$(awk '$1 != "/mnt/disk" && $3 == "/writer" {
		pages += $5 } END { print pages }' /tmp/charges)" \
		"$(stat_pages /writer shmem)"
	kib=6144
	[ -z "$THP_KIB" ] || kib=$(whole_thp 6144)
	equal "$(awk '$1 == "/mnt/huge" { print $3, $5 }' /tmp/charges)" \
		"/writer $((kib / PAGE_KIB))" 'in huge pages'
	# Since Linux 7.0 the parent has the pages of a removed cgroup at once.
	gone=$(pages_of /outer/gone dead)
	case $(uname -r) in
	7.*) equal "$gone $(pages_of /outer null)" "0 $((4096 / PAGE_KIB))" gone ;;
	*) [ "$gone" -ge $((4096 / PAGE_KIB)) ] || fail "gone: $gone" ;;
	esac
	# A path is about the filesystem alone, and a device about both.
	measure_charges /mnt/disk/file
	equal "$(cut -d ' ' -f 1 /tmp/charges | sort -u)" /mnt/disk 'of a path'
	measure_charges vdb
	equal "$(cut -d ' ' -f 1 /tmp/charges | sort -u | tr '\n' ' ')" \
		'/mnt/disk vdb ' 'of a device'
	measure_charges vda
	same_file /dev/vda vda
	# shellcheck disable=SC2046 # one word per process
	kill $(cat $CG/raw/cgroup.procs)
	until [ -z "$(cat $CG/raw/cgroup.procs)" ]; do sleep 0.1; done
	remove
	rmdir $CG/reader $CG/writer $CG/raw $CG/outer
	umount $CG
}

# Pages come, go and are reused all the time. Whatever is seen is a cgroup.
churn() {
	mount -t tmpfs -o size=80% some /mnt
	mkdir /mnt/disk
	mkfs.ext4 -qF /dev/vdb
	mount -t ext4 /dev/vdb /mnt/disk
	rm -f /tmp/enough
	until [ -e /tmp/enough ]; do
		dd if=/dev/zero of=/mnt/disk/file bs=1M count=8
		dd if=/dev/zero of=/mnt/file bs=1M count=8
		rm /mnt/disk/file /mnt/file
		echo 1 >/proc/sys/vm/drop_caches
	done 2>/dev/null &
	for _ in $(seq "$(often 100)"); do
		status=0
		bufstat charges -J -O /mnt /mnt/disk vdb >/tmp/charges.json ||
			status=$?
		[ $status = 0 ] || [ $status = 3 ] || fail "exit status $status"
		jq -r '.charges[] | .cgroup // "none"' /tmp/charges.json
	done >/tmp/seen
	sort /tmp/seen | uniq -c
	# A killed shell would leave a dd that still writes.
	touch /tmp/enough
	wait
	[ -s /tmp/seen ]
	! grep -vE '^(none|/[a-z]*)$' /tmp/seen
	umount /mnt/disk
	umount /mnt
}

refused() {
	mount -t tmpfs some /mnt
	status=0
	su nobody -s /bin/sh -c 'bufstat charges /mnt' 2>/tmp/said || status=$?
	equal $status 2 'as a user'
	grep '^bufstat: kcore: /proc/kcore is for root (use sudo)' /tmp/said
	status=0
	bufstat charges nosuch 2>/tmp/said || status=$?
	equal $status 1 'no such thing'
	grep 'nosuch: no device or filesystem' /tmp/said
	umount /mnt
}

hidden() {
	set_up
	cat /mnt/disk/file >/dev/null
	status=0
	bufstat charges -J /mnt/disk >/tmp/charges.json || status=$?
	cat /tmp/charges.json
	equal $status 3 'exit status'
	jq -e '.complete == false and .charges == [] and all(.caches[];
		.pages > 0 and .unattributed_pages == .pages and
		(.why | test("lacks its struct pages")))' /tmp/charges.json
	remove
}

[ "$(uname -m)" != riscv64 ] ||
	check "charges: hidden struct pages are said to be" hidden
check "charges: the sums are those of memory.stat, page by page" \
	with struct-pages version_2
check_long "charges: while pages come and go" with struct-pages churn
check "charges: who may not, and what is not there" with struct-pages refused
