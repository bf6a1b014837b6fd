# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat path: which way a command's data takes, as the module's figures and
# the kernel's settings of ftrace confirm it.
# One processor: the emulator can run code that another one is patching for
# function_graph ("Oops: int3").
# shellcheck source=../test.sh
. /guest/test.sh
needs tracing
leaves path

MIB=$PAGES_PER_MIB
TRACING=/sys/kernel/tracing
[ -e $TRACING/trace ] || mount -t tracefs tracefs $TRACING
# Once used, the buffer stays allocated; the tests compare the size, too.
cat $TRACING/buffer_size_kb | sed 's/.*expanded: \([0-9]*\).*/\1/' |
	(read -r size && echo "$size" >$TRACING/buffer_size_kb)

# settings: all that can be set in tracefs, and its instances.
settings() {
	(
		cd $TRACING
		for file in * options/* events/enable; do
			case $file in
			README | *_functions | *_functions_addrs | *_info | \
				printk_formats | saved_* | *_pipe | *_marker* | \
				kprobe_profile | uprobe_profile | snapshot | \
				free_buffer | trace_stat | timestamp_mode | *_syms)
				continue
				;;
			esac
			[ -f "$file" ] || continue
			echo "== $file"
			# The time in a comment of an empty buffer is not a setting.
			grep -v '^#  *[_/|| ]' "$file" || true
		done
		echo "== events"
		cat events/*/enable events/*/*/enable events/*/*/filter | sort | uniq -c
		echo "== instances"
		ls instances
	) 2>&1
}

# path [OPTION...] -- COMMAND...: the JSON is in /tmp/path.
path() {
	status=0
	bufstat path -J "$@" >/tmp/path 2>/tmp/said || status=$?
	cat /tmp/said
	jq -r '.sentences[]' /tmp/path
	equal $status 0 "exit status of path $*"
	equal "$(jq .lost_records /tmp/path)" 0 "lost records"
	jq -e .complete /tmp/path >/dev/null
}

# entry FILTER NAME: a figure of the entries called that, added up.
entry() {
	jq --arg name "$2" "[.entries[] | select(.entry == \$name) | $1] | add // 0" \
		/tmp/path
}

# appears FUNCTION...: one of them is in the tree.
appears() {
	for function; do
		! jq -e --arg name "$function" '[.tree[] | recurse(.children[]) |
			.function] | index($name)' /tmp/path >/dev/null || return 0
	done
	jq -r '[.tree[] | recurse(.children[]) | .function] | unique | join(" ")' \
		/tmp/path
	return 1
}

ADDS="filemap_add_folio add_to_page_cache_lru"

reads_device() {
	exec 4</dev/vdb
	echo 1 >/proc/sys/vm/drop_caches
	take /run/before
	path -- dd if=/dev/vdb of=/dev/null bs=4k count=64
	take /run/after
	grew vdb "$(jq .pages_added /tmp/path)" /run/before /run/after
	[ "$(jq .pages_added /tmp/path)" -ge $((64 * 4096 / PAGE)) ]
	equal "$(entry .pages_added read)" "$(jq .pages_added /tmp/path)" "by read"
	[ "$(entry .calls read)" -ge 64 ]
	equal "$(entry .failed read)" 0 "failed reads"
	equal "$(jq -r '[.entries[] | select(.entry == "read" and .pages_added > 0) |
		[.of, .kind, .page_cache, .direct] | join(" ")] | unique[]' /tmp/path)" \
		"/dev/vdb device true false" "what was read"
	appears blkdev_read_iter
	# shellcheck disable=SC2086
	appears $ADDS
	appears submit_bio
	not appears __iomap_dio_rw
	[ "$(jq .bios /tmp/path)" -ge 1 ]
	equal "$(jq '.read_bytes % 512' /tmp/path)" 0 "rest of what was read"
	jq -e '[.tree[] | recurse(.children[]) | select(.unfinished == 0) |
		.total_ns == .self_ns + ([.children[].total_ns] | add // 0)] | all' \
		/tmp/path >/dev/null
	cp /tmp/path /out/path.json
	# Again, as text: all is in the cache. dd's report goes to the pipe, too:
	# the output of a check is a file, and a write may add a page of it.
	bufstat path -- dd if=/dev/vdb of=/dev/null bs=4k count=64 2>&1 |
		tee /tmp/text
	grep -q '^6[4-9] reads of /dev/vdb through the page cache: no pages' /tmp/text ||
		grep -q '^6[4-9] reads of a block device .*: no pages added' /tmp/text
	grep -q '^No pages were added' /tmp/text
	grep -q '^Recorded: .*recording took about' /tmp/text
}

