# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# In a machine booted with debugfs=off, the module loads, and everything that
# needs no debugfs works.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../cached.sh
. /guest/cached.sh

loads() {
	not mount -t debugfs debugfs /mnt
	rmmod bufstat
	bufstat module load
	[ -c /dev/bufstat ]
}

filesystems_are_asked() {
	adds_up_to_cached
	bufstat fs -J >/tmp/fs.json
	jq -e '.complete and (.filesystems | length > 1)' /tmp/fs.json
	bufstat files -J | jq -e '.files | length == 20'
}

devices_say_why() {
	status=0
	bufstat devices --source module 2>/tmp/error || status=$?
	equal $status 2 "exit status"
	equal "$(cat /tmp/error)" "bufstat: measuring: module: loaded, but this kernel has no debugfs (boot one with CONFIG_DEBUG_FS=y, without debugfs=off)" message
	status=0
	bufstat module status >/tmp/status || status=$?
	equal $status 2 "exit status of module status"
	grep 'usable .*no debugfs' /tmp/status
}

# off COMMAND...: skips it where the kernel does not know debugfs=off.
off() {
	case $(uname -r) in
	4.18.*) skip "debugfs=off is of Linux 5.8" ;;
	esac
	"$@"
}

check "without debugfs the module loads" off loads
check "without debugfs filesystems and files are measured" filesystems_are_asked
check "without debugfs it is said why devices are not" \
	off devices_say_why
