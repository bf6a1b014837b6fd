// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "all_mounts.h"
#include "fs_target.h"

void fs_target_init(struct fs_target *target, const struct all_mounts *mounts,
		    size_t index)
{
	*target = (struct fs_target){
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

/*
 * O_PATH asks nothing of the filesystem itself and mounts nothing that autofs
 * would.
 */
static int open_mountpoint(const struct mounted *mounted, size_t place)
{
	return open(mounted->mountpoints.strings[place],
		    O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

bool fs_target_next(struct fs_target *target)
{
	size_t count = target->mounted ? target->mounted->mountpoints.count : 1;

	fs_target_deinit(target);
	while (target->fd < 0 && target->next < count) {
		size_t place = target->next++;

		target->fd = target->mounted ?
				     open_mountpoint(target->mounted, place) :
				     memfd_create("bufstat", MFD_CLOEXEC);
		if (target->fd < 0)
			target->error = errno;
	}
	return target->fd >= 0;
}

bool fs_target_is(const struct fs_target *target, unsigned int major,
		  unsigned int minor)
{
	return !target->mounted || (target->mounted->major == major &&
				    target->mounted->minor == minor);
}
