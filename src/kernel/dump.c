// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "dump.h"
#include "error.h"

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
		return error_set(err, EOPNOTSUPP,
				 "a dump of another processor; only those of "
				 "x86-64 can be read");
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
		return error_set(err, -ret, "%s", strerror(-ret));
	if (ret == -EFAULT)
		return error_set(err, EBADMSG, "not a dump");
	if (memcmp(magic, flattened, sizeof(magic)) == 0)
		return error_set(err, EOPNOTSUPP,
				 "flattened, as for a pipe (put it together: "
				 "makedumpfile -R NEW <FILE)");
	return memcmp(magic, ELFMAG, SELFMAG) == 0 ? open_elf(dump, err) :
						     open_compressed(dump, err);
}

int dump_open(struct dump *dump, const char *path, struct error *err)
{
	struct error reason;
	int ret;

	*dump = (struct dump){
		.fd = -1,
		.core.fd = -1,
		.kmem = { pagetable_read, &dump->table },
	};
	dump->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (dump->fd < 0)
		return error_errno(err, errno, "reading a dump", path);
	ret = open_format(dump, &reason);
	if (!ret && !dump->vmcoreinfo)
		ret = error_set(&reason, EOPNOTSUPP,
				"no VMCOREINFO in it (QEMU writes one with "
				"-device vmcoreinfo, if the guest has "
				"qemu_fw_cfg loaded)");
	if (!ret)
		ret = pagetable_init(&dump->table, &dump->physical,
				     dump->vmcoreinfo, &reason);
	if (ret < 0)
		return error_set(err, -ret, "reading a dump: %s: %s", path,
				 reason.text);
	return 0;
}

void dump_close(struct dump *dump)
{
	kdumpfile_deinit(&dump->compressed);
	elf_core_deinit(&dump->core);
	closep(&dump->fd);
	dump->fd = -1;
}
