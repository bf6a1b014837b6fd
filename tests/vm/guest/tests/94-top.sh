# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat top: the screen, with a script for the user (src/views/top/script.h), and
# --batch. With the module and without it.
# shellcheck source=../test.sh
. /guest/test.sh

# The line about the next limit, and a tab, are about cgroups.
mkdir -p /tmp/cg
mount -t cgroup2 none /tmp/cg

# screen [ARGUMENT...]: shows the screen for the script on stdin. It ends
# by itself, prints nothing and leaves no process behind.
screen() {
	cat >/tmp/script
	rm -f /tmp/screen
	status=0
	TERM=linux LC_ALL=C.UTF-8 BUFSTAT_TOP_SCRIPT=/tmp/script \
		timeout 120 bufstat top "$@" >/tmp/said 2>&1 || status=$?
	cat /tmp/said
	equal $status 0 "exit status of top"
	[ ! -s /tmp/said ] || fail "it printed something"
	# One that traced has been killed, and on 6.1 the kernel takes a moment to let go.
	for _ in $(seq 50); do
		pidof bufstat >/dev/null || return 0
		sleep 0.1
	done
	fail "it left a process: $(ps | grep bufstat)"
}

# on_screen PATTERN
on_screen() {
	grep -q -- "$1" /tmp/screen || {
		grep '|$' /tmp/screen | grep -v '^|$' | tail -n 60
		fail "no '$1' on the screen"
	}
}

# Each tab has what its command prints.
shows_tabs() {
	modprobe ext4
	mount -t ext4 /dev/vdd /mnt
	dd if=/dev/zero of=/mnt/large bs=1M count=9 2>/dev/null
	hold_open -r $((3 * PAGES_PER_MIB)) /dev/vdb
	screen <<-end
		size 100 30
		wait 3
		save /tmp/screen
	end
	on_screen "^[ +]vdb .* 3M .*'''"
	screen <<-end
		size 100 60
		keys 2
		save /tmp/screen
		keys 3
		save /tmp/screen
		keys 5
		save /tmp/screen
		keys 6
		save /tmp/screen
		keys 7
		save /tmp/screen
	end
	on_screen '^ /dev/vdd .*/mnt'
	on_screen ' 9M .*/mnt/large'
	on_screen '^ /  *[0-9]'
	on_screen '^ kmalloc-'
	on_screen '^ total (MemTotal)'
	on_screen '^Next limit: '
	release
	rm /mnt/large
}

# The details name who has a device open.
tells_details() {
	hold_open -r 1000 /dev/vdb
	screen <<-end
		size 80 40
		keys /vdb<Enter><Enter>
		save /tmp/screen
	end
	on_screen '^OPEN-BY *hold('
	on_screen 'vdb .*held open by hold'
	release
}

# The verdict of drop, and the drop after the name was typed.
drops() {
	hold_open -r 1000 /dev/vdb
	take /tmp/before
	screen <<-end
		size 80 20
		keys /vdb<Enter>D
		save /tmp/screen
		keys vda<Enter>
		save /tmp/screen
		keys Dvdb<Enter>
		save /tmp/screen
	end
	take /tmp/after
	on_screen 'not its name: nothing was dropped'
	equal "$(pages vdb /tmp/before)" 1000 "pages before"
	equal "$(pages vdb /tmp/after)" 0 "pages after"
	release
}

# read_device WHILE: reads /dev/vdb again and again as long as the process runs.
read_device() {
	while kill -0 "$1" 2>/dev/null; do
		dd if=/dev/vdb of=/dev/null bs=64k count=64 2>/dev/null
		echo 1 >/proc/sys/vm/drop_caches
	done
}

# Who reads a device is on the screen, and nothing traces after it.
traces() {
	screen --tab who <<-end &
		size 100 20
		wait 3
		save /tmp/screen
	end
	shower=$!
	read_device $shower
	wait $shower
	on_screen '^[ +]vdb *device dd '
	on_screen 'traced since .*, by '
}

prints() {
	for tab in devices filesystems files cgroups slab memory; do
		# The walk over users ends after 1.5 s, which a slow host may need.
		for _ in 1 2 3 4 5; do
			bufstat top --batch -c 2 -s 0.1 --tab $tab >/tmp/said 2>/tmp/err
			grep -q '^bufstat: looking for the users: ' /tmp/err || break
		done
		cat /tmp/err
		equal "$(grep -c '^bufstat top - ' /tmp/said)" 2 "samples of $tab"
		equal "$(grep -c '^total (MemTotal)' /tmp/said)" 2 "memory of $tab"
		[ ! -s /tmp/err ] || fail "errors of $tab"
	done
}

prints_who() {
	bufstat top --batch -c 2 -s 2 --tab who >/tmp/said 2>/tmp/err &
	printer=$!
	read_device $printer
	wait $printer
	cat /tmp/said
	equal "$(grep -c '^bufstat top - ' /tmp/said)" 2 "reports"
	equal "$(grep -c '^total (MemTotal)' /tmp/said)" 2 "memory"
	[ "$(grep -c '^vdb *device *dd ' /tmp/said)" -ge 2 ] || fail "not dd, twice"
	# Buffers grow while memory is counted, and the counts lag behind each other.
	! grep -v '^bufstat: adding up: /proc/meminfo: ' /tmp/err || fail "errors"
}

# Without the module the figures are kcore's.
without_module() {
	rmmod bufstat
	"$@"
}

load_again() {
	[ -d /sys/module/bufstat ] || insmod "$MODULE"
}

check "the screen has what the commands print" shows_tabs
check "details name who has a device open" tells_details
check "D drops what was named" drops
other_processors 0
check "the tab who traces while it is shown" with BTF traces
check_long "--batch prints each tab" prints
check_long "--batch prints what who reports" with BTF prints_who
check_long "the same without the module" with BTF without_module shows_tabs
other_processors 1
load_again
# A process that read cgroups for the screen was killed with it, and may take a
# moment to end.
for _ in $(seq 50); do
	! umount /tmp/cg 2>/dev/null || break
	sleep 0.1
done
! grep -q ' /tmp/cg ' /proc/mounts
