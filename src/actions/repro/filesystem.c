// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "repro/child.h"
#include "repro/filesystem.h"

#define KNOWN "/proc/filesystems"
#define MAX_FILESYSTEMS 65536
#define MIB (UINT64_C(1) << 20)
#define BYTES_PER_FILE 4096 /* sparse: unused blocks take no space */
#define SPARE_INODES 2000 /* for directories and the filesystem itself */

static const struct type {
	const char *name;
	const char *program;
	const char *package;
	uint64_t least_bytes;
	/* with the placeholders @node and @inodes */
	const char *command;
} types[] = {
	{ "ext4", "mkfs.ext4", "e2fsprogs", 64 * MIB,
	  "mkfs.ext4 -q -F -b 4096 -N @inodes -E "
	  "lazy_itable_init=0,lazy_journal_init=0 @node" },
	{ "xfs", "mkfs.xfs", "xfsprogs", 512 * MIB, "mkfs.xfs -q -f @node" },
	{ "btrfs", "mkfs.btrfs", "btrfs-progs", 512 * MIB,
	  "mkfs.btrfs -q -f @node" },
};

static const struct type *find(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	}
	return NULL;
}

static int check_program(const struct type *type, struct error *err)
{
	int ret = child_find_program(type->program);

	if (ret == -ENOENT)
		return error_remedy(err,
				    error_doing(err, ERROR_UNUSABLE,
						"making a file system",
						type->program, "not installed"),
				    "it is in %s", type->package);
	return ret < 0 ? error_errno(err, -ret, "making a file system",
				     type->program) :
			 0;
}

static int check_kernel(const struct sysroot *root, const char *name,
			struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	char line[32];
	int ret = sysroot_read(root, KNOWN, MAX_FILESYSTEMS, &text, NULL);

	if (ret < 0)
		return error_errno(err, -ret, "reading", KNOWN);
	snprintf(line, sizeof(line), "\t%s\n", name);
	if (!strstr(text, line))
		return error_remedy(err,
				    error_doing(err, ERROR_UNUSABLE, "mounting",
						name, "not in the kernel"),
				    "try modprobe %s", name);
	return 0;
}

int filesystem_check(const struct sysroot *root, const char *name,
		     struct error *err)
{
	const struct type *type = find(name);
	int ret = type ? check_program(type, err) : 0;

	return ret < 0 ? ret : check_kernel(root, name, err);
}

uint64_t filesystem_least_bytes(const char *name, uint64_t files)
{
	const struct type *type = find(name);

	return (type ? type->least_bytes : 0) + files * BYTES_PER_FILE;
}

int filesystem_make(struct stop *stop, struct progress *progress,
		    const char *name, const char *node, uint64_t files,
		    struct error *err)
{
	char inodes[32];
	const struct word words[] = {
		{ "@node", node },
		{ "@inodes", inodes },
		{ NULL, NULL },
	};
	struct string_list list = { 0 };
	int ret;

	snprintf(inodes, sizeof(inodes), "%" PRIu64,
		 files + files / 50 + SPARE_INODES);
	ret = words_fill(find(name)->command, words, &list);
	if (ret < 0)
		error_errno(err, -ret, "making a file system", node);
	else
		ret = child_run(stop, progress, &list, err);
	string_list_deinit(&list);
	return ret;
}
