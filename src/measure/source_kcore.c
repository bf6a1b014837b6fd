// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the kernel's own list of block devices from its memory, through
 * /proc/kcore. It loads no module and opens no device. The list is walked
 * without its lock, so a walk is proven only if its sum equals Buffers both
 * before and after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernel/bdev_root.h"
#include "kernel/bdev_walk.h"
#include "kernel/btf.h"
#include "kernel/exports.h"
#include "kernel/kallsyms.h"
#include "kernel/kcore.h"
#include "kernel/page_tags.h"
#include "kernel/vmcoreinfo.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"
#include "measure/source.h"

#define BTF "/sys/kernel/btf/vmlinux"
#define KALLSYMS "/proc/kallsyms"

/* About ten are needed while devices are added and removed in a loop. */
#define ATTEMPTS 20
#define PAUSE_NS 1000000

/* The kernel's types, in a file that is only read as far as needed. */
struct types {
	int fd;
	struct btf btf;
};

static int read_file(void *from, uint64_t offset, void *buffer, size_t size)
{
	return elf_core_pread(*(const int *)from, buffer, size, offset);
}

static int open_types(struct types *types, const struct sysroot *root,
		      struct error *err)
{
	struct stat status;
	int ret;

	*types = (struct types){ .fd = sysroot_open(root, BTF, O_RDONLY) };
	if (types->fd == -ENOENT || types->fd == -ENOTDIR)
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  BTF
				  ": this kernel does not describe its types"),
			"one with CONFIG_DEBUG_INFO_BTF=y, Linux 5.4");
	if (types->fd < 0 || fstat(types->fd, &status) < 0)
		return error_doing(err, ERROR_UNUSABLE, "reading", BTF, "%s",
				   strerror(types->fd < 0 ? -types->fd :
							    errno));
	ret = btf_init_lazily(&types->btf, read_file, &types->fd,
			      (uint64_t)status.st_size, err);
	return ret < 0 ? error_within(err, ret, "reading BTF", NULL) : 0;
}

static void close_types(struct types *types)
{
	btf_deinit(&types->btf);
	closep(&types->fd);
}

/* Uses the symbol tables in memory. Returns -ENOENT if they cannot be found. */
static int find_in_memory(const struct kcore *kcore, struct bdev_root *known,
			  struct error *err)
{
	const char *text = kcore->core.vmcoreinfo;
	struct kallsyms_symbol symbols[BDEV_SYMBOLS];
	struct kallsyms kallsyms;
	uint64_t stext;
	int ret;

	if (!text || !vmcoreinfo_symbol(text, "_stext", &stext) ||
	    kallsyms_find(text, &kcore->kmem, stext, &kallsyms) < 0)
		return -ENOENT;
	bdev_symbols_init(symbols);
	ret = kallsyms_lookup(&kallsyms, &kcore->kmem, stext, symbols,
			      BDEV_SYMBOLS, err);
	if (ret < 0)
		return ret;
	return bdev_root_find_symbol(known, &kcore->kmem, kcore->core.machine,
				     symbols, err);
}

static int find_in_text(const struct sysroot *root, const struct kcore *kcore,
			struct bdev_root *known, struct error *err)
{
	struct kallsyms_symbol symbols[BDEV_SYMBOLS];
	_cleanup_(closep) int fd = sysroot_open(root, KALLSYMS, O_RDONLY);
	int ret;

	if (fd < 0)
		return error_doing(err, ERROR_UNUSABLE, "opening", KALLSYMS,
				   "%s", strerror(-fd));
	bdev_symbols_init(symbols);
	ret = kallsyms_text_lookup(fd, symbols, BDEV_SYMBOLS, err);
	if (ret < 0) {
		err->class = ERROR_UNUSABLE;
		return -EOPNOTSUPP;
	}
	return bdev_root_find_symbol(known, &kcore->kmem, kcore->core.machine,
				     symbols, err);
}

/* Goes through all symbols and types until it has found the wanted ones. */
static int find_slowly(const struct sysroot *root, const struct kcore *kcore,
		       const struct btf *btf, struct bdev_root *known,
		       uint64_t *superblock, struct error *err)
{
	struct error in_memory = { 0 };
	int ret = bdev_layout_init(&known->layout, btf, err);

	if (ret < 0)
		return ret;
	ret = find_in_memory(kcore, known, &in_memory);
	if (ret < 0)
		ret = find_in_text(root, kcore, known, err);
	if (ret < 0 && error_is_set(&in_memory))
		error_append(err, &in_memory);
	if (ret < 0)
		return ret;
	ret = bdev_superblock_find(&kcore->kmem, &known->layout, known->symbol,
				   superblock);
	return ret < 0 ? error_errno(err, -ret, "reading kernel memory", NULL) :
			 0;
}

static int find_quickly(const struct kcore *kcore, const struct btf *btf,
			struct bdev_root *known, uint64_t *superblock)
{
	struct exports exports;
	int ret = exports_init(&exports, &kcore->kmem, kcore->core.vmcoreinfo);

	if (!ret)
		ret = bdev_root_find_quickly(known, &kcore->kmem, &exports, btf,
					     superblock);
	exports_deinit(&exports);
	return ret;
}

