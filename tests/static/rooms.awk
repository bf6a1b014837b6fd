# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk -f rooms.awk src/rooms.txt SOURCE...: prints every include of a header
# whose room comes after the source's own in src/rooms.txt.

BEGIN {
	while (("git ls-files src/*/*.h src/*.h" | getline file) > 0) {
		parts = split(file, path, "/")
		home[path[parts]] = parts == 2 ? "src" : path[2]
	}
	place["src"] = 1000
}

FILENAME == "src/rooms.txt" {
	if (blank && NF)
		place[$1] = ++count
	blank = blank || !NF
	next
}

FNR == 1 {
	split(FILENAME, path, "/")
	room = path[2]
	if (!(room in place))
		print FILENAME ": not in src/rooms.txt"
}

/^#include "/ {
	split($2, quoted, "\"")
	header = quoted[2]
	if (header in home && place[home[header]] > place[room])
		print FILENAME ": " header " is in " home[header]
}
