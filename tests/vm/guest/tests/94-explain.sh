# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat explain on a live host: every device, why its pages are there, and
# nothing changed by asking.
# shellcheck source=../test.sh
. /guest/test.sh

# In the text an item may be broken into lines.
one_line() {
	tr -s ' \n' ' ' <"$1"
}

# says WORDS: in the explanation.
says() {
	one_line /tmp/text | grep -qF -- "$1" ||
		fail "not said: $1: $(cat /tmp/text)"
}

busy_host() {
	mount_quietly /dev/vda
	find /mnt >/tmp/found
	hold_open -r 300 /dev/vdb
}

text() {
	busy_host
	take /tmp/before
	bufstat explain >/tmp/text
	take /tmp/after
	same_rows /tmp/before /tmp/after
	says "devices measured by module"
	says ": ext4 metadata, mounted at /mnt"
	says "- vdb 1.2M"
	says ": held open by hold ($holder)"
	says "- unattributed 0: every page is accounted for"
	says "ext4 keeps its metadata here"
	release
}

figures() {
	busy_host
	take /tmp/before
	bufstat explain -J >/tmp/json
	jq -r '.buffers.devices[] | "\(.kname) \(.pages) \(.dirty_bytes / 4096)" +
		" \(.writeback_bytes / 4096) \(.openers)"' /tmp/json |
		sort >/tmp/rows
	awk '$1 == "end" { exit } rows { print $3, $4, $5, $6, $7 }
		$1 == "columns" { rows = 1 }' /tmp/before | sort >/tmp/expected
	[ -s /tmp/rows ]
	diff /tmp/expected /tmp/rows
	equal "$(jq -c '[.source, .complete, .buffers.unattributed_bytes]' \
		/tmp/json)" '["module",true,0]' "source, complete, unattributed"
	equal "$(jq -c '.buffers.devices[] | select(.kname == "vdb") |
		.held_open_by' /tmp/json)" \
		"[{\"pid\":$holder,\"comm\":\"hold\"}]" "who holds vdb open"
	release
}

# Processes that come and go while /proc is read.
processes_vanish() {
	hold_open -r 30 /dev/vdb
	while :; do
		# shellcheck disable=SC2034 # a process for each
		for i in 1 2 3 4 5 6 7 8; do
			true </dev/vdd &
		done
		wait
	done &
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		bufstat explain >/tmp/text 2>/tmp/errors
		says "held open by hold ($holder)"
		equal "$(cat /tmp/errors)" "" errors
	done
	kill $!
	release
}

check "explain names each device and why it is there, and changes nothing" text
check "explain -J has the module's figures" figures
check "explain while processes come and go" processes_vanish
