// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "new_file.h"

static int forget(struct new_file *file, int ret)
{
	if (ret < 0)
		unlink(file->temporary);
	free(file->temporary);
	*file = (struct new_file){ 0 };
	return ret;
}

int new_file_create(struct new_file *file, const char *path)
{
	int fd, saved;

	*file = (struct new_file){ .path = path };
	if (asprintf(&file->temporary, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0) {
		saved = errno;
		free(file->temporary);
		return -saved;
	}
	file->out = fdopen(fd, "w");
	if (file->out)
		return 0;
	saved = errno;
	close(fd);
	return forget(file, -saved);
}

static int write_out(FILE *out)
{
	int failed = ferror(out);

	if (fflush(out) != 0 || fchmod(fileno(out), 0644) < 0 ||
	    fsync(fileno(out)) < 0)
		return -errno;
	/* An earlier write failed, and which errno it had is gone. */
	return failed ? -EIO : 0;
}

int new_file_commit(struct new_file *file)
{
	int ret = write_out(file->out);

	if (fclose(file->out) != 0 && !ret)
		ret = -errno;
	if (!ret && rename(file->temporary, file->path) < 0)
		ret = -errno;
	return forget(file, ret);
}

void new_file_discard(struct new_file *file)
{
	fclose(file->out);
	forget(file, -ECANCELED);
}