passes_by() {
	exec 4</dev/vdb
	take /run/before
	path -- dd if=/dev/vdb of=/dev/null bs=64k count=4 iflag=direct
	take /run/after
	same_rows /run/before /run/after
	equal "$(jq .pages_added /tmp/path)" 0 "pages added"
	equal "$(jq .read_bytes /tmp/path)" 262144 "bytes of I/O"
	# shellcheck disable=SC2086
	not appears $ADDS
	appears submit_bio
	jq -e '.sentences[0] | test("O_DIRECT, past the page cache: nothing added")' \
		/tmp/path
}

follows_children() {
	path -- sh -c 'cat /dev/vdc | head -c 65536 >/dev/null; (cat /dev/vdc) | wc -c'
	[ "$(jq .pages_added /tmp/path)" -ge $((2 * MIB)) ]
	jq -e '[.entries[] | select(.of == "/dev/vdc")] | length > 0' /tmp/path
}

exits_alike() {
	for wanted in 0 7; do
		status=0
		bufstat path -- sh -c "exit $wanted" >/dev/null || status=$?
		equal $status $wanted "exit status"
	done
	status=0
	bufstat path -- /no/such/program 2>/tmp/said || status=$?
	equal $status 127 "exit status without a program"
	status=0
	bufstat path -- /etc/passwd 2>/tmp/said || status=$?
	equal $status 126 "exit status of what is no program"
	status=0
	# shellcheck disable=SC2016
	bufstat path -- sh -c 'kill -TERM $$' >/dev/null || status=$?
	equal $status 143 "exit status of what a signal ended"
}

# same_settings COMMAND...: the command leaves ftrace as it was.
same_settings() {
	settings >/tmp/before
	"$@"
	settings >/tmp/after
	diff /tmp/before /tmp/after
}

# sources only looks whether path could trace.
only_looks() {
	bufstat sources --timeout 60 -rno QUESTION,ANSWERS | grep -qx "path yes"
}

leaves_nothing() {
	echo 1 >$TRACING/options/function-fork
	echo global >$TRACING/trace_clock
	same_settings path -- true
	same_settings only_looks
	echo 0 >$TRACING/options/function-fork
	echo local >$TRACING/trace_clock
	settings | grep -q '^== set_ftrace_filter'
	settings | grep -A1 '^== tracing_on' | grep -qx 1
}

# start_path: traces a process that goes on; sets $bufstat, $guard and $traced.
start_path() {
	bufstat path -- sleep 1000 >/tmp/path 2>&1 &
	bufstat=$!
	until pidof sleep >/dev/null && is_traced; do sleep 0.2; done
	traced=$(pidof sleep)
	guard=$(for process in $(pidof bufstat); do
		[ "$process" = $bufstat ] || echo "$process"
	done)
	[ "$guard" ]
}

is_traced() {
	ls -d $TRACING/instances/bufstat-path.* >/dev/null 2>&1 ||
		grep -q function_graph $TRACING/current_tracer
}

wait_for_guard() {
	for _ in $(seq 100); do
		pidof bufstat >/dev/null || return 0
		sleep 0.2
	done
	fail "the guard still runs"
}

killed() {
	start_path
	kill -KILL $bufstat "$traced"
	wait $bufstat || true
	wait_for_guard
	not is_traced
}

# The guard alone: bufstat puts things back itself.
guard_killed() {
	start_path
	kill -KILL "$guard"
	kill -TERM $bufstat
	wait $bufstat || true
	not is_traced
}

# A guard that somebody has stopped holds nothing up.
guard_stopped() {
	start_path
	kill -STOP "$guard"
	kill -TERM $bufstat
	for _ in $(seq 300); do
		kill -0 $bufstat 2>/dev/null || break
		sleep 0.1
	done
	! kill -KILL $bufstat 2>/dev/null || fail "it waits for its guard"
	wait $bufstat || true
	not is_traced
	not kill -0 "$guard" 2>/dev/null
}

# Both: the next run removes the instance, or puts back what is noted in /run.
both_killed() {
	start_path
	kill -KILL "$guard" $bufstat "$traced"
	wait $bufstat || true
	is_traced
	path -- true
	not is_traced
}

