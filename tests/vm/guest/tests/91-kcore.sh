# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The source kcore: what it reads out of the kernel's memory is what the module
# counts in the kernel.
# shellcheck source=../test.sh
. /guest/test.sh

CACHE=/run/bufstat/kcore
CAP_SYS_RAWIO=17

hold_some() {
	hold_open -r 30 /dev/vda /dev/vdb /dev/vdc1
	dd if=/dev/vdd of=/dev/null bs=4096 count=7 2>/dev/null
	exec 4</dev/vdd
	dd if=/dev/vdd of=/dev/null bs=4096 count=7 2>/dev/null
}

# rows SOURCE: kname, pages and openers of each device with pages.
rows() {
	bufstat devices --source "$1" -J -o KNAME,PAGES,OPENERS >/tmp/json
	jq -e '.complete and .settled' /tmp/json >/dev/null ||
		fail "$1: not complete: $(cat /tmp/json)"
	jq -r '.devices[] | select(.kname) | "\(.kname) \(.pages) \(.openers)"' \
		/tmp/json | sort
}

# pages_of SOURCE: the same without openers, which cachestat does not know.
pages_of() {
	rows "$1" | cut -d ' ' -f 1,2 | grep -v ' 0$\| null$'
}

agree() {
	hold_some
	rm -f $CACHE
	rows module >/tmp/module
	rows kcore >/tmp/kcore
	cat /tmp/module
	[ "$(wc -l </tmp/module)" -ge 4 ]
	diff /tmp/module /tmp/kcore
	has_cachestat || return 0
	pages_of module >/tmp/module
	pages_of cachestat >/tmp/cachestat
	diff /tmp/module /tmp/cachestat
}

# What the first run found out serves the second, and only root's word counts.
cached() {
	hold_some
	rm -f $CACHE
	rows kcore >/tmp/first
	equal "$(stat -c '%a %u' $CACHE)" "600 0" "mode and owner of the cache"
	equal "$(stat -c '%a' /run/bufstat)" 700 "mode of its directory"
	cat $CACHE
	# Nothing of this is read again: it could not be.
	mount -t tmpfs none /sys/kernel/btf
	rows kcore >/tmp/second
	diff /tmp/first /tmp/second
	rm $CACHE
	not bufstat devices --source kcore 2>/tmp/said
	umount /sys/kernel/btf
	cat /tmp/said
	grep -q CONFIG_DEBUG_INFO_BTF /tmp/said
	rows kcore >/tmp/third
	diff /tmp/first /tmp/third
}

# damaged WHAT COMMAND...: the command spoils the cache; that must not show, and
# the cache must be good again.
damaged() {
	what=$1
	shift
	"$@"
	rows kcore >/tmp/second
	diff /tmp/first /tmp/second || fail "$what"
	cmp $CACHE /tmp/cache || fail "$what: not written anew"
}

# The pointer is elsewhere; everything else is as it should be.
other_symbol() {
	awk '/_stext/ { $2 = $2 + 8 } { print }' /tmp/cache >$CACHE
}

other_kernel() {
	sed 's/^build-id ./build-id 0/; s/^build-id 0\(.*\)/build-id 1\1/' \
		/tmp/cache >$CACHE
}

damaged_cache() {
	hold_some
	rm -f $CACHE
	rows kcore >/tmp/first
	cp $CACHE /tmp/cache
	damaged "another symbol" other_symbol
	damaged "another kernel's" other_kernel
	damaged "half of it" sed -i '5,$d' $CACHE
	damaged "nothing in it" truncate -s 0 $CACHE
	damaged "noise" dd if=/dev/urandom of=$CACHE bs=4096 count=1
	damaged "another one's file" chown nobody $CACHE
	damaged "a file others may write" chmod 666 $CACHE
	damaged "a link" ln -sf /tmp/cache $CACHE
}

without_module() {
	hold_some
	rows kcore >/tmp/with
	bufstat module unload
	rows kcore >/tmp/without
	bufstat module load
	diff /tmp/with /tmp/without
}

# Without the right: the message and exit status 2.
no_capability() {
	status=0
	without_cap $CAP_SYS_RAWIO bufstat devices --source kcore \
		2>/tmp/said || status=$?
	cat /tmp/said
	equal $status 2 "exit status"
	grep -q 'needs CAP_SYS_RAWIO' /tmp/said
	status=0
	su -s /bin/sh nobody -c "bufstat devices --source kcore" \
		2>/tmp/said || status=$?
	cat /tmp/said
	equal $status 2 "exit status as nobody"
	grep -q 'is for root' /tmp/said
}

# Addresses hidden: the symbols are read from memory, wherever they are there.
hidden_addresses() {
	hold_some
	rows kcore >/tmp/open
	rm -f $CACHE
	echo 2 >/proc/sys/kernel/kptr_restrict
	status=0
	rows kcore >/tmp/hidden || status=$?
	echo 0 >/proc/sys/kernel/kptr_restrict
	equal $status 0 "exit status"
	diff /tmp/open /tmp/hidden
}

# A device whose node is gone is measured all the same, and its row says by what.
filled_in() {
	has_cachestat || skip "no cachestat(2) in this kernel"
	hold_some
	bufstat module unload
	mv /dev/vdb /dev/vdb.away
	status=0
	bufstat devices -r -o KNAME,PAGES,SOURCE >/tmp/rows 2>/tmp/said ||
		status=$?
	mv /dev/vdb.away /dev/vdb
	bufstat module load
	cat /tmp/rows /tmp/said
	equal $status 0 "exit status"
	equal "$(grep -c ' cachestat$' /tmp/rows)" 3 "rows by cachestat"
	grep -q '^vdb [1-9][0-9]* kcore$' /tmp/rows
	tail -n 1 /tmp/rows | grep -q ' 0 $'
}

check "kcore and the module agree row by row" with BTF agree
check "what was found out is kept in /run, for root only" with BTF cached
check "a damaged cache does no harm" with BTF damaged_cache
check "kcore needs no module" with BTF without_module
check "kcore says which right is missing" with BTF no_capability
check "kptr_restrict=2 hides nothing" with BTF hidden_addresses
check "a device without a node is measured by kcore" with BTF filled_in
