# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Helpers for the tests of bufstat who.

# shellcheck disable=SC2034 # Not every script uses it.
MIB=$PAGES_PER_MIB

# who COMMAND...: traces it. The JSON is in /tmp/who, the messages in /tmp/said.
who() {
	status=0
	bufstat who -J -- "$@" >/tmp/who 2>/tmp/said || status=$?
	cat /tmp/said /tmp/who
	equal $status 0 "exit status of who"
	equal "$(jq -r .engine /tmp/who)" bpf "engine"
	equal "$(jq .lost_events /tmp/who)" 0 "lost events"
	jq -e .complete /tmp/who >/dev/null
}

# pages_in COMMAND NAME, pages_out COMMAND NAME: of all processes called that.
pages_in() {
	jq --arg command "$1" --arg name "$2" '[.filled[] | select(.name == $name
		and .command == $command) | .pages_in] | add // 0' /tmp/who
}

pages_out() {
	jq --arg command "$1" --arg name "$2" '[.filled[] | select(.name == $name
		and .command == $command) | .pages_out] | add // 0' /tmp/who
}

# net NAME: of all processes.
net() {
	jq --arg name "$1" '[.filled[] | select(.name == $name
		and .command != "not traced") | .pages_in - .pages_out] | add // 0' \
		/tmp/who
}

nothing_untraced() {
	equal "$(jq -c '[.filled[] | select(.command == "not traced")]' /tmp/who)" \
		'[]' "not traced"
}
