# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Code shared by the scripts in this directory. Sourced, not run.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

# shellcheck disable=SC2034 # Not every script uses all of them.
{
	cache=${BUFSTAT_CACHE:-/var/cache/bufstat}
	# The Debian archive; its security archive is at $mirror-security.
	mirror=${BUFSTAT_MIRROR:-http://deb.debian.org/debian}
	# Relative to $top, as the Makefile needs it.
	build=build/vm
	# The tool under test; tools/coverage sets another.
	tool=${BUFSTAT:-$top/build/bufstat}
	# Of this machine, in Debian's words, and of the kernel that prepare()
	# was asked for.
	own_architecture=$(dpkg --print-architecture)
	architecture=$own_architecture
	# Exit statuses besides 0 and 1. LOST: the virtual machine ended without
	# a result. MIRROR: the kernel or suite could not be downloaded. NO_TREE:
	# nobody gave the kernel's source.
	EXIT_LOST=3
	EXIT_MIRROR=4
	EXIT_NO_TREE=5
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# field TABLE NAME COLUMN: from the tables kernels and architectures, whose last
# comment names the columns.
field() {
	awk -v name="$2" -v column="$3" '
		$1 == "#" && $2 == "name" {
			for (i = 2; i <= NF; i++)
				at[$i] = i - 1
		}
		$1 == name { print $at[column]; found = 1 }
		END { exit !found }' "$here/$1"
}

# kernel_names all|check|matrix|watch: all names, or those that tools/check,
# tools/matrix or tools/watch runs. tools/matrix also runs those of tools/check.
kernel_names() {
	awk -v which="$1" '!/^#/ && NF && (which == "all" || $5 == which ||
		which == "matrix" && $5 == "check") { print $1 }' "$here/kernels"
}

# kernel_field NAME suite|architecture|flavour
kernel_field() {
	# shellcheck disable=SC2046 # one word per name
	field kernels "$@" ||
		die "$1: no such kernel, there are:" $(kernel_names all)
}

# machine FIELD: a column of tests/vm/architectures for the kernel's architecture.
machine() {
	field architectures "$architecture" "$1" ||
		die "$architecture: not in tests/vm/architectures"
}

is_foreign() {
	[ "$architecture" != "$own_architecture" ]
}

# cross_packages: what compiles for the kernel's architecture.
cross_packages() {
	echo "gcc-$(machine gnu) pkg-config"
	# For programs of 32 bits.
	[ "$architecture" != arm64 ] || echo gcc-arm-linux-gnueabihf
}

# suite_base SUITE: the release to which an additional suite belongs.
suite_base() {
	case $1 in
	experimental) echo sid ;;
	*) echo "${1%-backports}" ;;
	esac
}

# with_private_mounts COMMAND...: what it mounts in the cache is seen by nobody else
# and goes with it. In a chroot the root is no mount, so the cache becomes one.
with_private_mounts() {
	# shellcheck disable=SC2016
	unshare --mount --propagation unchanged sh -uc '
		! mount --make-rprivate / 2>/dev/null || exec "$@"
		mount --bind "$0" "$0" && mount --make-rprivate "$0" || exit
		status=0
		"$@" || status=$?
		umount -l "$0"
		exit "$status"' "$cache" "$@"
}

# unpack_newer PACKAGE: unpacks a package of Debian 13 and the libraries that it needs,
# unless the cache has it. Sets root to the directory. Fails if it cannot be had. The
# program reads its libraries and its data there.
unpack_newer() {
	local suite=trixie

	root=$cache/newer/$suite-$1
	mkdir -p "${root%/*}"
	(
		flock 9
		[ ! -d "$root" ] || exit 0
		fresh=$(mktemp -d "${root%/*}/.new-XXXXXX")
		trap 'rm -rf "$fresh"' EXIT
		trap 'exit 130' INT TERM HUP
		chmod 755 "$fresh"
		echo "${0##*/}: unpacking the $1 of $suite, once" >&2
		mmdebstrap --quiet --variant=extract --include="$1" \
			--aptopt='Acquire::Check-Valid-Until "false"' \
			"$suite" "$fresh/root" "deb $mirror $suite main" \
			>"$root.log" 2>&1 && mv "$fresh/root" "$root"
	) 9>"$root.lock"
}

