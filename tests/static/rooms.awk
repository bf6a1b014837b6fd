# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk -f rooms.awk src/rooms.txt SOURCE...: prints every include of a header
# whose room comes after the source's own in src/rooms.txt. An include names the
# room of the header, except for headers in src itself.

FILENAME == "src/rooms.txt" {
	if (blank && NF)
		place[$1] = ++count
	blank = blank || !NF
	next
}

FNR == 1 {
	depth = split(FILENAME, path, "/")
	room = path[depth - 1]
	if (!(room in place))
		print FILENAME ": not in src/rooms.txt"
}

/^#include "/ {
	split($2, quoted, "\"")
	parts = split(quoted[2], header, "/")
	if (parts != 2 || !(header[1] in place))
		print FILENAME ": " quoted[2] " is in no room"
	else if (place[header[1]] > place[room])
		print FILENAME ": " header[2] " is in " header[1]
}