both_killed_and_read() {
	path -- true
	same_settings both_killed
	[ ! -e /run/bufstat/path ] || fail "left: the marks"
	if [ "$(jq .own_instance /tmp/path)" = true ]; then
		left_while_read
	else
		left_and_changed
	fi
}

# What somebody has set since stays, and the rest goes.
left_and_changed() {
	start_path
	kill -KILL "$guard" $bufstat "$traced"
	wait $bufstat || true
	echo boot >$TRACING/trace_clock
	timeout 2 bufstat record --dir /tmp/left || true
	rm -rf /tmp/left
	not is_traced
	grep -qF '[boot]' $TRACING/trace_clock
	echo local >$TRACING/trace_clock
	echo >$TRACING/trace
	echo 1 >$TRACING/tracing_on
}

# enabled: how many functions somebody traces.
enabled() {
	wc -l <$TRACING/enabled_functions
}

# As before, but somebody holds trace_pipe open: the instance cannot be removed
# and its tracer not be changed, yet nothing is traced any more. Then the recorder
# removes it.
left_while_read() {
	enabled >/tmp/enabled
	start_path
	left=$(echo $TRACING/instances/bufstat-path.*)
	exec 5<"$left/trace_pipe"
	kill -KILL "$guard" $bufstat "$traced"
	wait $bufstat || true
	[ "$(enabled)" -gt "$(cat /tmp/enabled)" ]
	path -- true
	[ -d "$left" ]
	# One that is hardly ever called: no filter would mean all functions.
	[ "$(enabled)" -le $(($(cat /tmp/enabled) + 1)) ]
	equal "$(cat "$left/set_ftrace_filter")" kernel_restart "the filter"
	equal "$(cat "$left/tracing_on" "$left/events/enable" | xargs)" "0 0" \
		"what is on"
	exec 5<&-
	timeout 2 bufstat record --dir /tmp/left || true
	rm -rf /tmp/left
	not is_traced
}

# A run in another PID namespace cannot know who lives: path refuses to run there,
# and the recorder leaves all as it is.
spares_living() {
	path -- true
	[ "$(jq .own_instance /tmp/path)" = true ] ||
		skip "the top of tracefs is used in this kernel"
	start_path
	living=$(echo $TRACING/instances/bufstat-path.*)
	status=0
	unshare --pid --fork --mount-proc bufstat path -- true 2>/tmp/said || status=$?
	equal $status 125 "exit status in a PID namespace"
	grep -q 'in a PID namespace' /tmp/said
	unshare --pid --fork --mount-proc timeout 2 bufstat record --dir /tmp/left ||
		true
	rm -rf /tmp/left
	says=$(cat "$living/tracing_on" "$living/current_tracer" | xargs)
	kill -TERM $bufstat
	wait $bufstat || true
	equal "$says" "1 function_graph" "what the living run has set"
	not is_traced
}

# disturbed STATUS [ARGUMENT...]: somebody sets a filter, an event and the clock
# while path runs, and they stay.
disturbed() {
	wanted=$1
	shift
	bufstat path -J "$@" >/tmp/path 2>/tmp/said &
	bufstat=$!
	until grep -q function_graph $TRACING/current_tracer &&
		grep -q 1 $TRACING/tracing_on && { [ "$1" = --all-processes ] || pidof sleep; }; do
		sleep 0.1
	done
	echo vfs_fsync >$TRACING/set_ftrace_filter
	echo 1 >$TRACING/events/writeback/enable
	echo boot >$TRACING/trace_clock
	status=0
	wait $bufstat || status=$?
	cat /tmp/said
	equal "$(cat $TRACING/set_ftrace_filter)" vfs_fsync "the other's filter"
	equal "$(cat $TRACING/events/writeback/enable)" 1 "the other's events"
	not grep -qv '^writeback:' $TRACING/set_event
	grep -q '\[boot\]' $TRACING/trace_clock
	equal "$(cat $TRACING/current_tracer)" nop "the tracer"
	equal $status "$wanted" "exit status"
	jq -e '.complete == false' /tmp/path
	grep -q 'somebody else changed' /tmp/said
	echo >$TRACING/set_ftrace_filter
	echo 0 >$TRACING/events/enable
	echo local >$TRACING/trace_clock
	echo >$TRACING/trace
}

