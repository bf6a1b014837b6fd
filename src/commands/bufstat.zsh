#compdef bufstat
# zsh completion for bufstat(8)                            -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The program says what may stand where, from the tables of its options.

_bufstat() {
	local word help
	local -a candidates lines space

	while IFS=$'\t' read -r word help; do
		case $word in
		:files)
			_files
			;;
		:directories)
			_files -/
			;;
		:nospace)
			space=(-S '')
			;;
		*)
			candidates+=("$word")
			lines+=("${(r:22:)word} $help")
			;;
		esac
	done < <("$words[1]" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	(( ! $#candidates )) ||
		compadd -l "${space[@]}" -d lines -- "${candidates[@]}"
}

_bufstat "$@"
