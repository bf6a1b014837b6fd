// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/dump.h"
#include "lib/cleanup.h"
#include "lib/error.h"

static int read_elf(void *memory, uint64_t address, void *buffer, size_t size)
{
	const struct elf_core *core = memory;
	uint64_t offset;

	int ret = -EFAULT;

	if (elf_core_find(core, true, address, size, &offset))
		ret = elf_core_pread(core->fd, buffer, size, offset);
	return ret == -EFAULT ? -ENODATA : ret;
}

static int open_elf(struct dump *dump, struct error *err)
{
	int ret = elf_core_init(&dump->core, dump->fd, err);

	if (ret < 0)
		return ret;
	if (dump->core.machine != EM_X86_64)
		return error_set(
			err, ERROR_UNUSABLE,
			"a dump of another processor; only those of x86-64 can "
			"be read");
	dump->vmcoreinfo = dump->core.vmcoreinfo;
	dump->physical = (struct physmem){ read_elf, &dump->core };
	return 0;
}

static int open_compressed(struct dump *dump, struct error *err)
{
	int ret = kdumpfile_init(&dump->compressed, dump->fd, err);

	if (ret < 0)
		return ret;
	dump->vmcoreinfo = dump->compressed.vmcoreinfo;
	dump->physical = dump->compressed.physical;
	return 0;
}

static int open_format(struct dump *dump, struct error *err)
{
	static const char flattened[] = "makedumpfile";
	char magic[sizeof(flattened)] = "";
	int ret = elf_core_pread(dump->fd, magic, sizeof(magic), 0);

	if (ret < 0 && ret != -EFAULT)
		return error_errno(err, -ret, NULL, NULL);
	if (ret == -EFAULT)
		return error_set(err, EBADMSG, "not a dump");
	if (memcmp(magic, flattened, sizeof(magic)) == 0)
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "flattened, as for a pipe"),
			"put it together: makedumpfile -R NEW <FILE");
	return memcmp(magic, ELFMAG, SELFMAG) == 0 ? open_elf(dump, err) :
						     open_compressed(dump, err);
}

/*
 * Does not wait for the writer of a FIFO. Refuses FIFOs and character devices,
 * because they can be read only once.
 */
static int open_file(const char *path, struct error *err)
{
	_cleanup_(closep) int fd =
		open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return error_errno(err, errno, "reading a dump", path);
	if (S_ISDIR(status.st_mode))
		return error_errno(err, EISDIR, "reading a dump", path);
	if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
		return error_doing(err, EINVAL, "reading a dump", path,
				   "neither a regular file nor a block device");
	return steal_fd(&fd);
}

int dump_open(struct dump *dump, const char *path, struct error *err)
{
	int ret;

	*dump = (struct dump){
		.fd = -1,
		.core.fd = -1,
		.kmem = { pagetable_read, &dump->table },
	};
	dump->fd = open_file(path, err);
	if (dump->fd < 0)
		return dump->fd;
	ret = open_format(dump, err);
	if (!ret && !dump->vmcoreinfo)
		ret = error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE, "no VMCOREINFO in it"),
			"QEMU writes one with -device vmcoreinfo, if the guest "
			"has qemu_fw_cfg loaded");
	if (!ret)
		ret = pagetable_init(&dump->table, &dump->physical,
				     dump->vmcoreinfo, err);
	if (ret < 0)
		return error_within(err, ret, "reading a dump", path);
	return 0;
}

void dump_close(struct dump *dump)
{
	kdumpfile_deinit(&dump->compressed);
	elf_core_deinit(&dump->core);
	closep(&dump->fd);
	dump->fd = -1;
}