spares_changes() {
	path -- true
	[ "$(jq .own_instance /tmp/path)" = false ] ||
		skip "an instance is used in this kernel"
	settings >/tmp/before
	disturbed 3 --all-processes --duration 2
	disturbed 7 -- sh -c 'sleep 2; exit 7'
	settings >/tmp/after
	diff /tmp/before /tmp/after
}

traces_process() {
	(while :; do
		dd if=/dev/vdc of=/dev/null bs=64k count=16 2>/dev/null
		sleep 0.1
	done) &
	path -p $! --duration 3
	kill $!
	[ "$(jq .pages_added /tmp/path)" -ge "$MIB" ]
	status=0
	bufstat path -p 999999 --duration 1 2>/tmp/said || status=$?
	cat /tmp/said
	equal $status 1 "exit status without a process"
}

traces_all() {
	path --all-processes -- sh -c 'dd if=/dev/vdd of=/dev/null bs=64k count=16 2>/dev/null'
	[ "$(jq .pages_added /tmp/path)" -ge "$MIB" ]
}

# A packet over the loopback device takes no page of the cache.
traces_function() {
	ip link set lo up
	path --function udp_sendmsg \
		--functions 'udp_*,ip_*,__ip_*,sock_*,__dev_queue_xmit,loopback_xmit' \
		-- traceroute -n -m 1 -q 1 -w 1 127.0.0.1
	equal "$(jq -r '[.tree[].function] | join(" ")' /tmp/path)" udp_sendmsg \
		"where the tree begins"
	[ "$(jq '.tree[0].calls' /tmp/path)" -ge 1 ]
	appears loopback_xmit
	equal "$(jq .pages_added /tmp/path)" 0 "pages added"
	path --max-depth 1 --function udp_sendmsg --functions 'udp_*,ip_*' \
		-- traceroute -n -m 1 -q 1 -w 1 127.0.0.1
	equal "$(jq '[.tree[].children[]] | length' /tmp/path)" 0 "deeper calls"
	status=0
	bufstat path --function udp_sendmgs --functions 'udp_*' -- true \
		2>/tmp/said || status=$?
	cat /tmp/said
	equal $status 125 "exit status without the function"
	grep -q 'udp_sendmgs: this kernel has no such function; did you mean udp_sendmsg?' \
		/tmp/said
}

# Each has its tree, the one within the other, too.
traces_functions() {
	ip link set lo up
	path --function udp_sendmsg,ip_make_skb --function 'ip_send_s*' \
		--functions 'udp_*,ip_*,__ip_*,sock_*,__dev_queue_xmit,loopback_xmit' \
		-- traceroute -n -m 1 -q 1 -w 1 127.0.0.1
	equal "$(jq -r '[.tree[].function] | sort | join(" ")' /tmp/path)" \
		'ip_make_skb ip_send_skb udp_sendmsg' 'where the trees begin'
	jq -e '[.tree[].children[].function] | index("ip_make_skb")' /tmp/path
	appears loopback_xmit
}

# One after the other, as function_graph has them: a file is read, and what is sent
# comes back in a softirq.
one_by_one() {
	ip link set lo up
	path --function udp_sendmsg,net_rx_action --each 3 \
		--functions 'udp_*,ip_*,net_rx_action,process_backlog,__napi_poll' \
		--all-processes -- traceroute -n -m 1 -q 5 -w 1 127.0.0.1
	jq -e '.sentences[-1] | test("^Network: 5 sends, ")' /tmp/path
	jq -c '.each[] | [.after_ns, .which, .task, .context, (.lines | length)]' \
		/tmp/path
	jq -e '(.each | map(.after_ns)) as $t | $t == ($t | sort) and
		([.each[] | select(.lines[0].function == "udp_sendmsg")] |
			length == 3 and all(.context == null and
			.task == "traceroute" and (.lines | length) >= 3)) and
		any(.each[]; .context == "softirq" and
			.lines[0].function == "net_rx_action")' /tmp/path
	bufstat path --function vfs_read --functions 'vfs_read,filemap_*' --each 1 \
		-- dd if=/dev/vdb of=/dev/null bs=64k count=1 skip=40 >/tmp/text
	cat /tmp/text
	grep '^vfs_read, call 1, after [0-9.]* s in [a-z]* ([0-9]*) on processor' \
		/tmp/text
	grep -E '^ [0-9]+\) [ +!#*] *[0-9.]+ us +\|  +[a-z_]+\(\);' /tmp/text
	path --function vfs_read --functions 'vfs_read,filemap_*' --each 1000 \
		-- dd if=/dev/vdb of=/dev/null bs=64k count=1 skip=80
	equal "$(jq '[.each[].lines[].pages_added] | add' /tmp/path)" \
		"$(jq .pages_added /tmp/path)" 'pages added, one by one'
}

