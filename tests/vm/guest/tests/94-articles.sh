# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The examples of bufstat-articles(7): what the page says of each holds here, too.
# One processor: as for 94-path.sh.
# Any kernel will do.
# shellcheck source=../test.sh
. /guest/test.sh
# shellcheck source=../manual.sh
. /guest/manual.sh

needs tracing
[ -e /sys/kernel/tracing/trace ] ||
	mount -t tracefs tracefs /sys/kernel/tracing
# Not busybox's: its dd has no oflag=sync, its ip no namespaces.
PATH=/coreutils:$PATH

ip() {
	/usr/bin/ip "$@"
}

# again DEVICE TYPE: mounts what an earlier check has made, with nothing cached.
again() {
	modprobe "$2"
	mount -t "$2" -o noatime "$1" /mnt
	echo 3 >/proc/sys/vm/drop_caches
}

buffers() {
	files
	example articles-dd 'bufstat who -o NAME,CACHE,COMMAND,IN,OUT,HOW -- dd if=/dev/vdb of=/dev/null bs=1M count=100'
	holds articles-dd '^vdb +device +dd +10[0-9]M +0 read$'
	example articles-free 'bufstat'
	holds articles-free '^ +total +used +free +shared +buff/cache +available$'
	holds articles-free '^vdb '
	example articles-devices 'bufstat devices'
	holds articles-devices '^vdb .* 10[0-9](\.[0-9])?M'
	echo 3 >/proc/sys/vm/drop_caches
	example articles-find 'bufstat who -o NAME,CACHE,COMMAND,IN,OUT,HOW -- find /mnt -mtime +7'
	holds articles-find '^vdb +device +find '
	lacks articles-find '^/mnt +files +find '
	example articles-blocks 'bufstat blocks vdb'
	holds articles-blocks '^inode table '
	holds articles-blocks '^directory '
}

synchronous_write() {
	again /dev/vdb ext4
	example articles-write 'bufstat path --function ext4_file_write_iter --functions generic_perform_write,filemap_add_folio,add_to_page_cache_lru --functions ext4_sync_file,ext4_writepages,submit_bio,folio_wait_writeback --functions jbd2_log_wait_commit,blkdev_issue_flush,schedule --each 1 -- dd if=/dev/zero of=/mnt/data/table bs=4k count=1 conv=notrunc oflag=sync'
	holds articles-write '^1 call of ext4_file_write_iter .*: 1 page added; the calls waited until the device had the data\.$'
	holds articles-write 'generic_perform_write\(\) '
	holds articles-write '(filemap_add_folio|add_to_page_cache_lru)\(\); /\* 1 pages added \*/'
	holds articles-write 'submit_bio\(\); /\* 1 bios, 4K \*/'
	holds articles-write 'jbd2_log_wait_commit\(\)'
}

# All functions of the kernel are too many for an emulated machine: records get lost.
one_function() {
	again /dev/vdb ext4
	example articles-funcgraph 'bufstat path --function filemap_read --functions "filemap_*,folio_*,touch_atime,handle_mm_fault" --max-depth 2 --each 1 -- dd if=/mnt/data/table of=/dev/null bs=4k count=1'
	holds articles-funcgraph '^1 call of filemap_read .* through the page cache: '
	holds articles-funcgraph '^ 0\) .*\|  filemap_read\(\) \{$'
	holds articles-funcgraph '^ 0\) .*\|    filemap_get_pages\(\); /\* [0-9]+ pages added'
}

