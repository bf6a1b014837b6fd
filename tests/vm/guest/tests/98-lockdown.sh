# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Lockdown, as Secure Boot sets it. It cannot be undone, so this comes after all
# scripts that need the module.
# shellcheck source=../test.sh
. /guest/test.sh

LOCKDOWN=/sys/kernel/security/lockdown

lock() {
	[ -e $LOCKDOWN ] || mount -t securityfs securityfs /sys/kernel/security
	echo "$1" >$LOCKDOWN
	grep -F "[$1]" $LOCKDOWN
}

# bufstat_says PATTERN STATUS ARGUMENT...
bufstat_says() {
	pattern=$1 wanted=$2
	shift 2
	status=0
	bufstat "$@" >/tmp/out 2>/tmp/said || status=$?
	cat /tmp/out /tmp/said
	equal $status "$wanted" "exit status of bufstat $*"
	grep -q "$pattern" /tmp/out /tmp/said
}

# who attributes pages of vdb to dd.
fills_vdb() {
	bufstat who -J --json-lines vdb -- \
		dd if=/dev/vdb of=/dev/null bs=64k count=64 >/tmp/who 2>/tmp/said
	cat /tmp/who /tmp/said
	jq -e '.engine == "bpf" and (.filled |
		map(.command == "dd" and .pages_in > 0) | any)' /tmp/who
}

integrity() {
	hold_open -r 30 /dev/vda /dev/vdb /dev/vdc1
	lock integrity
	# As when its key is enrolled: debugfs opens no file that can be written.
	bufstat devices --source module -rn -o KNAME,PAGES >/tmp/module
	rmmod bufstat
	not bufstat module load
	[ ! -d /sys/module/bufstat ]
	bufstat devices --source kcore -rn -o KNAME,PAGES >/tmp/kcore
	diff /tmp/module /tmp/kcore
	bufstat_says 'module .*lockdown=integrity.*mokutil' 0 sources
	bufstat_says '(kcore)\|(cachestat)' 0
	fills_vdb
	other_processors 0
	bufstat path -- true
	other_processors 1
}

confidentiality() {
	lock confidentiality
	fills_vdb
	jq -e '.evicted == null and .lost_events == 0' /tmp/who
	bufstat_says 'kcore: lockdown=confidentiality refuses /proc/kcore' 2 \
		devices --source kcore
	bufstat sources --timeout 60 | grep 'kcore .*lockdown=confidentiality'
	bufstat_says 'locked down (confidentiality)' 125 path -- true
}

check "lockdown=integrity: a loaded module answers, none is loaded, kcore has its rows" \
	with lockdown integrity
check "lockdown=confidentiality refuses kcore, and bufstat says so" \
	with lockdown confidentiality