# Where /sys is another, as under ip netns exec, the first process has tracefs.
in_another_namespace() {
	path -- dd if=/dev/vdb of=/dev/null bs=64k count=1
	appears vfs_read
	unshare -n -m sh -c 'mount --make-rprivate / && umount -l /sys &&
		mount -t sysfs sys /sys && ! [ -e /sys/kernel/tracing/README ] &&
		exec bufstat path -J -- dd if=/dev/vdb of=/dev/null bs=64k count=1' \
		>/tmp/path
	jq -e .complete /tmp/path
	appears vfs_read
}

# reads_addresses: whether path has read the list of functions, and not yet all of
# where they are.
reads_addresses() {
	for process in $(pidof bufstat); do
		ls -l "/proc/$process/fd" 2>/dev/null || true
	done | grep -q ' /proc/kallsyms$'
}

# goes_when_listed MODULE: the module goes between that list and the filter, and so
# the places of the functions after it move.
goes_when_listed() {
	for _ in $(seq 500); do
		! reads_addresses || break
	done
	killall -STOP bufstat
	! reads_addresses || echo moved >>/tmp/moved
	rmmod "$1"
	killall -CONT bufstat
}

# A function of brd is after those of a module that goes while path chooses it, and
# ahead of those of nbd, one of which is then at its place. All calls of it are there,
# and of no other.
beside_modules() {
	: >/tmp/moved
	rounds=$(often 20)
	for round in $(seq "$rounds"); do
		modprobe quota_v2
		modprobe brd rd_nr=1 rd_size=4096
		modprobe nbd
		goes_when_listed quota_v2 &
		path --functions brd_submit_bio,blkdev_read_iter -- \
			dd if=/dev/ram0 of=/dev/null bs=4k count=64 iflag=direct
		wait $!
		jq -e '[.tree[] | recurse(.children[]) | .function |
			IN("brd_submit_bio", "blkdev_read_iter")] | all' /tmp/path
		calls=$(jq '[.tree[] | recurse(.children[]) |
			select(.function == "brd_submit_bio").calls] | add' /tmp/path)
		echo "round $round: $calls reads"
		[ "$calls" -ge 64 ]
		unload nbd
		unload brd
	done
	echo "moved in $(wc -l </tmp/moved) of $rounds rounds"
	[ "$(wc -l </tmp/moved)" -ge $((rounds / 2)) ]
}

traces_every_function() {
	case $(uname -r) in
	5.10.*) skip "the emulated machine hangs" ;;
	esac
	# So many calls: a slow machine on a busy host may lose records of them.
	tries=3
	until (path --function vfs_read -- dd if=/dev/vdb of=/dev/null bs=64k count=1); do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || fail "three times"
	done
	equal "$(jq -r '[.tree[].function] | unique | join(" ")' /tmp/path)" \
		vfs_read "where the tree begins"
	[ "$(jq '[.tree[] | recurse(.children[]) | .function] | unique | length' \
		/tmp/path)" -ge 30 ]
}

has_text() {
	bufstat path --ftrace -- dd if=/dev/vdb of=/dev/null bs=64k count=1 \
		>/tmp/raw 2>/tmp/said
	grep -q 'vfs_read' /tmp/raw
	grep -q '|' /tmp/raw
}

# Somebody else traces: an instance does not mind, the top does.
in_use() {
	path -- true
	own=$(jq .own_instance /tmp/path)
	# An emulator that traces every function takes seconds for each step.
	other=function
	! grep -qw blk $TRACING/available_tracers || other=blk
	echo $other >$TRACING/current_tracer
	status=0
	bufstat path -- true >/dev/null 2>/tmp/said || status=$?
	says=$(cat $TRACING/current_tracer)
	path_answers=$(bufstat sources --timeout 60 -rno QUESTION,ANSWERS | grep ^path)
	echo nop >$TRACING/current_tracer
	echo >$TRACING/trace
	cat /tmp/said
	equal "$says" $other "the other's tracer"
	if [ "$own" = true ]; then
		equal $status 0 "exit status"
		equal "$path_answers" "path yes" "what sources says"
		not is_traced
		return
	fi
	equal $status 125 "exit status"
	equal "$path_answers" "path no" "what sources says"
	grep -q 'current_tracer: somebody uses' /tmp/said
	# What was recorded is somebody's, too.
	echo mark >$TRACING/trace_marker
	status=0
	bufstat path --all-processes --duration 1 2>/tmp/said || status=$?
	grep -q mark $TRACING/trace
	echo >$TRACING/trace
	equal $status 2 "exit status"
	grep -q 'trace: somebody uses' /tmp/said
}

