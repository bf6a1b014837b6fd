# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# What dump and crash have in common: whether bufstat reads from a dump what the
# machine reported before (guest/dump). The file $output/results has that.
# Sourced, not run, after lib.sh.

result() {
	printf '%s - %s: %s\n' "$1" "$name" "$2" | tee -a "$output/report"
}

# check NAME COMMAND...
check() {
	local what=$1

	shift
	if "$@" >"$output/said" 2>&1; then
		result ok "$what"
	else
		result "not ok" "$what"
		tail -n 20 "$output/said" | sed "s|^|# $name: |"
	fi
}

# answer COMMAND DUMP ARGUMENT...: what bufstat says of a dump. crash has its own.
answer() {
	"$tool" "$1" --vmcore "$2" "${@:3}"
}

# expected: the module's name, pages, openers, dirty pages and pages under
# writeback of each device.
expected() {
	awk '$1 == "row" { print $2, $3, $4, $5, $6 }' "$output/results" |
		tr -d '\r'
}

fact() {
	awk -v key="$1" '$1 == key { print $2 }' "$output/results" | tr -d '\r'
}

# same DUMP: whether its devices are those of the module.
same() {
	answer devices "$1" -J \
		-o KNAME,PAGES,OPENERS,DIRTY,WRITEBACK >"$output/json" ||
		return 1
	jq -r '.page_size_bytes as $page | .devices[] |
		"\(.kname) \(.pages) \(.openers) \(.dirty_bytes / $page)" +
		" \(.writeback_bytes / $page)"' "$output/json" |
		sort >"$output/rows"
	diff <(expected) "$output/rows" &&
		grep -q ' 300 0$' "$output/rows" &&
		grep -q '^loop0 1 1 1 0$' "$output/rows" &&
		jq -e --arg release "$(fact release)" --argjson kib \
			"$(meminfo Buffers)" '.kernel == $release and
			.source == "vmcore" and .complete and
			.buffers_bytes == $kib * 1024 and
			.unattributed_bytes == 0' "$output/json"
}

# meminfo FIELD: the KiB that the machine's /proc/meminfo had.
meminfo() {
	awk -v field="$1:" '$1 == "meminfo" && $2 == field { print $3 }' \
		"$output/results" | tr -d '\r'
}

# facts KIND: prints what the module saw of this kind.
facts() {
	sed -n "s/^$1 //p" "$output/results" | tr -d '\r'
}