/* Finds everything that must be known before the devices can be walked. */
static int get_root(const struct sysroot *root, const struct kcore *kcore,
		    const struct btf *btf, struct bdev_root *known,
		    uint64_t *superblock, struct error *err)
{
	return find_quickly(kcore, btf, known, superblock) == 0 ?
		       0 :
		       find_slowly(root, kcore, btf, known, superblock, err);
}

static uint64_t page_size(const struct kcore *kcore)
{
	uint64_t bytes;

	if (kcore->core.vmcoreinfo &&
	    vmcoreinfo_page_size(kcore->core.vmcoreinfo, &bytes))
		return bytes;
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Whether the sum equals Buffers both before and after the walk. */
static bool is_exact(const struct bdev_list *list, uint64_t bytes_per_page,
		     const struct meminfo *before, const struct meminfo *after)
{
	uint64_t kib;

	return meminfo_has(before, MEMINFO_BUFFERS) &&
	       meminfo_has(after, MEMINFO_BUFFERS) &&
	       !__builtin_mul_overflow(list->pages, bytes_per_page / 1024,
				       &kib) &&
	       before->kib[MEMINFO_BUFFERS] == kib &&
	       after->kib[MEMINFO_BUFFERS] == kib;
}

struct reading {
	const struct sysroot *root;
	const struct kcore *kcore;
	struct types types;
	struct bdev_root known;
	uint64_t superblock;
	uint64_t page_size;
	struct bdev_list list; /* the last walk that passed its checks */
	bool exact;
};

/* Returns -EAGAIN if another attempt may do better. */
static int attempt(struct reading *reading, struct error *err)
{
	struct bdev_list list = { 0 };
	struct meminfo before, after;
	int ret = meminfo_read(&before, reading->root, err);

	if (!ret)
		ret = bdev_walk(&reading->kcore->kmem, &reading->known.layout,
				reading->superblock, &list, err);
	if (!ret)
		ret = meminfo_read(&after, reading->root, err);
	if (ret < 0) {
		bdev_list_deinit(&list);
		return ret;
	}
	bdev_list_deinit(&reading->list);
	reading->list = list;
	reading->exact = is_exact(&list, reading->page_size, &before, &after);
	return reading->exact ? 0 : -EAGAIN;
}

static int read_list(struct reading *reading, struct error *err)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int attempts = sysroot_is_live(reading->root) ? ATTEMPTS : 1;
	int ret;

	while ((ret = attempt(reading, err)) == -EAGAIN && --attempts)
		nanosleep(&pause, NULL);
	/* A complete list is worth showing, even if unproven. */
	return ret == -EAGAIN && reading->list.entries ? 0 : ret;
}

static bool is_in_sysfs(const struct sysroot *root, const struct sample *sample)
{
	_cleanup_(closep) int fd = -1;
	char path[48];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", sample->major,
		 sample->minor);
	fd = sysroot_open(root, path, O_PATH);
	return fd >= 0;
}

/* The name of a device that was removed while in use is only in memory. */
static int name_the_removed(const struct reading *reading,
			    struct snapshot *snapshot)
{
	const struct bdev_entry *entry = reading->list.entries;
	char name[BDEV_NAME_SIZE];

	for (size_t i = 0; i < snapshot->count; i++, entry++) {
		struct sample *sample = &snapshot->devices[i];

		while (!entry->pages)
			entry++;
		if (is_in_sysfs(reading->root, sample) ||
		    !bdev_entry_name(&reading->kcore->kmem,
				     &reading->known.layout, entry, name))
			continue;
		sample->kname = strdup(name);
		if (!sample->kname)
			return -ENOMEM;
	}
	return 0;
}

static int collect(struct reading *reading, struct snapshot *snapshot,
		   struct error *err)
{
	struct page_tags_layout tags;
	int ret = open_types(&reading->types, reading->root, err);

	if (!ret)
		ret = get_root(reading->root, reading->kcore,
			       &reading->types.btf, &reading->known,
			       &reading->superblock, err);
	if (ret < 0)
		return ret;
	reading->page_size = page_size(reading->kcore);
	ret = read_list(reading, err);
	if (ret < 0)
		return ret;
	page_tags_layout_init(&tags, &reading->types.btf, &reading->list);
	page_tags_count(&reading->kcore->kmem, &reading->known.layout, &tags,
			&reading->list);
	snapshot->page_size = reading->page_size;
	snapshot->lists_all_pages = true;
	snapshot->unsettled = !reading->exact;
	ret = bdev_snapshot_fill(snapshot, &reading->list);
	if (!ret)
		ret = name_the_removed(reading, snapshot);
	return ret < 0 ? error_errno(err, -ret, NULL, NULL) : 0;
}

int source_kcore_collect(const struct sysroot *root, struct snapshot *snapshot,
			 struct error *err)
{
	struct kcore kcore;
	struct reading reading = { .root = root,
				   .kcore = &kcore,
				   .types.fd = -1 };
	int ret = kcore_open(&kcore, root, err);

	if (!ret)
		ret = collect(&reading, snapshot, err);
	bdev_list_deinit(&reading.list);
	close_types(&reading.types);
	kcore_close(&kcore);
	return ret;
}
