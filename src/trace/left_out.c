// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"
#include "trace/left_out.h"

/* One of shared memory, and one for each size of huge pages. */
static const unsigned int kinds[] = {
	0,
	MFD_HUGETLB,
	MFD_HUGETLB | MFD_HUGE_2MB,
	MFD_HUGETLB | MFD_HUGE_1GB,
};

void left_out_init(struct left_out *left_out)
{
	*left_out = (struct left_out){ 0 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		_cleanup_(closep) int fd =
			memfd_create("bufstat", MFD_CLOEXEC | kinds[i]);
		struct stat status;

		if (fd < 0 || fstat(fd, &status) < 0)
			continue;
		left_out->numbers[left_out->count].major = major(status.st_dev);
		left_out->numbers[left_out->count].minor = minor(status.st_dev);
		left_out->count++;
	}
}

bool left_out_has(const struct left_out *left_out, unsigned int major,
		  unsigned int minor)
{
	for (size_t i = 0; i < left_out->count; i++) {
		if (left_out->numbers[i].major == major &&
		    left_out->numbers[i].minor == minor)
			return true;
	}
	return false;
}
