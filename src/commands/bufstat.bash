# bash completion for bufstat(8)                           -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The program says what may stand where, from the tables of its options.

_bufstat() {
	local current=${COMP_WORDS[COMP_CWORD]} word

	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		case $word in
		:files)
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY \
				< <(compgen -f -- "$current")
			compopt -o filenames
			;;
		:directories)
			mapfile -t COMPREPLY < <(compgen -d -- "$current")
			compopt -o filenames
			;;
		:nospace)
			compopt -o nospace
			;;
		*)
			COMPREPLY+=("$word")
			;;
		esac
	done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -F _bufstat bufstat
