# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The working directory is on a disk that does not answer.
# shellcheck source=../test.sh
. /guest/test.sh
hurried
# shellcheck source=../sick.sh
. /guest/sick.sh

# bufstat promises 2 s. An emulated machine is many times slower.
MOST_SECONDS=12

# answers STATUS COMMAND...: in time; /tmp/said has what it says.
answers() {
	expected=$1
	shift
	rm -f /tmp/status
	{
		"$@" >/tmp/said 2>&1 && code=0 || code=$?
		echo "$code" >/tmp/code
		mv /tmp/code /tmp/status
	} &
	ends_within $MOST_SECONDS || {
		echo "$*: no answer in $MOST_SECONDS s" >>/tmp/wrong
		return 0
	}
	[ "$(cat /tmp/status)" = "$expected" ] ||
		echo "$*: exit status $(cat /tmp/status): $(cat /tmp/said)" >>/tmp/wrong
}

says() { # PATTERN
	grep -q "$1" /tmp/said || echo "no '$1': $(cat /tmp/said)" >>/tmp/wrong
}

mount_sick() {
	: >/tmp/wrong
	make_sick
	mkfs.ext4 -qF /dev/dm-0
	mount -t ext4 /dev/dm-0 /mnt
}

# gone: the device, as soon as its filesystem lets go of it.
gone() {
	for _ in $(seq 100); do
		! dmsetup --noudevsync remove sick 2>/dev/null || return 0
		sleep 0.1
	done
	dmsetup --noudevsync remove sick
}

# A writer that waits on one disk keeps nobody from a file of that name elsewhere.
elsewhere() {
	mount_sick
	# So that looking the name up needs no disk.
	: >/mnt/file
	dmsetup --noudevsync suspend sick
	cd /mnt
	answers 1 bufstat --save both
	says 'both: not done yet; process [0-9]* goes on with it'
	answers 1 bufstat --save /mnt/both
	says '/mnt/both: not answering since'
	cd /tmp
	answers 0 bufstat --save both
	[ -s /tmp/both ] || echo "/tmp/both was not written" >>/tmp/wrong
	resume_sick
	[ -s /mnt/both ] || echo "/mnt/both was not written" >>/tmp/wrong
	umount /mnt
	gone
	cat /tmp/wrong
	[ ! -s /tmp/wrong ]
}

# After umount -l the kernel has no path of the working directory, and looking for one
# would read the directories above.
unmounted() {
	mount_sick
	# In blocks that lie beside none that the filesystem keeps in memory.
	mkdir -p /mnt/above/below
	(cd /mnt/above && seq 2000 | xargs touch)
	# The journal keeps what was written.
	umount /mnt
	mount -t ext4 /dev/dm-0 /mnt
	cd /mnt/above/below
	umount -l /mnt
	echo 3 >/proc/sys/vm/drop_caches
	dmsetup --noudevsync suspend --noflush --nolockfs sick
	answers 1 bufstat files some
	says '^bufstat: looking up: some: No such file or directory$'
	answers 1 bufstat drop --dry-run some
	says '^bufstat: looking up: some: No such file or directory$'
	answers 1 bufstat history --dir some
	says ': some: there is none'
	answers 1 bufstat devices --vmcore some
	says ': some: No such file or directory$'
	resume_sick
	# The filesystem ends with its last user, who waits for that.
	cd /
	gone
	cat /tmp/wrong
	[ ! -s /tmp/wrong ]
}

check "a stuck writer keeps nobody from a file of that name elsewhere" elsewhere
check "after umount -l a relative path is refused, and nothing waits" unmounted
