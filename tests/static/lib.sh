# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by run and analyse: checks and their counts.

passed=0 failed=0 skipped=0

skip() { # NAME REASON
	skipped=$((skipped + 1))
	echo "skipped - $1: $2"
}

# FUNCTION prints errors and nothing else, or ends with 77 and prints why it
# cannot run.
check() { # NAME FUNCTION
	code=0
	wrong=$("$2" 2>&1) || code=$?
	if [ "$code" -eq 77 ]; then
		skip "$1" "$wrong"
	elif [ -z "$wrong" ] && [ "$code" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok - $1"
	else
		failed=$((failed + 1))
		echo "not ok - $1"
		echo "${wrong:-exit status $code}" | sed 's/^/    /'
	fi
}

# Like check, with a program whose versions find different things: the sources
# follow Debian 12's version.
check_with() { # PROGRAM VERSION NAME FUNCTION
	if command -v "$1" >/dev/null &&
		! "$1" --version | grep -qE " $2(\.|\$)"; then
		skip "$3" "this $1 is not version $2"
	else
		check "$3" "$4"
	fi
}

finish() { # SUITE
	echo "$1: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
