# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# More helpers, for scripts about cgroups. Sourced after test.sh.

CG=/tmp/cg
MIB=$((1024 * 1024))
PROCESSORS=$(grep -c ^processor /proc/cpuinfo)
# In Linux 5.10, each processor counts up to 32 pages that are not added up yet, and
# each node, of each cgroup above, as many. LAG is in bytes, of one cgroup.
LAG=0 LAG_PAGES=0
case $(uname -r) in 5.10.*)
	LAG=$((PROCESSORS * 32 * PAGE))
	LAG_PAGES=$((PROCESSORS * 64))
	;;
esac

# inside CGROUP COMMAND...: runs it as a process of the cgroup.
inside() {
	procs=$CG$1/cgroup.procs
	shift
	sh -c 'echo 0 >"$0" && exec "$@"' "$procs" "$@"
}

# fill CGROUP NAME MIB: adds a file to the tmpfs. The buffer of dd is charged too.
fill() {
	inside "$1" dd if=/dev/zero of="/mnt/tmpfs/$2" bs=64k \
		count=$(($3 * 16)) 2>/dev/null
}

# Reads, and leaves "PATH KEY VALUE" and "next KEY VALUE" in lines: jq is slow in
# an emulated machine.
measure_cgroups() {
	bufstat cgroups -J -O >/tmp/cgroups.json
	jq -r '(.cgroups[] | .cgroup as $path | to_entries[] |
			"\($path) \(.key) \(.value)"),
		(.next_limit | to_entries[] | "next \(.key) \(.value)")' \
		/tmp/cgroups.json >/tmp/figures
}

# figure PATH KEY: of the last reading.
figure() {
	sed -n "s|^$1 $2 ||p" /tmp/figures
}

next() {
	figure next "$1"
}

# at_most WHAT VALUE MOST
at_most() {
	[ "$2" -le "$3" ] || fail "$1: $2, at most $3"
}

at_least() {
	[ "$2" -ge "$3" ] || fail "$1: $2, at least $3"
}

# as_large WHAT VALUE EXPECTED: within what the kernel has not added up.
as_large() {
	at_least "$1" "$2" $(($3 - LAG))
	at_most "$1" "$2" $(($3 + LAG))
}

# measure_charges WORD...: leaves the document, and lines "OF STATE CGROUP ID PAGES".
measure_charges() {
	bufstat charges -J -O "$@" >/tmp/charges.json
	jq -r '.charges[] | "\(.of) \(.state) \(.cgroup) \(.cgroup_id) \(.pages)"' \
		/tmp/charges.json >/tmp/charges
	cat /tmp/charges
	jq -e '.complete and (.charges | length > 0) and all(.caches[];
		.unattributed_pages == 0)' /tmp/charges.json ||
		fail "$(jq -c .caches /tmp/charges.json)"
}

# pages_of CGROUP STATE: the pages of all caches.
pages_of() {
	awk -v cgroup="$1" -v state="$2" \
		'$3 == cgroup && $2 == state { pages += $5 }
		END { print pages + 0 }' /tmp/charges
}

# near_pages WHAT VALUE EXPECTED: within what the kernel has not added up.
near_pages() {
	[ "$2" -ge $(($3 - LAG_PAGES)) ] && [ "$2" -le $(($3 + LAG_PAGES)) ] ||
		fail "$1: $2, expected $3"
}