# loader_of PROGRAM: the path of its interpreter.
loader_of() {
	readelf -p .interp "$1" | grep -o '/[^ ]*ld[^ ]*'
}

# kernel_release DIRECTORY, kernel_headers DIRECTORY: a directory from fetch.
kernel_release() {
	cat "$1/release"
}

kernel_headers() {
	printf '%s/root/usr/src/linux-headers-%s\n' "$1" "$(kernel_release "$1")"
}

# kernel_image DIRECTORY: the kernel as it is packaged. Newer packages have it beside
# its modules, not in /boot.
kernel_image() {
	local release image

	release=$(kernel_release "$1")
	for image in "$1/root/boot"/vmlinu[xz]-"$release" \
		"$1/root/lib/modules/$release/vmlinuz"; do
		if [ -f "$image" ]; then
			echo "$image"
			return
		fi
	done
	die "$1/root: where is the kernel?"
}

# page_scale: how many times as much disk and memory the kernel of prepare takes. The
# tests count pages, and all of it is cached one day.
page_scale() {
	case $kernel in
	*-64k) echo 4 ;;
	*) echo 1 ;;
	esac
}

# unpack_module FROM TO: busybox does not know every compression.
unpack_module() {
	case $1 in
	*.ko) cp "$1" "$2" ;;
	*.ko.xz) xz -dc "$1" >"$2" ;;
	*.ko.zst) zstd -dcq "$1" >"$2" ;;
	*) die "$1: packed in an unknown way" ;;
	esac
}

