// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "trace/syscalls.h"

static const struct {
	unsigned int number;
	enum fill_how how;
} known[] = {
	{ SYS_read, FILL_READ },
	{ SYS_pread64, FILL_READ },
	{ SYS_readv, FILL_READ },
	{ SYS_preadv, FILL_READ },
	{ SYS_preadv2, FILL_READ },
	{ SYS_readahead, FILL_READ },
	{ SYS_fadvise64, FILL_READ },
	{ SYS_madvise, FILL_READ },
	{ SYS_sendfile, FILL_READ },
	{ SYS_splice, FILL_READ },
	{ SYS_execve, FILL_READ }, /* the beginning of the program */
	{ SYS_execveat, FILL_READ },
	{ SYS_write, FILL_WRITE },
	{ SYS_pwrite64, FILL_WRITE },
	{ SYS_writev, FILL_WRITE },
	{ SYS_pwritev, FILL_WRITE },
	{ SYS_pwritev2, FILL_WRITE },
	{ SYS_copy_file_range, FILL_WRITE },
	{ SYS_mmap, FILL_FAULT }, /* MAP_POPULATE */
	{ SYS_mlock, FILL_FAULT },
	{ SYS_mlock2, FILL_FAULT },
	{ SYS_mlockall, FILL_FAULT },
	/* They do all kinds of things. */
	{ SYS_io_submit, FILL_OTHER },
	{ SYS_io_uring_enter, FILL_OTHER },
};

void syscalls_classify(uint8_t how[FILL_SYSCALLS])
{
	memset(how, FILL_METADATA, FILL_SYSCALLS);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].number < FILL_SYSCALLS)
			how[known[i].number] = (uint8_t)known[i].how;
	}
}
