# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk -f rooms.awk src/rooms.txt SOURCE...: prints every source that is in no room, every
# include of a header whose room comes after the source's own in src/rooms.txt or which is
# no door of its room, and every door that no other room uses. An include names the room.

FILENAME == "src/rooms.txt" {
	if (/^[a-z]+: /)
		enter(wing = substr($1, 1, length($1) - 1))
	else if (/^  [a-z]/)
		enter($1)
	else if (/^    [a-z]/) {
		for (i = 1; i <= NF; i++)
			door[room "/" $i ".h"] = 1
	}
	next
}

function enter(name)
{
	if (name in place)
		print "src/rooms.txt: " name " is there twice"
	room = name
	place[room] = ++count
	at[room] = room == wing ? "src/" wing : "src/" wing "/" room
}

FNR == 1 {
	directory = FILENAME
	sub(/\/[^\/]*$/, "", directory)
	parts = split(directory, path, "/")
	room = path[parts]
	if (directory != "src" && at[room] != directory)
		print FILENAME ": not in src/rooms.txt"
}

/^#include "/ {
	split($2, quoted, "\"")
	parts = split(quoted[2], header, "/")
	if (parts != 2 || !(header[1] in place))
		print FILENAME ": " quoted[2] " is in no room"
	else if (directory != "src" && place[header[1]] > place[room])
		print FILENAME ": " header[2] " is in " header[1]
	else if (header[1] != room && !(quoted[2] in door))
		print FILENAME ": " quoted[2] " is no door"
	if (header[1] != room)
		used[quoted[2]] = 1
}

END {
	for (name in door) {
		if (!(name in used))
			print "src/rooms.txt: no other room uses " name
	}
}
