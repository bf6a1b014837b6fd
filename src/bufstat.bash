# bash completion for bufstat(8)                           -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2207 # what it completes has no blanks
#
# Options and columns are those that --help names, so that they cannot differ.

# The commands that `bufstat --help` names.
_bufstat_commands() {
	"$1" --help 2>/dev/null |
		sed -n '/^Commands/,/^$/s/^ \([a-z]\{1,\}\) .*/\1/p'
}

_bufstat_columns() {
	"$1" "$2" --help 2>/dev/null |
		sed -n '/^Columns/,/^$/s/^ [*+ ] \([A-Z][^ ]*\).*/\1/p'
}

_bufstat_options() {
	echo --help
	"$@" --help 2>/dev/null | grep -oE -- '(^| )--?[a-zA-Z][a-z-]*' | tr -d ' '
}

# The sources that a refused one is told of; nothing is measured.
_bufstat_sources() {
	"$1" devices --source '' 2>&1 | sed -n 's/.*use one of //p' | tr -d ,
}

_bufstat_devices() {
	local device

	for device in /sys/class/block/*; do
		[[ -e $device ]] && echo "${device##*/}" | tr '!' /
	done
	for device in /dev/mapper/*; do
		[[ -b $device ]] && echo "$device"
	done
}

# LIST may be several with commas between them: completes the last one.
_bufstat_list() { # WORD CURRENT
	local before=

	[[ $2 == +* ]] && before=+
	[[ $2 == *,* ]] && before=${2%,*},
	COMPREPLY=($(compgen -P "$before" -W "$1" -- "${2#"$before"}"))
	compopt -o nospace
}

_bufstat() {
	local bufstat=$1 current=${COMP_WORDS[COMP_CWORD]}
	local previous=${COMP_WORDS[COMP_CWORD - 1]} command= word

	# A command is the first word and nothing else.
	if ((COMP_CWORD > 1)); then
		word=${COMP_WORDS[1]}
		[[ $word == -* ]] || command=$word
	fi

	case $previous in
	--since | --save | --textfile | --capture)
		COMPREPLY=($(compgen -f -- "$current"))
		compopt -o filenames
		return
		;;
	--sysroot)
		COMPREPLY=($(compgen -d -- "$current"))
		compopt -o filenames
		return
		;;
	--source)
		COMPREPLY=($(compgen -W "$(_bufstat_sources "$bufstat")" \
			-- "$current"))
		return
		;;
	--format)
		COMPREPLY=($(compgen -W 'openmetrics prometheus' -- "$current"))
		return
		;;
	-o | --output)
		_bufstat_list "$(_bufstat_columns "$bufstat" "$command")" "$current"
		return
		;;
	-x | --sort)
		COMPREPLY=($(compgen -W \
			"$(_bufstat_columns "$bufstat" "$command")" -- "$current"))
		return
		;;
	-c | --count | -s | --seconds | --top)
		return
		;;
	esac

	if [[ $current == -* ]]; then
		COMPREPLY=($(compgen -W \
			"$(_bufstat_options "$bufstat" ${command:+"$command"})" \
			-- "$current"))
	elif ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$(_bufstat_commands "$bufstat")" \
			-- "$current"))
	elif [[ $command == drop ]]; then
		COMPREPLY=($(compgen -W "$(_bufstat_devices)" -- "$current"))
	elif [[ $command == module ]] && ((COMP_CWORD == 2)); then
		COMPREPLY=($(compgen -W 'status load unload' -- "$current"))
	elif [[ $command == module || $command == capture ]]; then
		COMPREPLY=($(compgen -f -- "$current"))
		compopt -o filenames
	fi
}

complete -F _bufstat bufstat