# same_filesystems DUMP: whether its filesystems are those of the module, and no
# pages of Cached are left unattributed.
same_filesystems() {
	local status=0 page

	answer fs "$1" -J -o MAJ:MIN,FSTYPE,PAGES,DIRTY,WRITEBACK \
		>"$output/json" || status=$?
	page=$(jq .page_size_bytes "$output/json") || return 1
	diff <(facts filesystem | sort) <(jq -r --argjson page "$page" \
		'.filesystems[] | "\(."maj:min") \(.fstype) \(.pages) " +
		"\(.dirty_bytes / $page) \(.writeback_bytes / $page)"' \
		"$output/json" | sort) || return 1
	[ "$status" = 0 ] && jq -e --arg release "$(fact release)" '
		.kernel == $release and .source == "vmcore" and
		.complete and .lists_all_pages and
		.unattributed_bytes == 0' "$output/json"
}

# same_files DUMP: the same of the largest files.
same_files() {
	answer files "$1" -J --top 12 \
		-o INODE,PAGES,SIZE,FSTYPE,STATE,PATH >"$output/json" || return 1
	diff <(facts file | sort) <(jq -r '.files[] | "\(.inode) \(.pages) " +
		"\(.size_bytes) \(.fstype) \(.state) " +
		"\(.path | sub(".*/"; ""))"' "$output/json" | sort)
}

# has_variables: whether the kernel's symbol table has variables too. Without
# CONFIG_KALLSYMS_ALL only those that modules use can be found in a dump: not the
# swap's size, vmalloc, per-CPU memory, and pools of huge pages.
has_variables() {
	[ "$(fact variables)" = yes ]
}

# same_memory DUMP: whether explain has what /proc/meminfo had in the machine.
# Only free memory moves while the machine is idle.
same_memory() {
	answer explain "$1" -J >"$output/json" || return 1
	jq -r '.meminfo + .columns + .buffers |
		"MemTotal \(.total_bytes) 0", "MemFree \(.free_bytes) 1024",
		"MemAvailable \(.available_bytes) 1024",
		"Buffers \(.buffers_bytes) 0", "Cached \(.cached_bytes) 0",
		"SwapCached \(.swap_cached_bytes) 0",
		"SReclaimable \(.sreclaimable_bytes) 64",
		"Shmem \(.shmem_bytes) 0", "Mapped \(.mapped_bytes) 0",
		"Dirty \(.dirty_bytes) 0", "Writeback \(.writeback_bytes) 0",
		"SwapTotal \(.swap_total_bytes) 0",
		"SwapFree \(.swap_free_bytes) 0"' "$output/json" |
		while read -r field bytes allowed; do
			expected=$(meminfo "$field")
			[ "$bytes$field" != "nullSwap${field#Swap}" ] ||
				has_variables || continue
			[ "$bytes" != null ] && [ -n "$expected" ] &&
				moved=$((bytes / 1024 - expected)) &&
				[ "${moved#-}" -le "$allowed" ] ||
				echo "$field: $bytes bytes, expected $expected kB"
		done >"$output/wrong"
	cat "$output/wrong"
	[ ! -s "$output/wrong" ] && [ "$(meminfo SwapCached)" -gt 0 ] &&
		jq -e '.complete and .source == "vmcore" and
			.cached.unattributed_bytes == 0 and
			.buffers.unattributed_bytes == 0' "$output/json" &&
		jq -e '.memory.unaccounted_bytes + ([.memory.heads[].bytes] |
			add) == .columns.total_bytes and
			.verdict.unreclaimable_bytes == null and
			.verdict.largest_head != null' "$output/json" &&
		answer explain "$1" buffers | tr -s '\n ' ' ' \
			>"$output/explained" &&
		grep -q 'vdd .*: ext4 is in use on it: its metadata' \
			"$output/explained" &&
		answer explain "$1" >"$output/explained" &&
		grep -q 'The largest part of' "$output/explained" &&
		grep -q '^block device cache' "$output/explained" &&
		! grep -q 'What frees memory' "$output/explained"
}

# is_valid NAME: whether the document is what its schema says.
is_valid() {
	"$top/tests/schema/validate" "$top/tests/schema/$1.list" \
		<"$output/json"
}

# heads: the heads of a document of bufstat memory, and the rest.
heads() {
	jq -r '(.heads[] | "\(.head) \(.bytes)"), "rest \(.unaccounted_bytes)"'
}

# same_heads DUMP: whether memory says what it said in the machine just before,
# 96 pages more or less: it was in memory itself then, with its relocated tables.
same_heads() {
	local page status=0

	answer memory "$1" -J >"$output/json" 2>"$output/heads.said" || status=$?
	is_valid memory || return 1
	has_variables || {
		[ $status = 3 ] &&
			grep -q 'so some are in unaccounted (' "$output/heads.said"
		return
	}
	[ $status = 0 ] || return 1
	heads <"$output/json" | sort >"$output/heads"
	page=$(jq .page_size_bytes "$output/json")
	facts memory | heads | sort >"$output/heads.before"
	join -a 1 -a 2 -e none -o 0,1.2,2.2 "$output/heads.before" \
		"$output/heads" | awk -v page="$page" '
		# Linux 7.3 prints some that it no longer counts as 0.
		$2 == 0 && $3 == "none" { next }
		/none/ { print "only in one: " $0; next }
		{ moved = ($3 - $2) / page }
		$1 == "free" || $1 == "free_per_cpu" { free += moved; next }
		moved > 96 || moved < -96 { print $1 ": " moved " pages" }
		END { if (free > 128 || free < -128) print "free: " free }' \
		>"$output/wrong"
	cat "$output/wrong"
	[ ! -s "$output/wrong" ] && jq -e --arg release "$(fact release)" \
		--argjson kib "$(meminfo MemTotal)" \
		--argjson huge "$(meminfo Hugetlb)" '
		.complete and .source == "vmcore" and .kernel == $release and
		.total_bytes == $kib * 1024 and
		([.heads[].bytes] | add) + .unaccounted_bytes == .total_bytes and
		any(.heads[]; .head == "huge_pages" and .bytes == $huge * 1024 and .bytes > 0) and
		all(.heads[]; .remedy == null and .reclaimable_bytes == null)' \
		"$output/json"
}

# same_charges DUMP: whether each page of the devices and filesystems is charged
# to some cgroup, or said to be charged to none.
same_charges() {
	answer charges "$1" -J -O vda vdb vdc1 vdd vde vdf >"$output/json" &&
		is_valid charges &&
		diff <(expected | awk '$1 ~ /^vd/ && $2 { print $1, $2 }' | sort) \
			<(jq -r '.caches[] | select(.kind == "device" and
			.pages > 0) | "\(.name) \(.pages)"' "$output/json" |
			sort) &&
		jq -e --arg release "$(fact release)" '
			.complete and .source == "vmcore" and
			.kernel == $release and
			all(.caches[]; .unattributed_pages == 0) and
			any(.caches[]; .kind == "filesystem" and .pages == 70) and
			any(.charges[]; .cgroup == "/") and
			([.charges[].pages] | add) == ([.caches[].pages] | add)' \
			"$output/json"
}

