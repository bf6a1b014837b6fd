# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Code shared by the scripts in this directory. Sourced, not run.

passed=0 failed=0 skipped=0

# shellcheck disable=SC2034 # for the scripts
cache=${BUFSTAT_CACHE:-/var/cache/bufstat}

ok() { # NAME COMMAND...
	local name=$1 out status=0

	shift
	out=$("$@" 2>&1) || status=$?
	if [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok - $name"
	else
		failed=$((failed + 1))
		echo "not ok - $name: exit status $status"
		printf '    %s\n' "${out//$'\n'/$'\n'    }"
	fi
}

skip() { # NAME: WHY
	skipped=$((skipped + 1))
	echo "skipped - $1"
}

# Counts the lines "ok - ..." and "not ok - ..." in another program's output.
count() { # FILE
	cat "$1"
	passed=$((passed + $(grep -c '^ok - ' "$1" || true)))
	failed=$((failed + $(grep -c '^not ok - ' "$1" || true)))
}

same() { # FILE FILE
	diff -u "$1" "$2"
}

conclude() { # SUITE
	echo "$1: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