# veth in place of a network card: client -- here (west, east) -- peer.
network() {
	needs_modules veth
	ip netns add client
	ip netns add peer
	# Nothing is to be sent but by the examples.
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
	for space in client peer; do
		ip netns exec $space sh -c \
			'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6'
	done
	near=02:00:00:00:00:01 far=02:00:00:00:00:02
	for pair in west:client east:peer; do
		ip link add ${pair%:*} address $near type veth \
			peer name eth0 address $far netns ${pair#*:}
	done
	ip addr add 10.1.0.1/24 dev west
	ip addr add 10.2.0.1/24 dev east
	ip -n client addr add 10.1.0.2/24 dev eth0
	ip -n peer addr add 10.2.0.2/24 dev eth0
	for device in west east lo; do
		ip link set $device up
	done
	for space in client peer; do
		ip -n $space link set eth0 up
		ip -n $space link set lo up
	done
	# ARP would ask again 5 s after the first answer.
	ip neigh add 10.1.0.2 lladdr $far nud permanent dev west
	ip neigh add 10.2.0.2 lladdr $far nud permanent dev east
	ip -n client neigh add 10.1.0.1 lladdr $near nud permanent dev eth0
	ip -n peer neigh add 10.2.0.1 lladdr $near nud permanent dev eth0
	ip -n client route add default via 10.1.0.1
	ip -n peer route add default via 10.2.0.1
	echo 1 >/proc/sys/net/ipv4/ip_forward
}

network_ends() {
	ip netns del client
	ip netns del peer
}

udp() {
	network
	start_holding datagrams serve 10.1.0.1 7 20 30
	ip netns exec client datagrams ask 10.1.0.1 7 1
	example articles-udp 'bufstat path --all-processes --function udp_sendmsg,udp_recvmsg,net_rx_action --functions __dev_queue_xmit,veth_xmit,__skb_wait_for_more_packets --functions schedule_timeout,ip_rcv,sock_def_readable --each 3 -- ip netns exec client datagrams ask 10.1.0.1 7 1'
	release
	network_ends
	holds articles-udp '^Network: 2 sends, 2 receives, 2 packets came in, 2 packets given to a device \(veth 2\)\.$'
	holds articles-udp '^udp_sendmsg, call 1, after .* in datagrams '
	holds articles-udp 'veth_xmit\(\);'
	holds articles-udp '^udp_recvmsg, call 1, after .* in datagrams '
	holds articles-udp '\* [0-9.]+ us +\| +schedule_timeout\(\);'
	holds articles-udp '^net_rx_action, call 2, after .*, in a softirq:$'
	holds articles-udp 'sock_def_readable\(\);'
	holds articles-udp '^It waited in __skb_wait_for_more_packets '
}

# tunnel NAMESPACE-OPTIONS...: both ends have the same keys.
tunnel() {
	for way in '10.2.0.1 dst 10.2.0.2 proto esp spi 0x100' \
		'10.2.0.2 dst 10.2.0.1 proto esp spi 0x101'; do
		# shellcheck disable=SC2086 # words
		ip "$@" xfrm state add src $way mode tunnel \
			auth-trunc 'hmac(sha256)' "0x$(printf %064d 9)" 128 \
			enc 'cbc(aes)' "0x$(printf %032d 7)"
	done
}

policy() { # FROM TO DIRECTION TUNNEL-FROM TUNNEL-TO [IP-OPTION...]
	from=$1 to=$2 direction=$3 outer_from=$4 outer_to=$5
	shift 5
	ip "$@" xfrm policy add src "$from" dst "$to" dir "$direction" \
		tmpl src "$outer_from" dst "$outer_to" proto esp mode tunnel
}

ipsec() {
	needs_modules xfrm_user esp4 authenc echainiv drbg nf_conntrack nf_tables nft_ct \
		nf_flow_table_inet nft_flow_offload
	network
	ip -n peer addr add 10.3.0.1/32 dev lo
	ip route add 10.3.0.1/32 via 10.2.0.2
	tunnel
	tunnel -n peer
	policy 10.1.0.2 10.3.0.1 out 10.2.0.1 10.2.0.2
	policy 10.3.0.1 10.1.0.2 fwd 10.2.0.2 10.2.0.1
	policy 10.1.0.2 10.3.0.1 in 10.2.0.1 10.2.0.2 -n peer
	policy 10.3.0.1 10.1.0.2 out 10.2.0.2 10.2.0.1 -n peer
	nft -f - <<-'END'
		table ip articles {
			flowtable fast {
				hook ingress priority 0
				devices = { west, east }
			}
			chain forward {
				type filter hook forward priority 0
				ct state established flow add @fast
			}
		}
	END
	start_holding ip netns exec peer datagrams serve 10.3.0.1 7 20 0
	ip netns exec client datagrams ask 10.3.0.1 7 1
	example articles-ipsec 'bufstat path --all-processes --function nf_flow_offload_ip_hook,nf_conntrack_in,ip_forward --functions flow_offload_add,nf_flow_xmit_xfrm,esp_output,veth_xmit --each 8 -- ip netns exec client datagrams ask 10.3.0.1 7 3'
	release
	network_ends
	holds articles-ipsec '^Network: 3 packets forwarded, 9 packets shown to a flow table, 9 packets seen by conntrack, 3 packets encrypted by ESP'
	holds articles-ipsec '^nf_flow_offload_ip_hook, call 8, after .*, in a softirq:$'
	holds articles-ipsec '^ip_forward, call 3, after .*, in a softirq:$'
	lacks articles-ipsec '^ip_forward, call 4'
	holds articles-ipsec 'flow_offload_add\(\);'
	holds articles-ipsec '\|    nf_flow_xmit_xfrm\(\) \{$'
	holds articles-ipsec '\|      esp_output\(\);'
}

requests() {
	again /dev/vdb ext4
	example articles-aio-ext4 'bufstat path --function io_submit_one --functions "aio_read,*_read_iter,iomap_dio_rw,submit_bio" -- queued aio /mnt/data/table 100'
	holds articles-aio-ext4 '^-22$'
	holds articles-aio-ext4 '^1 call of io_submit_one .* with O_DIRECT, past the page cache: nothing added to the page cache; 1 failed \(Invalid argument\)\.$'
	holds articles-aio-ext4 'iomap_dio_rw '
	example articles-aio-device 'bufstat path --function io_submit_one --functions "aio_read,*_read_iter,blkdev_direct_IO,submit_bio" -- queued aio /dev/vdb 100'
	holds articles-aio-device '^-22$'
	holds articles-aio-device '^1 call of io_submit_one .* with O_DIRECT, past the page cache: nothing added to the page cache; 1 failed \(Invalid argument\)\.$'
	holds articles-aio-device 'blkdev_direct_IO '
	example articles-uring 'bufstat path --function __x64_sys_io_uring_enter --functions "io_submit_sqes,io_read,*_read_iter,iomap_dio_rw,submit_bio" -- queued uring /mnt/data/table 4096'
	holds articles-uring '^1 call of io_uring_enter .* with O_DIRECT, past the page cache: nothing added to the page cache\.$'
	holds articles-uring 'io_submit_sqes .* 1$'
	holds articles-uring 'submit_bio '
}

# A file of 64 KiB, of which nothing is cached.
small_file() {
	needs_modules "$2"
	mount -t "$2" "$1" /mnt
	dd if=/dev/zero of=/mnt/file bs=64k count=1 2>/dev/null
	umount /mnt
	again "$1" "$2"
}

on_btrfs() {
	small_file /dev/vdf btrfs
	example articles-aio-btrfs 'bufstat path --function io_submit_one --functions "aio_read,*_read_iter,btrfs_direct_read,filemap_*,submit_bio" -- queued aio /mnt/file 100'
	holds articles-aio-btrfs '^100$'
	case $(uname -r) in
	6.1.*) # What would tell is part of another function there.
		holds articles-aio-btrfs '^1 call of io_submit_one .*: 4 pages added\.$'
		;;
	*)
		holds articles-aio-btrfs '^1 call of io_submit_one .* with O_DIRECT, which fell back to the page cache: [0-9]+ pages added\.$'
		;;
	esac
}

on_xfs() {
	small_file /dev/vde xfs
	example articles-xfs 'bufstat path --function xfs_file_read_iter --functions "filemap_*,page_cache_*,*_vm_readahead,iomap_readahead,submit_bio" -- dd if=/mnt/file of=/dev/null bs=64k count=1'
	holds articles-xfs '^1 call of xfs_file_read_iter .* through the page cache: [0-9]+ pages added\.$'
	holds articles-xfs 'iomap_readahead '
	holds articles-xfs 'submit_bio '
}

other_processors 0
check "articles: what dd and find bring into Buffers, by device" buffers
check "articles: a synchronous write" synchronous_write
check "articles: one function" one_function
check "articles: datagrams" udp
check "articles: forwarded packets, with IPsec, conntrack and a flow table" ipsec
check "articles: unaligned requests of AIO, and io_uring" requests
check "articles: an unaligned request on btrfs" with btrfs on_btrfs
check "articles: a read on XFS" on_xfs
other_processors 1
