# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code shared by the runner and the checks. ROOT is the source tree.

# Prints the path of a tree that has FILE as the module's file, and 149932 kB of
# Buffers.
tree_with() { # FILE
	rm -rf "$TMPDIR/tree"
	mkdir -p "$TMPDIR/tree/proc" "$TMPDIR/tree/sys/kernel/debug/bufstat"
	printf '%s\n' 'MemTotal: 1004300 kB' 'MemFree: 314852 kB' \
		'Buffers: 149932 kB' >"$TMPDIR/tree/proc/meminfo"
	cp "$1" "$TMPDIR/tree/sys/kernel/debug/bufstat/devices"
	echo "$TMPDIR/tree"
}

# Prints the path of a captured host without its mount table.
tree_without_mounts() {
	rm -rf "$TMPDIR/tree"
	cp -R "$ROOT/tests/fixtures/debian-ext4" "$TMPDIR/tree"
	rm "$TMPDIR/tree/proc/self/mountinfo"
	echo "$TMPDIR/tree"
}

# Prints why the module is not loaded here, and the remedy.
module_hint() {
	bufstat sources -J | jq -r '.sources[] |
		select(.question == "devices" and .source == "module") |
		"\(.reason) (\(.remedy))"'
}

skip() { # REASON
	echo "$1"
	exit 77
}

fail() { # MESSAGE
	echo "$1"
	exit 1
}

equal() { # WHAT ACTUAL EXPECTED
	[ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"
}

# Prints a file, or its input, without the line that only a slow host gets, 2 seconds
# after the start.
without_patience='/^bufstat: measuring: .*: still working [(]--timeout N ends it with what is known[)]$/d'
unhurried() { # [FILE...]
	sed "$without_patience" "$@"
}

# Leaves the exit status in $status, and what was printed in $TMPDIR/out and
# $TMPDIR/err.
# shellcheck disable=SC2034 # for the checks
run() { # COMMAND...
	status=0
	"$@" >"$TMPDIR/out" 2>"$TMPDIR/err.whole" || status=$?
	unhurried "$TMPDIR/err.whole" >"$TMPDIR/err"
}

# Like run, but as an unprivileged user. Skips if that user cannot even run
# true, as in a chroot whose root directory only root may enter.
run_as_nobody() { # COMMAND...
	setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null ||
		skip 'no program can be run here but by root'
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Runs bufstat as nobody, from a copy, because nobody may not reach the build.
bufstat_as_nobody() { # ARGUMENT...
	chmod 711 "$TMPDIR" "$TMPDIR/.."
	mkdir -p "$TMPDIR/nobody"
	cp -L "$(command -v bufstat)" "$TMPDIR/nobody/bufstat"
	run_as_nobody "$TMPDIR/nobody/bufstat" "$@"
}

# Keeps a JSON document for validate_kept, which validates all of them at once:
# starting the validator takes longer than reading them.
keep() { # WHAT FILE
	[ "${kept-0}" -gt 0 ] || rm -rf "$TMPDIR/kept"
	mkdir -p "$TMPDIR/kept"
	kept=$((${kept-0} + 1))
	cp "$2" "$TMPDIR/kept/$kept $(echo "$1" | tr / _)"
}

validate_kept() { # SCHEMA
	[ "$(find "$TMPDIR/kept" -type f | wc -l)" -eq "$kept" ] ||
		fail "fewer than $kept documents were kept"
	"$ROOT/tests/schema/validate" "$ROOT/tests/schema/$1.list" \
		"$TMPDIR/kept/"* || fail "not what the schema of $1 says"
}

must_be_root() {
	[ "$(id -u)" -eq 0 ] || skip 'needs root'
}

has_terminals() {
	script -qec true /dev/null </dev/null >/dev/null 2>&1
}

must_have_terminals() {
	has_terminals || skip 'no script(1) here, or no terminal for it'
}

# For root in a chroot whose /dev/pts is empty. Runs in a mount namespace and
# first makes /dev private, or the terminals could be seen outside.
with_own_terminals() { # COMMAND...
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation unchanged sh -ec '
		mount --make-rprivate /dev
		mount -t devpts -o ptmxmode=666 devpts /dev/pts
		exec "$@"' sh "$@"
}

# Prints every file that COMMAND opens, successfully or not, one per line. Skips
# if processes may not be traced.
opened_by() { # COMMAND...
	strace -f -qq -o "$TMPDIR/trace" true 2>/dev/null ||
		skip 'strace may not trace here'
	strace -f -qq -e trace=open,openat,openat2,creat -o "$TMPDIR/trace" \
		"$@" >"$TMPDIR/out" 2>"$TMPDIR/err" || true
	sed -n 's/^[^"]*"\(.*\)".*/\1/p' "$TMPDIR/trace"
}

# Of lines with a file each, prints those of devices.
of_devices() {
	grep -E '(^|/)dev/' | grep -vE '(^|/)sys/dev/' || true
}
