// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "filesystems/all_mounts.h"
#include "filesystems/fs_target.h"
#include "filesystems/lookup.h"
#include "lib/error.h"
#include "measure/source_name.h"

void fs_target_init(struct fs_target *target, const struct all_mounts *mounts,
		    size_t index, bool may_wait)
{
	*target = (struct fs_target){
		.mounts = mounts,
		.may_wait = may_wait,
		.mounted = index < mounts->count ? &mounts->mounts[index] :
						   NULL,
		.fd = -1,
		.error = ENOENT,
	};
}

void fs_target_deinit(struct fs_target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}

/* O_PATH asks nothing of the filesystem itself and triggers no automount. */
static int open_mountpoint(const struct fs_target *target, size_t place)
{
	const char *path = target->mounted->mountpoints.strings[place];
	int fd;

	if (!target->may_wait)
		return lookup_mountpoint(target->mounts, path);
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_memory(void)
{
	int fd = memfd_create("bufstat", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * A later error does not replace EAGAIN, which says that trying again, in a
 * worker that may wait, can help.
 */
bool fs_target_next(struct fs_target *target)
{
	size_t count = target->mounted ? target->mounted->mountpoints.count : 1;

	fs_target_deinit(target);
	while (target->fd < 0 && target->next < count) {
		size_t place = target->next++;

		target->fd = target->mounted ? open_mountpoint(target, place) :
					       open_memory();
		if (target->fd < 0 && target->error != EAGAIN)
			target->error = -target->fd;
	}
	return target->fd >= 0;
}

bool fs_target_is(const struct fs_target *target, unsigned int major,
		  unsigned int minor)
{
	return !target->mounted || (target->mounted->major == major &&
				    target->mounted->minor == minor);
}

static int take_source(void *source, const struct option_given *given,
		       struct error *err)
{
	if (!source_knows_files(given->value))
		return error_option(err, "--source",
				    "%s: only module and kcore know of "
				    "filesystems",
				    given->value);
	*(const char **)source = given->value;
	return 0;
}

const struct option_row ask_options[] = {
	ROW_CALL('\0', "source", struct common_options, source, "NAME",
		 take_source, "module, kcore (else the best)",
		 .word = source_of_files_name),
	{ .type = OPTION_GROUP, .group = json_option },
	{ .type = OPTION_GROUP, .group = timeout_option },
	{ .type = OPTION_GROUP, .group = help_options },
	{ 0 },
};
