# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# In a kernel with fault injection, every allocation of the module and every
# copy to and from its callers fails in turn.
# shellcheck source=../test.sh
. /guest/test.sh

# Lets allocations of any size fail, even those that may wait, without a log.
let_fail() {
	[ -d /sys/kernel/debug/failslab ] ||
		skip "no fault injection in this kernel"
	for kind in failslab fail_page_alloc fail_usercopy; do
		echo 0 >/sys/kernel/debug/$kind/verbose
	done
	for kind in failslab fail_page_alloc; do
		echo N >/sys/kernel/debug/$kind/ignore-gfp-wait
	done
	echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
}

reading() {
	let_fail
	hold_open -r 3 /dev/vda /dev/vdb /dev/vdc1
	fail_nth read "$FILE" >/out/faults-read
	release
	cat /out/faults-read
	rmmod bufstat
	insmod "$MODULE"
}

# A background process opens the files all the time, so that unloading has to
# wait for it. Files made by a failed load would exist too briefly for it to
# notice; fail_nth looks for their traces.
loading() {
	let_fail
	rmmod bufstat
	(until [ -e /tmp/enough ]; do
		cat "$FILE" /dev/bufstat
	done) >/dev/null 2>&1 &
	fail_nth load "$MODULE" >/out/faults-load
	: >/tmp/enough
	wait
	rm /tmp/enough
	[ ! -e /sys/kernel/debug/bufstat ]
	insmod "$MODULE"
	verify "$FILE"
}

# Asks about a read-only ext4. Caches only some files: each fault is a walk.
asking() {
	let_fail
	modprobe ext4
	mount_quietly /dev/vda
	read_files /mnt 50
	fail_control /mnt >/out/faults-control
	cat /out/faults-control
	umount /mnt
	rmmod bufstat
	insmod "$MODULE"
}

# Looks for lost memory that the module or its readers allocated.
no_leak() {
	[ -e /sys/kernel/debug/kmemleak ] || skip "no kmemleak in this kernel"
	for _ in 1 2 3; do
		sleep 5
		echo scan >/sys/kernel/debug/kmemleak
	done
	cat /sys/kernel/debug/kmemleak >/out/kmemleak
	not grep -B 3 -A 20 -E 'bufstat|watch_file|fail_nth|fail_control|verify|settled' \
		/out/kmemleak
}

check "reading: every fault is an error, and the next read is whole" reading
check "asking: every fault is an error, and the next answer is the same" asking
check "loading: a load that fails had and leaves nothing, and it loads again" loading
check "kmemleak finds nothing lost" no_leak
