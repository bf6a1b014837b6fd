// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/bdev_walk.h"
#include "kernel/exports.h"
#include "kernel/kallsyms.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "kernel/vmcoreinfo.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"

#define BTF "/sys/kernel/btf/vmlinux"
#define KALLSYMS "/proc/kallsyms"

static int read_file(void *from, uint64_t offset, void *buffer, size_t size)
{
	return elf_core_pread(*(const int *)from, buffer, size, offset);
}

enum lack types_lack(const struct sysroot *root)
{
	if (sysroot_exists(root, BTF))
		return LACKS_NOTHING;
	return sysroot_is_live(root) && !sysroot_exists(root, "/sys/kernel") ?
		       LACK_SYSFS :
		       LACK_TYPES;
}

/* Opens the file of types, whose parts are read when they are needed. */
static int open_types(struct kernel *kernel, const struct sysroot *root,
		      struct error *err)
{
	struct stat status;
	int ret;

	kernel->types = sysroot_open(root, BTF, O_RDONLY);
	if (kernel->types == -ENOENT || kernel->types == -ENOTDIR)
		return lack_error(err, types_lack(root), NULL);
	if (kernel->types < 0 || fstat(kernel->types, &status) < 0)
		return error_doing(err, ERROR_UNUSABLE, "reading", BTF, "%s",
				   strerror(kernel->types < 0 ? -kernel->types :
								errno));
	ret = btf_init_lazily(&kernel->btf, read_file, &kernel->types,
			      (uint64_t)status.st_size, err);
	return ret < 0 ? error_within(err, ret, "reading BTF", NULL) : 0;
}

/* Uses the symbol tables in memory; -ENOENT if they are not found. */
static int look_up_in_memory(const struct kcore *kcore,
			     struct kallsyms_symbol symbols[BDEV_SYMBOLS],
			     struct error *err)
{
	const char *text = kcore->core.vmcoreinfo;
	struct kallsyms kallsyms;
	uint64_t stext;

	if (!text || !vmcoreinfo_symbol(text, "_stext", &stext) ||
	    kallsyms_find(text, &kcore->kmem, stext, &kallsyms) < 0)
		return -ENOENT;
	return kallsyms_lookup(&kallsyms, &kcore->kmem, stext, symbols,
			       BDEV_SYMBOLS, err);
}

static int look_up_in_text(const struct sysroot *root,
			   struct kallsyms_symbol symbols[BDEV_SYMBOLS],
			   struct error *err)
{
	_cleanup_(closep) int fd = sysroot_open(root, KALLSYMS, O_RDONLY);
	int ret;

	if (fd < 0)
		return error_doing(err, ERROR_UNUSABLE, "opening", KALLSYMS,
				   "%s", strerror(-fd));
	ret = kallsyms_text_lookup(fd, symbols, BDEV_SYMBOLS, err);
	return ret < 0 ? lack_of_error(err, LACK_ADDRESSES) : 0;
}

/* Both have the same symbols, but /proc/kallsyms may hide the addresses. */
static int look_up(const struct sysroot *root, const struct kcore *kcore,
		   struct kallsyms_symbol symbols[BDEV_SYMBOLS],
		   struct error *err)
{
	struct error in_memory = { 0 };
	int ret;

	bdev_symbols_init(symbols);
	if (look_up_in_memory(kcore, symbols, &in_memory) == 0)
		return 0;
	ret = look_up_in_text(root, symbols, err);
	if (ret < 0 && error_is_set(&in_memory))
		error_append(err, &in_memory);
	return ret;
}

/* Searches the symbols and types from their beginning. */
static int find_slowly(const struct sysroot *root, const struct kcore *kcore,
		       const struct btf *btf, struct bdev_root *known,
		       uint64_t *superblock, struct error *err)
{
	struct kallsyms_symbol symbols[BDEV_SYMBOLS];
	int ret = bdev_layout_init(&known->layout, btf, err);

	if (!ret)
		ret = look_up(root, kcore, symbols, err);
	if (!ret)
		ret = bdev_root_find_symbol(known, &kcore->kmem,
					    kcore->core.machine, symbols, err);
	if (ret < 0)
		return ret;
	ret = bdev_superblock_find(&kcore->kmem, &known->layout, known->symbol,
				   superblock);
	return ret < 0 ? error_errno(err, -ret, "reading kernel memory", NULL) :
			 0;
}

static int find_quickly(struct kernel *kernel)
{
	int ret = exports_init(&kernel->exports, kernel->kmem,
			       kernel->vmcoreinfo);

	return ret < 0 ? ret :
			 bdev_root_find_quickly(&kernel->root, kernel->kmem,
						&kernel->exports, &kernel->btf,
						&kernel->superblock);
}

static uint64_t page_size(const struct kcore *kcore)
{
	uint64_t bytes;

	if (kcore->core.vmcoreinfo &&
	    vmcoreinfo_page_size(kcore->core.vmcoreinfo, &bytes))
		return bytes;
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

int kernel_open_live(struct kernel *kernel, const struct sysroot *root,
		     struct error *err)
{
	const struct kcore *kcore = &kernel->kcore;
	int ret;

	*kernel = (struct kernel){
		.is_live = true,
		.patience = root->patience,
		.kmem = &kcore->kmem,
		.types = -1,
	};
	ret = kcore_open(&kernel->kcore, root, err);
	if (!ret)
		ret = open_types(kernel, root, err);
	if (ret < 0)
		return ret;
	kernel->vmcoreinfo = kcore->core.vmcoreinfo;
	kernel->page_size = page_size(kcore);
	kernel->machine = kcore->core.machine;
	/* Everything that a walk of the devices needs. */
	return find_quickly(kernel) == 0 ?
		       0 :
		       find_slowly(root, kcore, &kernel->btf, &kernel->root,
				   &kernel->superblock, err);
}

int kernel_open(struct kernel *kernel, const struct sysroot *root,
		const char *vmcore, struct error *err)
{
	return vmcore ? kernel_open_dump(kernel, root, vmcore, err) :
			kernel_open_live(kernel, root, err);
}

int kernel_close(struct kernel *kernel, int ret, struct error *err)
{
	/* What the reader returned before it failed may be damaged too. */
	if (kernel->path && kernel->dump.lost)
		ret = error_set(err, EBADMSG, "%s", kernel->dump.lost);
	if (kernel->path && ret < 0)
		error_within(err, ret, "reading a dump", kernel->path);
	exports_deinit(&kernel->exports);
	btf_deinit(&kernel->btf);
	closep(&kernel->types);
	kernel->types = -1;
	if (kernel->is_live)
		kcore_close(&kernel->kcore);
	else
		dump_close(&kernel->dump);
	return ret;
}

bool kernel_hides_pages(const struct kernel *kernel, uint64_t page)
{
	uint64_t flags;

	return kernel->is_live &&
	       kmem_read_word(kernel->kmem, page, &flags) == -EFAULT;
}
