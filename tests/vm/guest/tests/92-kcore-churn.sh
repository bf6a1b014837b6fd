# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The list of devices changes all the time while kcore walks it without its
# lock.
# shellcheck source=../test.sh
. /guest/test.sh

SECONDS_OF_IT=$(often 40)
PATIENCE=120

# Reads ever more of vdb, so its page count only grows.
grow() {
	block=0
	while :; do
		dd if=/dev/vdb of=/dev/null bs=4k count=1 skip=$block 2>/dev/null
		block=$((block + 8))
		sleep 0.2
	done
}

module_rows() {
	awk '$1 == "end" { exit } rows { print $3, $4 }
		$1 == "columns" { rows = 1 }' "$FILE"
}

# between BEFORE ROWS AFTER: whether every disk vd* has a page count between the
# module's from before and after. Loop devices come and go, and one that is
# about to go may have lost its name.
between() {
	awk '$1 !~ /^vd/ { next }
		FILENAME == ARGV[1] { low[$1] = $2; seen[$1]; next }
		FILENAME == ARGV[2] { got[$1] = $2; seen[$1]; next }
		{ high[$1] = $2; seen[$1] }
		END {
			for (name in seen) {
				disks++
				if (got[name] + 0 < low[name] + 0 ||
				    got[name] + 0 > high[name] + 0) {
					print name, low[name], got[name], high[name]
					bad = 1
				}
			}
			exit bad || disks < 2
		}' "$@"
}

# Every answer is exact and right, or says that it is not. The counts of each
# kind go to /tmp/answers.
answers() {
	exact=0 unsettled=0 refused=0
	end=$(($(date +%s) + SECONDS_OF_IT))
	# On a slow machine the first exact answer may come late.
	while [ "$(date +%s)" -lt $end ] || { [ $exact = 0 ] &&
		[ "$(date +%s)" -lt $((end + PATIENCE)) ]; }; do
		status=0
		module_rows >/tmp/before
		timeout 60 bufstat devices --source kcore -rn -o KNAME,PAGES \
			>/tmp/answer 2>/tmp/said || status=$?
		module_rows >/tmp/after
		case $status in
		0)
			exact=$((exact + 1))
			between /tmp/before /tmp/answer /tmp/after ||
				fail "$(head /tmp/before /tmp/answer /tmp/after)"
			;;
		3)
			unsettled=$((unsettled + 1))
			grep -q unsettled /tmp/said || fail "$(cat /tmp/said)"
			;;
		1)
			refused=$((refused + 1))
			grep -q 'the list of devices changed' /tmp/said ||
				fail "$(cat /tmp/said)"
			;;
		*) fail "exit status $status: $(cat /tmp/said)" ;;
		esac
	done
	echo "exact $exact unsettled $unsettled refused $refused" >/tmp/answers
}

churn() {
	modprobe loop
	truncate -s 1M /tmp/backing
	hold_open -r 5 /dev/vda /dev/vdb
	loops churn 20 2 /tmp/backing >/tmp/churn1 &
	churning=$!
	loops churn 30 2 /tmp/backing >/tmp/churn2 &
	churning="$churning $!"
	loops churn 40 2 /tmp/backing >/tmp/churn3 &
	churning="$churning $!"
	grow &
	growing=$!
	answers
	kill $growing
	# shellcheck disable=SC2086 # words
	end $churning
	cat /tmp/churn[123] /tmp/answers | tee /out/kcore-churn
	awk '$1 == "rounds" && $2 >= 1 { churners++ }
		$1 == "exact" && $2 >= 1 { exact = 1 }
		END { exit !(churners == 3 && exact) }' /out/kcore-churn
	unload loop
}

check_long "devices come and go: what kcore calls exact is what the module saw" \
	with BTF churn
