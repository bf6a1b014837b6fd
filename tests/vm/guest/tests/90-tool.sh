# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The tool on a kernel with the module: it prints what the module's file says.
# /usr/bin/free is the real one, free busybox's.
# shellcheck source=../test.sh
. /guest/test.sh

# Some devices with pages, some of them dirty.
hold_some() {
	hold_open -r 30 /dev/vda /dev/vdb /dev/vdc1
	dd if=/dev/zero of=/dev/vdb bs="$PAGE" count=10 conv=notrunc 2>/dev/null
}

# measured SOURCE: kname, pages, dirty and writeback in bytes, of each device.
measured() {
	bufstat devices --source "$1" -J -o KNAME,PAGES,DIRTY,WRITEBACK |
		jq -r '.devices[] | select(.kname) | "\(.kname) \(.pages)" +
			" \(.dirty_bytes) \(.writeback_bytes)"' | sort
}

# The same from the module's file.
written() {
	awk -v page="$PAGE" '$1 == "end" { exit }
		rows { print $3, $4, $5 * page, $6 * page }
		$1 == "columns" { rows = 1 }' "$1" | sort
}

summary() {
	hold_some
	take /tmp/snapshot
	bufstat -b >/tmp/summary 2>/tmp/said
	cat /tmp/summary
	# On a slow host it says that it is still at work.
	equal "$(grep -v ': still working (' /tmp/said)" "" "messages"
	equal "$(head -n 1 /tmp/summary)" "$(/usr/bin/free -b | head -n 1)" "heading"
	grep -q '(module)' /tmp/summary
	bytes=$(($(header pages /tmp/snapshot) * PAGE))
	[ $bytes -gt 0 ]
	equal "$(tail -n 1 /tmp/summary)" \
		"attributed $bytes of $bytes, unattributed 0" "closing line"
	for name in vda vdb vdc1; do
		equal "$(awk -v n=$name '$1 ~ n"$" { print $3 }' /tmp/summary)" \
			$(($(pages $name /tmp/snapshot) * PAGE)) "$name"
	done
	equal "$(bufstat --only-free -w | awk '/^Mem/ { print $6 }')" \
		$((bytes / 1024)) "buffers in free's table"
}

rows_of_module() {
	hold_some
	take /tmp/snapshot
	written /tmp/snapshot >/tmp/expected
	measured module >/tmp/rows
	[ "$(wc -l </tmp/rows)" = 3 ]
	diff /tmp/expected /tmp/rows
	equal "$(column dirty vdb /tmp/snapshot)" 10 "dirty of vdb"
	flush /dev/vdb
}

rest_is_zero() {
	hold_some
	equal "$(bufstat devices -J | jq '.unattributed_bytes')" 0 unattributed
	equal "$(bufstat devices -a -J -o NAME | jq '.devices | length')" \
		"$(every_device | wc -l)" "rows of -a"
}

sources_agree() {
	has_cachestat || skip "no cachestat(2) in this kernel"
	hold_some
	measured module >/tmp/rows
	measured cachestat >/tmp/others
	[ -s /tmp/rows ]
	diff /tmp/rows /tmp/others
	flush /dev/vdb
}

# status_is EXIT-STATUS COMMAND...
status_is() {
	expected=$1
	shift
	status=0
	"$@" || status=$?
	equal "$status" "$expected" "exit status of $*"
}

loading() {
	status_is 0 bufstat module status
	exec 5<"$FILE"
	status_is 1 bufstat module unload 2>/tmp/said
	exec 5<&-
	cat /tmp/said
	grep -qx "bufstat: unloading the module: bufstat: somebody has $FILE or /dev/bufstat open (try again: .*; fuser -v $FILE /dev/bufstat shows who keeps them)" /tmp/said
	[ -d /sys/module/bufstat ]
	status_is 0 bufstat module unload
	[ ! -d /sys/module/bufstat ]
	status_is 0 bufstat module unload
	status_is 2 bufstat module status
	bufstat module status | grep -x 'remedy     sudo bufstat module load'
	status_is 2 bufstat devices --source module
	status_is 0 bufstat module load
	status_is 0 bufstat module load
	verify "$FILE"
	status_is 0 bufstat module unload
	status_is 0 bufstat module load "$MODULE"
	verify "$FILE"
}

# Without the module, free's table is still printed, with status 0.
without_module() {
	hold_some
	bufstat module unload
	bufstat >/tmp/summary
	equal "$(head -n 1 /tmp/summary)" "$(/usr/bin/free | head -n 1)" "heading"
	[ ! -d /sys/module/bufstat ]
	bufstat module load
}

as_nobody() {
	su -s /bin/sh nobody -c bufstat >/tmp/summary 2>/tmp/said ||
		fail "exit status $?: $(cat /tmp/said)"
	cat /tmp/summary /tmp/said
	equal "$(head -n 1 /tmp/summary)" "$(/usr/bin/free | head -n 1)" "heading"
	equal "$(wc -l </tmp/said)" 1 "lines on stderr"
}

check "bufstat prints free's table and the file's rows, nothing unattributed" \
	summary
check "bufstat devices has the file's rows" rows_of_module
check "unattributed is 0, and -a lists every device" rest_is_zero
check "--source cachestat and --source module agree row by row" sources_agree
check "bufstat module: status, load, unload, busy, twice" loading
check "bufstat without the module still prints free's table" without_module
check "bufstat as nobody prints free's table and one line why no more" \
	as_nobody