# refused STATUS PATTERN COMMAND...
refused() {
	wanted=$1 pattern=$2
	shift 2
	status=0
	"$@" 2>/tmp/said || status=$?
	cat /tmp/said
	equal $status "$wanted" "exit status of $*"
	grep -q "$pattern" /tmp/said
}

# helps COMMAND...: what the last refusal names is done, and the command goes.
helps() {
	remedy=$(sed -n 's/.*(\(sysctl [^()]*\))$/\1/p' /tmp/said | tail -n 1)
	$remedy
	"$@" >/dev/null
}

refuses() {
	refused 2 'use sudo' su nobody -s /bin/sh -c 'bufstat path --all-processes --duration 1'
	refused 125 'use sudo' su nobody -s /bin/sh -c 'bufstat path -- true'
	# Linux 7.3 says EOPNOTSUPP: there it cannot be off.
	if (echo 0 >/proc/sys/kernel/ftrace_enabled) 2>/dev/null; then
		refused 2 'sysctl kernel.ftrace_enabled=1' bufstat path --all-processes --duration 1
		helps bufstat path --all-processes --duration 1
	fi
	old=$(cat /proc/sys/kernel/kptr_restrict)
	echo 2 >/proc/sys/kernel/kptr_restrict
	refused 2 'sysctl kernel.kptr_restrict=1' bufstat path --all-processes --duration 1
	bufstat sources --timeout 60 | grep '^path .* no .*sysctl kernel.kptr_restrict=1'
	helps bufstat path --all-processes --duration 1
	echo "$old" >/proc/sys/kernel/kptr_restrict
	library=$(find /lib /usr/lib -name libtraceevent.so.1 | head -n 1)
	mount --bind /dev/null "$library"
	status=0
	bufstat path --all-processes --duration 1 2>/tmp/said || status=$?
	umount "$library"
	cat /tmp/said
	equal $status 2 "exit status without libtraceevent"
	grep -q 'install libtraceevent1' /tmp/said
}

# It would have to choose its functions by name, for which the kernel compares each
# with all of them.
too_old() {
	status=0
	bufstat path -- true 2>/tmp/said || status=$?
	cat /tmp/said
	equal $status 125 "exit status"
	grep -q 'by name only; path needs Linux 5.2' /tmp/said
}

case $(uname -r) in
4.18.*)
	check "path: refused in this kernel" too_old
	exit
	;;
esac

other_processors 0
check "path: a read of a device adds what the module counts" reads_device
check "path: O_DIRECT adds nothing" passes_by
check_long "path follows children" follows_children
check_long "path ends as the command does" exits_alike
check "path leaves ftrace as it was" leaves_nothing
check "path, killed with all but the guard, leaves ftrace as it was" \
	same_settings killed
check_long "path whose guard is killed leaves ftrace as it was" \
	same_settings guard_killed
check_long "path whose guard is stopped ends, and leaves ftrace as it was" \
	same_settings guard_stopped
check_long "path removes what a run left that was killed with its guard" \
	both_killed_and_read
check_long "path spares the instance of a living run" spares_living
check "path leaves what somebody else set meanwhile" spares_changes
check_long "path -p traces a process" traces_process
check_long "path --all-processes traces all" traces_all
check_long "path --function begins at a function" traces_function
check_long "path --function begins at several, each with its tree" traces_functions
check_long "path --each shows calls one by one" one_by_one
check_long "path finds tracefs where /sys is another" in_another_namespace
check_long "path while modules come and go" beside_modules
# In a slow machine all processors do for long is to trace their interrupts:
# Linux 5.10 has hung there.
[ ! "${thorough-}" ] ||
	check "path --function traces every function" traces_every_function
check_long "path --ftrace prints ftrace's text" has_text
check "path spares somebody else's trace" in_use
check "path says what it needs" refuses
other_processors 1