# prepare NAME: fetches the kernel, builds the module for it and packs the
# initramfs, in build/vm/NAME. Sets architecture, kernel (the kernel's directory),
# sysroot (the system that the machine's programs come from; empty: this one),
# programs (the directory of bufstat and vm-helpers), disks and initramfs. Exits
# with EXIT_MIRROR if the kernel could not be downloaded. The machines of one
# tests/vm/run, which sets RUN_ID, share what the first made.
prepare() {
	local output=$build/$1

	architecture=$(kernel_field "$1" architecture)
	kernel=$("$here/fetch" "$1") || exit $?
	suite=$(kernel_field "$1" suite)
	sysroot='' programs=build
	if is_foreign; then
		sysroot=$("$here/root" "$suite" "$architecture") || exit $?
		programs=$build/programs-${sysroot##*/}
		SUITE_PACKAGES=$(cross_packages)
		export SUITE_PACKAGES
	fi
	disks=$("$here/disks" "$(page_scale)")
	initramfs=$output/initramfs
	mkdir -p "$output"
	(
		flock 8
		[ -z "${RUN_ID-}" ] ||
			[ "$(cat "$output/prepared" 2>/dev/null)" != "$RUN_ID" ] || exit 0
		rm -f "$output/prepared"
		build_initramfs "$1" "$output"
		echo "${RUN_ID-}" >"$output/prepared"
	) 8>"$output/.lock-prepare"
}

build_initramfs() { # NAME OUTPUT
	local release cross=() all=()

	release=$(kernel_release "$kernel")
	! is_foreign || {
		cross=("MODULE_FLAGS=ARCH=$(machine kbuild) CROSS_COMPILE=$(machine gnu)-")
		all=(all)
	}
	"$here/suite" "$suite" make -s -C "$top" module \
		KVER="$release" BUILD="$2" KDIR="$(kernel_headers "$kernel")" \
		"${cross[@]}" >"$2/make.log" 2>&1 ||
		die "$1: the module was not built, see $2/make.log"
	build_test_module "$2" || die "$1: its test module was not built, see $2/make.log"
	make_programs vm-helpers "${all[@]}"
	"$here/initramfs" "$sysroot" "$(machine gnu)" "$programs" "$kernel" \
		"$2/module-$release/bufstat.ko" "$initramfs"
}

# build_test_module OUTPUT: tests/vm/module, for kernels whose TTM has a pool that no
# count has.
build_test_module() {
	rm -rf "$1/test-module"
	! is_foreign || return 0
	# Kernels of clouds have no TTM.
	compgen -G "$kernel/root/lib/modules/*/kernel/drivers/gpu/drm/ttm/ttm.ko*" >/dev/null &&
		grep -qs 'bool use_dma32' \
			"$kernel"/root/usr/src/linux-headers-*/include/drm/ttm/ttm_device.h ||
		return 0
	cp -r "$here/module" "$1/test-module"
	"$here/suite" "$suite" make -s -C "$(kernel_headers "$kernel")" \
		M="$(realpath "$1/test-module")" modules >>"$1/make.log" 2>&1
}

# make_programs ARGUMENT...: runs make for the kernel's processor, after prepare
# has set suite, sysroot and programs. Two kernels may be prepared at a time.
make_programs() {
	local make=(make -s -C "$top")

	! is_foreign ||
		make=("$here/suite" "$suite" env PKG_CONFIG_SYSROOT_DIR="$sysroot"
			PKG_CONFIG_LIBDIR="$sysroot/usr/lib/$(machine gnu)/pkgconfig"
			"${make[@]}" BUILD="$programs"
			CC="$(machine gnu)-gcc --sysroot=$sysroot")
	(
		flock 9
		"${make[@]}" "$@"
	) 9>"$top/$build/.lock-programs"
}

# console_lines CONSOLE...: the lines without their timestamps.
console_lines() {
	sed -E 's/^\[[^]]*\] *//' "$@"
}

# A machine that prints nothing for this long is considered lost.
SILENT_SECONDS=${SILENT_SECONDS:-330}

# run_vm CONSOLE PARAMETERS QEMU-OPTION...: boots what prepare made and waits
# for its end. PARAMETERS go on the kernel's command line, with the parameters
# file of the kernel's directory. -accel tcg, because not every host of the
# tests has KVM. no_timer_check, because an emulated kernel on a busy host
# misses the timer interrupts it waits for and panics early in the boot.
# -erms, because QEMU emulates "rep movsb" byte by byte, and without it the kernel
# copies words; -fsrm too, which QEMU has since version 10: Linux 6.1 hangs if it has
# only that one. -la57, because a fifth level of page tables is one more to walk.
# SMP is the number of processors; benchmarks may set QEMU_OPTIONS.
run_vm() {
	local console=$1 parameters=$2 disk drives=() nic=()

	shift 2
	# Its page pool is that of a driver. It leads nowhere.
	[ "$architecture" != amd64 ] ||
		nic=(-netdev user,id=nic,restrict=on
			-device "virtio-net-pci,netdev=nic,rx_queue_size=1024,romfile=")
	for disk in ext4 raw parts ext4-1k xfs btrfs; do
		drives+=(-drive "file=$disks/$disk,format=raw,if=virtio,snapshot=on")
	done
	: >"$console"
	[ ! -f "$kernel/parameters" ] ||
		parameters+=" $(cat "$kernel/parameters")"
	# shellcheck disable=SC2086 # one word per option
	"$here/emulator" "$(machine qemu)" "$(machine package)" \
		-accel tcg -cpu "$(machine cpu)" \
		-smp "${SMP:-2}" -m "${MEMORY:-$(page_scale)G}" \
		-machine "$(machine machine)" ${QEMU_OPTIONS:-} \
		-no-user-config -nodefaults -display none -no-reboot \
		-kernel "$kernel/vmlinux" -initrd "$initramfs" \
		-append "console=$(machine console) loglevel=5 log_buf_len=4M panic=-1 oops=panic \
			no_timer_check mitigations=off $parameters" \
		-serial "file:$console" "${drives[@]}" \
		-device virtio-serial "${nic[@]}" "$@" </dev/null &
	qemu=$!
	trap 'kill $qemu 2>/dev/null || true' EXIT
	trap 'exit 130' INT TERM HUP
	wait_vm "$console"
	trap - EXIT
}

# Waits for the machine to end, or kills it after SILENT_SECONDS of silence.
wait_vm() {
	local directory=${1%/*} size last=-1 silent=0

	while kill -0 "$qemu" 2>/dev/null; do
		sleep 0.5
		size=$(cat "$directory"/{console,results}* | wc -c)
		if [ "$size" != "$last" ]; then
			last=$size
			silent=0
		elif [ $((++silent)) -gt $((SILENT_SECONDS * 2)) ]; then
			kill "$qemu" || true
			break
		fi
	done
	wait "$qemu" || true
}
