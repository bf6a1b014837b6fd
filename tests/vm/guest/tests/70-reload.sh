# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Unloading and loading, with and without readers.
# shellcheck source=../test.sh
. /guest/test.sh

ROUNDS=$(often 100)
# Each reader reads at least this often, even if that takes longer.
LEAST=10

in_use() {
	exec 5<"$FILE"
	not rmmod bufstat
	cat <&5 >/tmp/snapshot
	verify /tmp/snapshot "$FILE"
	exec 5<&-
	rmmod bufstat
	insmod "$MODULE"
}

# Retries until the module is unloaded, and counts how often it was in use.
unload() {
	until rmmod bufstat 2>/dev/null; do
		busy=$((busy + 1))
	done
}

rounds() {
	busy=0
	watch_file "$FILE" $LEAST >/tmp/reader1 &
	first=$!
	watch_file "$FILE" $LEAST >/tmp/reader2 &
	second=$!
	for round in $(seq $ROUNDS); do
		unload
		# So that readers see the module gone in some rounds.
		[ $((round % 10)) != 0 ] || sleep 0.1
		insmod "$MODULE"
	done
	end $first $second
	cat /tmp/reader1 /tmp/reader2
	echo "busy $busy"
	awk -v least=$LEAST '{ absent += $4; if ($2 < least) exit 1 }
		END { exit !absent }' /tmp/reader1 /tmp/reader2
	cp /tmp/reader1 /tmp/reader2 /out
}

# Last: leaves the module unloaded.
nothing_remains() {
	rmmod bufstat
	[ ! -e /sys/kernel/debug/bufstat ]
	[ ! -e /sys/module/bufstat ]
	not grep -w bufstat /proc/modules /proc/vmallocinfo /proc/slabinfo
	not grep -w bufstat /proc/kallsyms
}

check "rmmod fails while the file is open and works after the close" in_use
check_long "$ROUNDS times unloaded and loaded with two readers" rounds
check "after unloading nothing of it is left" nothing_remains
