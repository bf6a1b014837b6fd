// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a captured host. Everything that it lists can be looked at, and
 * nothing that it does not contain.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "lib/error.h"
#include "lib/packed_tree.h"
#include "lib/string_list.h"
#include "lib/tar.h"
#include "memory_file.h"

#define DEEPEST 8
#define MOST_LOOKS 2000

/* Corrects the checksums, so that inputs get past them. An input with bytes in
 * the padding of the first header, which no seed has, keeps its own. */
static void mend_sums(char *data, size_t size)
{
	struct tar_header header;
	char text[sizeof(header.size) + 1] = "";

	for (size_t at = 0; at + TAR_BLOCK <= size;) {
		memcpy(&header, data + at, TAR_BLOCK);
		if (header.padding[0])
			return;
		if (header.name[0]) {
			snprintf(header.checksum, sizeof(header.checksum),
				 "%06o", tar_checksum(&header));
			memcpy(data + at, &header, TAR_BLOCK);
		}
		memcpy(text, header.size, sizeof(header.size));
		at += TAR_BLOCK;
		if (header.type == TAR_FILE)
			at += (strtoull(text, NULL, 8) % size + TAR_BLOCK - 1) /
			      TAR_BLOCK * TAR_BLOCK;
	}
}

/* Links may form loops, so the looks are counted. */
struct looks {
	const struct packed_tree *tree;
	unsigned int count;
};

static void look_at(struct looks *looks, const char *path, int depth)
{
	struct string_list names = { 0 };
	char below[PATH_MAX], *data = NULL;
	const char *target;
	size_t size;

	if (depth > DEEPEST || looks->count++ > MOST_LOOKS)
		return;
	if (packed_tree_read(looks->tree, path, 1U << 20, &data, &size) == 0)
		fuzz_require(data[size] == '\0');
	free(data);
	if (packed_tree_link(looks->tree, path, &target) == 0)
		fuzz_require(strlen(target) <= 100);
	if (packed_tree_list(looks->tree, path, &names) == 0)
		fuzz_require(packed_tree_find(looks->tree, path) == 0);
	for (size_t i = 0; i < names.count; i++) {
		fuzz_require(*names.strings[i] &&
			     !strchr(names.strings[i], '/'));
		if (snprintf(below, sizeof(below), "%s/%s", path,
			     names.strings[i]) < (int)sizeof(below))
			look_at(looks, below, depth + 1);
	}
	string_list_deinit(&names);
}

static void read_tree(const char *path)
{
	struct looks looks = { 0 };
	struct packed_tree *tree;
	struct error err;

	if (packed_tree_open(path, &tree, &err) < 0) {
		fuzz_require(!tree);
		return;
	}
	looks.tree = tree;
	look_at(&looks, "", 0);
	fuzz_require(packed_tree_find(tree, "/nowhere") == -ENOENT);
	packed_tree_close(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *mended = malloc(size + 1);
	struct memory_file file;

	fuzz_require(mended);
	memcpy(mended, data, size);
	mend_sums(mended, size);
	file = memory_file(mended, size);
	read_tree(file.path);
	close(file.fd);
	free(mended);
	return 0;
}
