# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced: installs the packages a script needs with apt or dnf, and names them.

# Packages for compiling the tool.
# shellcheck disable=SC2034 # for the scripts that source this file
build_packages_apt='gcc make pkg-config libc6-dev libsmartcols-dev
	libkmod-dev libext2fs-dev libblkid-dev'
# shellcheck disable=SC2034
build_packages_dnf='gcc make pkgconf-pkg-config glibc-devel libsmartcols-devel
	kmod-devel e2fsprogs-devel libblkid-devel'

package_manager() {
	if command -v apt-get >/dev/null; then
		echo apt
	elif command -v dnf >/dev/null; then
		echo dnf
	else
		echo "installing packages: neither apt-get nor dnf is here" >&2
		return 1
	fi
}

has_package() { # MANAGER PACKAGE
	case $1 in
	apt) dpkg-query -W -f '${db:Status-Status}\n' "$2" 2>/dev/null |
		grep -qx installed ;;
	dnf) rpm -q --quiet --whatprovides "$2" ;;
	esac
}

# Tries three times, because a mirror or a lock may be busy for a moment. Shows
# only the errors of the last try.
three_times() { # COMMAND...
	said=$(mktemp) || return
	for pause in 0 5 15; do
		sleep "$pause"
		if "$@" 2>"$said"; then
			rm -f "$said"
			return 0
		fi
	done
	cat "$said" >&2
	rm -f "$said"
	return 1
}

# Keeps changed configuration files: nobody would see dpkg's question.
apt_install() {
	three_times apt-get -qq update || return
	DEBIAN_FRONTEND=noninteractive three_times apt-get -qq install \
		--no-install-recommends -o DPkg::Lock::Timeout=120 \
		-o DPkg::Options::=--force-confold "$@" >/dev/null
}

# Installs each missing PACKAGE once and names it.
install_packages() { # MANAGER PACKAGE...
	manager=$1
	shift
	missing=
	for package; do
		case "$missing " in
		*" $package "*) continue ;;
		esac
		has_package "$manager" "$package" ||
			missing="$missing $package"
	done
	[ -n "$missing" ] || return 0

	if [ "$(id -u)" -ne 0 ]; then
		echo "these packages are missing (run this with sudo):$missing" >&2
		return 1
	fi
	echo "installing:$missing" >&2
	# shellcheck disable=SC2086 # one word per package
	case $manager in
	apt) apt_install $missing ;;
	dnf) three_times dnf -q -y install $missing ;;
	esac
}
