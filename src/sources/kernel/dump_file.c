// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/dump_file.h"
#include "lib/cleanup.h"
#include "lib/error.h"

static int read_elf(void *memory, uint64_t address, void *buffer, size_t size)
{
	struct elf_core *core = memory;
	uint64_t offset;

	int ret = -EFAULT;

	if (elf_core_find(core, true, address, size, &offset))
		ret = elf_core_pread(core->fd, buffer, size, offset);
	return ret == -EFAULT ? -ENODATA : ret;
}

static int open_elf(struct dump_file *file, struct error *err)
{
	int ret = elf_core_init(&file->core, file->fd, err);

	if (ret < 0)
		return ret;
	if (file->core.machine != EM_X86_64 && file->core.machine != EM_AARCH64)
		return error_set(
			err, ERROR_UNUSABLE,
			"a dump of another processor; only those of x86-64 and "
			"arm64 can be read");
	file->vmcoreinfo = file->core.vmcoreinfo;
	file->physical = (struct physmem){ read_elf, &file->core };
	return 0;
}

static int open_compressed(struct dump_file *file, struct error *err)
{
	int ret = kdumpfile_init(&file->compressed, file->fd, err);

	if (ret < 0)
		return ret;
	file->vmcoreinfo = file->compressed.vmcoreinfo;
	file->physical = file->compressed.physical;
	return 0;
}

static int open_format(struct dump_file *file, struct error *err)
{
	static const char flattened[] = "makedumpfile";
	char magic[sizeof(flattened)] = "";
	int ret = elf_core_pread(file->fd, magic, sizeof(magic), 0);

	if (ret < 0 && ret != -EFAULT)
		return error_errno(err, -ret, NULL, NULL);
	if (ret == -EFAULT)
		return error_set(err, EBADMSG, "not a dump");
	if (memcmp(magic, flattened, sizeof(magic)) == 0)
		return error_advise(
			err, ERROR_UNUSABLE, NULL, NULL,
			"put it together: makedumpfile -R NEW <FILE",
			"flattened, as for a pipe");
	return memcmp(magic, ELFMAG, SELFMAG) == 0 ? open_elf(file, err) :
						     open_compressed(file, err);
}

/*
 * Does not wait for the writer of a FIFO. Refuses FIFOs and character devices,
 * because they can be read only once.
 */
static int open_path(const char *path, struct error *err)
{
	_cleanup_(closep) int fd =
		open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return error_errno(err, errno, NULL, NULL);
	if (S_ISDIR(status.st_mode))
		return error_errno(err, EISDIR, NULL, NULL);
	if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
		return error_set(err, EINVAL,
				 "neither a regular file nor a block device");
	return steal_fd(&fd);
}

int dump_file_open(struct dump_file *file, const char *path, struct error *err)
{
	int ret;

	*file = (struct dump_file){ .core.fd = -1 };
	file->fd = open_path(path, err);
	if (file->fd < 0)
		return file->fd;
	ret = open_format(file, err);
	if (!ret && !file->vmcoreinfo)
		ret = error_advise(
			err, ERROR_UNUSABLE, NULL, NULL,
			"QEMU writes one with -device vmcoreinfo, if the guest "
			"has qemu_fw_cfg loaded",
			"no VMCOREINFO in it");
	return ret;
}

void dump_file_close(struct dump_file *file)
{
	elf_core_deinit(&file->core);
	closep(&file->fd);
	file->fd = -1;
}
