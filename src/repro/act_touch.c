// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "actions.h"
#include "child.h"
#include "experiment.h"

struct touch {
	int fd;
	size_t size;
};

static int touch(void *data)
{
	const struct touch *this = data;
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	const volatile char *map =
		mmap(NULL, this->size, PROT_READ, MAP_SHARED, this->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	for (size_t i = 0; i < this->size; i += page_size)
		(void)map[i];
	return 0;
}

/* A page that cannot be read is a SIGBUS, which is to end only a child. */
int act_touch_device(struct experiment *experiment, struct error *err)
{
	struct touch this = {
		.fd = experiment_held(experiment),
		.size = (size_t)experiment_bytes(experiment),
	};

	return child_call(experiment->stop, experiment->progress, touch, &this,
			  "touching a mapping", err);
}
