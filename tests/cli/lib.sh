# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the runner and the checks share. ROOT is the source tree.

# The path of a tree with this file in the module's place and 149932 kB in
# Buffers.
tree_with() { # FILE
	rm -rf "$TMPDIR/tree"
	mkdir -p "$TMPDIR/tree/proc" "$TMPDIR/tree/sys/kernel/debug/bufstat"
	printf '%s\n' 'MemTotal: 1004300 kB' 'MemFree: 314852 kB' \
		'Buffers: 149932 kB' >"$TMPDIR/tree/proc/meminfo"
	cp "$1" "$TMPDIR/tree/sys/kernel/debug/bufstat/devices"
	echo "$TMPDIR/tree"
}

# The path of a captured host without its mount table.
tree_without_mounts() {
	rm -rf "$TMPDIR/tree"
	cp -R "$ROOT/tests/fixtures/debian-ext4" "$TMPDIR/tree"
	rm "$TMPDIR/tree/proc/self/mountinfo"
	echo "$TMPDIR/tree"
}

# Why the module is not loaded here, and what would help.
module_hint() {
	bufstat sources -J | jq -r '.sources[] | select(.source == "module") |
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

# Leaves the exit status in $status, and what was printed in $TMPDIR/out and
# $TMPDIR/err.
# shellcheck disable=SC2034 # for the checks
run() { # COMMAND...
	status=0
	"$@" >"$TMPDIR/out" 2>"$TMPDIR/err" || status=$?
}

# As run, by a user who may do nothing. Skips where such a user cannot even run
# true, as in a chroot whose root directory is only for root.
run_as_nobody() { # COMMAND...
	setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null ||
		skip 'no program can be run here but by root'
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# As run_as_nobody, with bufstat, for the user may not reach the build either.
bufstat_as_nobody() { # ARGUMENT...
	chmod 711 "$TMPDIR" "$TMPDIR/.."
	mkdir -p "$TMPDIR/nobody"
	cp -L "$(command -v bufstat)" "$TMPDIR/nobody/bufstat"
	run_as_nobody "$TMPDIR/nobody/bufstat" "$@"
}

# Keeps a JSON document for validate_kept, which looks at them all at once: a
# validator takes longer to start than to read them.
keep() { # WHAT FILE
	[ "${kept-0}" -gt 0 ] || rm -rf "$TMPDIR/kept"
	mkdir -p "$TMPDIR/kept"
	kept=$((${kept-0} + 1))
	cp "$2" "$TMPDIR/kept/$kept $(echo "$1" | tr / _)"
}

validate_kept() { # SCHEMA
	[ "$(find "$TMPDIR/kept" -type f | wc -l)" -eq "$kept" ] ||
		fail "fewer than $kept documents were kept"
	"$ROOT/tests/schema/validate" "$ROOT/tests/schema/$1.schema.json" \
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

# For a chroot whose /dev/pts is empty, by root: in a mount namespace, where
# /dev is private first, for else the terminals could be seen outside.
with_own_terminals() { # COMMAND...
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation unchanged sh -ec '
		mount --make-rprivate /dev
		mount -t devpts -o ptmxmode=666 devpts /dev/pts
		exec "$@"' sh "$@"
}

# Every file that COMMAND opens, successfully or not, one per line. Skips where
# processes may not be traced.
opened_by() { # COMMAND...
	strace -f -qq -o "$TMPDIR/trace" true 2>/dev/null ||
		skip 'strace may not trace here'
	strace -f -qq -e trace=open,openat,openat2,creat -o "$TMPDIR/trace" \
		"$@" >"$TMPDIR/out" 2>"$TMPDIR/err" || true
	sed -n 's/^[^"]*"\(.*\)".*/\1/p' "$TMPDIR/trace"
}

# Of lines with a file in each, those of a device.
of_devices() {
	grep -E '(^|/)dev/' | grep -vE '(^|/)sys/dev/' || true
}