# The dump is of another processor's memory, but it is read on this one.
block_kinds() {
	make -s -C "$top" build/vm-helpers/block_kinds &&
		"$top/build/vm-helpers/block_kinds" "$@"
}

# same_blocks DUMP: whether each cached block of a filesystem is what libext2fs
# says of the disk, to which nothing was written.
same_blocks() {
	answer blocks "$1" -J -O --runs vdd >"$output/json" &&
		is_valid blocks &&
		jq -e '.complete and .source == "vmcore" and
			.fstype == "ext4" and
			([.kinds[].bytes] | add) == .bytes and
			any(.owners[]; .path == "/d0")' "$output/json" &&
		jq -r '.runs[] | "\(.offset_bytes) \(.bytes) " +
			(.kind | gsub(" "; "\\x20"))' "$output/json" |
		block_kinds "$disks/ext4-1k" |
			tee "$output/kinds" &&
		grep 'right [1-9].* wrong 0 unknown 0' "$output/kinds"
}

# Every row, figure and name.
same_everything() {
	same "$1" && same_filesystems "$1" && same_files "$1" &&
		same_memory "$1" && same_heads "$1"
}

# makedumpfile 1.7.2 sometimes wrongly drops a node of a page tree of Linux
# 6.12, or the name of a disk or a file. Then the dirty pages or the name are
# blank. But every device and file is there, and every figure that is not blank
# is right.
same_as_far_as_known() {
	local status=0

	answer devices "$1" -J \
		-o KNAME,PAGES,OPENERS,DIRTY,WRITEBACK >"$output/json" ||
		return 1
	jq -r '.page_size_bytes as $page | .devices[] |
		[.kname // "-", .pages, .openers,
		(.dirty_bytes, .writeback_bytes |
			if . == null then "-" else . / $page end)] |
		map(tostring) | join(" ")' "$output/json" >"$output/rows"
	match_rows <(expected) || return 1
	answer files "$1" -J --top 12 \
		-o INODE,PAGES,SIZE,FSTYPE,STATE,PATH >"$output/json" \
		2>"$output/rows.said" || status=$?
	jq -r '.files[] | "\(.inode) \(.pages) \(.size_bytes) \(.fstype) " +
		"\(.state) \(.path // "-" | sub(".*/"; ""))"' \
		"$output/json" >"$output/rows"
	match_rows <(facts file) || return 1
	# It says so if names are missing, and how many.
	case $(grep -c ' -$' "$output/rows") in
	0) [ "$status" = 0 ] ;;
	*)
		[ "$status" = 3 ] && grep -q "naming: $(grep -c ' -$' \
			"$output/rows") of the files: .* not in the dump" \
			"$output/rows.said"
		;;
	esac
}

# match_rows EXPECTED: whether the rows are those of EXPECTED. A field "-"
# matches anything; rows that have it last match whatever is left.
match_rows() {
	cat "$1" >"$output/expected"
	LC_ALL=C sort -r "$output/rows" >"$output/sorted"
	awk '
		FNR == NR { wanted[++count] = $0; next }
		{
			for (i = 1; i <= count; i++) {
				split(wanted[i], fields, " ")
				same = wanted[i] != ""
				for (j = 1; j <= NF; j++)
					same = same && ($j == "-" || $j == fields[j])
				if (same)
					break
			}
			if (i > count)
				print "not expected: " $0
			delete wanted[i]
		}
		END {
			for (i in wanted)
				if (wanted[i] != "")
					print "missing: " wanted[i]
		}' "$output/expected" "$output/sorted" >"$output/wrong"
	cat "$output/wrong"
	[ ! -s "$output/wrong" ]
}
