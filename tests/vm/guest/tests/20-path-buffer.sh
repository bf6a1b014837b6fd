# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# bufstat path before anybody has used ftrace: ahead of all scripts that use it.
# One processor: as for 94-path.sh.
# shellcheck source=../test.sh
. /guest/test.sh
needs tracing

TRACING=/sys/kernel/tracing
[ -e $TRACING/trace ] || mount -t tracefs tracefs $TRACING

# An instance that was tried and removed does not keep the kernel from making the top's
# buffer as large as it is for any tracer.
buffer_as_usual() {
	case $(uname -r) in
	4.18.*) skip "path is refused in this kernel" ;;
	esac
	usual=$(sed -n 's/.*expanded: \([0-9]*\).*/\1/p' $TRACING/buffer_size_kb)
	[ "$usual" ]
	bufstat path -J -- true >/tmp/path
	jq -e '.lost_records == 0' /tmp/path
	if jq -e .own_instance /tmp/path; then
		grep -q expanded $TRACING/buffer_size_kb
	else
		[ "$(cat $TRACING/buffer_size_kb)" -ge "$usual" ]
	fi
}

other_processors 0
check "path records in buffers of the usual size" buffer_as_usual
other_processors 1
