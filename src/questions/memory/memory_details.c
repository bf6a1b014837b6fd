// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "memory/kernel_lists.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"
#include "worker/file_text.h"

#define MAX_FILE (1U << 20)
#define MAX_LINE 4096
#define MAX_PROCESSORS 65536
#define HUGE_PAGES "/sys/kernel/mm/hugepages"
#define ZSWAP "/sys/kernel/debug/zswap"
#define VIRTIO "/sys/bus/virtio/devices"

/* The last number of "0-3" or "0-1,4-7", plus one. */
unsigned int memory_read_processors(const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	const char *last;
	uint64_t number;

	if (sysfs_attribute(root, "/sys/devices/system/cpu", "possible",
			    &text) < 0)
		return 0;
	last = text + strlen(text);
	while (last > text && last[-1] >= '0' && last[-1] <= '9')
		last--;
	return number_parse(last, MAX_PROCESSORS - 1, &number) ?
		       (unsigned int)number + 1 :
		       0;
}

/* Returns 1, 0 if there is no such number, or -ENOMEM. */
static int read_number(const struct sysroot *root, const char *dir,
		       const char *name, int64_t *number)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t value;
	int ret = sysfs_attribute_if_any(root, dir, name, &text);

	if (ret < 0 || !text || !number_parse(text, MEMORY_MOST_PAGES, &value))
		return ret;
	*number = (int64_t)value;
	return 1;
}

/* @name is "hugepages-2048kB". Returns 1, 0 to leave it out, or -ENOMEM. */
static int read_pool(struct memory_pool *pool, const struct sysroot *root,
		     const char *name)
{
	static const char prefix[] = "hugepages-";
	const char *size = name + strlen(prefix);
	char dir[PATH_MAX];
	int ret;

	*pool = (struct memory_pool){ 0 };
	if (strncmp(name, prefix, strlen(prefix)) != 0 ||
	    !number_scan(&size, UINT32_MAX, &pool->size_kib))
		return 0;
	snprintf(dir, sizeof(dir), HUGE_PAGES "/%s", name);
	ret = read_number(root, dir, "nr_hugepages", &pool->total);
	if (ret > 0)
		ret = read_number(root, dir, "free_hugepages", &pool->free);
	if (ret > 0)
		ret = read_number(root, dir, "resv_hugepages", &pool->reserved);
	if (ret > 0)
		ret = read_number(root, dir, "surplus_hugepages",
				  &pool->surplus);
	return ret;
}

static void add_pool(struct memory_reading *reading,
		     const struct memory_pool *pool)
{
	if (memory_pool_is_sound(pool, reading->page_size)) {
		reading->pools[reading->pool_count++] = *pool;
	} else {
		reading->wrong_pool = *pool;
		reading->has_wrong_pool = true;
	}
}

static int read_pools(struct memory_reading *reading,
		      const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	struct memory_fields *fields = &reading->fields;
	int64_t size = (int64_t)(reading->default_pool.size_kib * 1024 /
				 reading->page_size);
	struct memory_pool pool;
	int ret = only_enomem(sysroot_list(root, HUGE_PAGES, &names));

	string_list_sort(&names);
	for (size_t i = 0;
	     !ret && i < names.count && reading->pool_count < MEMORY_POOLS_ROOM;
	     i++) {
		ret = read_pool(&pool, root, names.strings[i]);
		if (ret > 0) {
			add_pool(reading, &pool);
			ret = 0;
		}
	}
	if (reading->pool_count)
		return ret;
	/* Without sysfs, the pool of the default size is the only one known. */
	if (reading->default_pool.size_kib)
		add_pool(reading, &reading->default_pool);
	reading->has_default_pool_only = reading->pool_count;
	/* Not all of its figures can be, so it is in no head. */
	if (!reading->pool_count && size &&
	    reading->default_pool.total <= MEMORY_MOST_PAGES / size &&
	    fields->stray_count < MEMORY_STRAYS &&
	    !memory_has(fields, MEMORY_HUGETLB))
		fields->strays[fields->stray_count++] = (struct memory_stray){
			"HugePages_Total", reading->default_pool.total * size
		};
	return ret;
}

int memory_read_zram(const struct sysroot *root, const char *name,
		     struct memory_zram *zram)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX], why[ASK_WHY];
	const struct file_text file = {
		.path = path,
		.limit = MAX_LINE,
		.object = path,
		.is_common = true,
	};
	const char *rest;
	uint64_t numbers[3] = { 0 };
	int ret, count = 3;

	if (strncmp(name, "zram", strlen("zram")) != 0)
		return 0;
	/*
	 * It waits for the device's init_lock, which backing_dev_store() holds
	 * while it opens a disk that may be sick.
	 */
	snprintf(path, sizeof(path), "/sys/block/%s/mm_stat", name);
	ret = file_text_ask(root, &file, &text, NULL, why);
	if (ret == -ENOENT) {
		/* Before Linux 4.1 each number has a file. */
		snprintf(path, sizeof(path), "/sys/block/%s/mem_used_total",
			 name);
		ret = file_text_ask(root, &file, &text, NULL, why);
		count = 1;
	}
	if (ret < 0)
		return ret == -ENOENT ? 0 : ret;
	rest = text;
	for (int i = 0; i < count; i++) {
		rest += strspn(rest, " ");
		if (!number_scan(&rest, MEMORY_MOST_PAGES, &numbers[i]))
			return -EPROTO;
	}
	*zram = (struct memory_zram){
		.bytes = (int64_t)numbers[count - 1],
		.stored_bytes = count == 1 ? 0 : (int64_t)numbers[0],
	};
	return 1;
}

/* Where one of them does not say, what all have is not known. */
static int read_zram(struct memory_reading *reading, const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	struct memory_zram zram, all = { 0 };
	int ret = sysroot_list(root, "/sys/block", &names);

	if (ret < 0)
		return only_enomem(ret);
	for (size_t i = 0; ret >= 0 && i < names.count; i++) {
		ret = memory_read_zram(root, names.strings[i], &zram);
		all.bytes += ret > 0 ? zram.bytes : 0;
		all.stored_bytes += ret > 0 ? zram.stored_bytes : 0;
	}
	if (ret < 0)
		return 0;
	memory_set(&reading->fields, MEMORY_ZRAM,
		   all.bytes / (int64_t)reading->page_size);
	memory_set(&reading->fields, MEMORY_ZRAM_STORED,
		   all.stored_bytes / (int64_t)reading->page_size);
	return 0;
}

/* Before Linux 5.19 only its driver says what zswap has. */
static int read_zswap(struct memory_reading *reading,
		      const struct sysroot *root)
{
	struct memory_fields *fields = &reading->fields;
	int64_t number;
	int ret = 0;

	if (!memory_has(fields, MEMORY_ZSWAP))
		ret = read_number(root, ZSWAP, "pool_total_size", &number);
	if (ret <= 0)
		return only_enomem(ret);
	memory_set(fields, MEMORY_ZSWAP, number / (int64_t)reading->page_size);
	ret = read_number(root, ZSWAP, "stored_pages", &number);
	if (ret > 0)
		memory_set(fields, MEMORY_ZSWAPPED, number);
	return only_enomem(ret);
}

/*
 * virtio's driver takes the pages out of MemTotal, unless the host lets the
 * guest have them back when it runs out of memory (VIRTIO_BALLOON_F_DEFLATE_ON_
 * OOM, bit 2). Returns 1, 0 if it is no balloon, or -ENOMEM.
 */
static int read_virtio(struct memory_reading *reading,
		       const struct sysroot *root, const char *name)
{
	_cleanup_(freep) char *features = NULL;
	_cleanup_(freep) char *driver = NULL;
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), VIRTIO "/%s/driver", name);
	ret = sysroot_link_name(root, path, &driver);
	if (ret < 0 || strcmp(driver, "virtio_balloon") != 0)
		return only_enomem(ret);
	snprintf(path, sizeof(path), VIRTIO "/%s", name);
	ret = sysfs_attribute_if_any(root, path, "features", &features);
	if (ret < 0)
		return ret;
	reading->balloon = features && strlen(features) > 2 &&
					   features[2] == '1' ?
				   MEMORY_BALLOON_INSIDE :
				   MEMORY_BALLOON_OUTSIDE;
	return 1;
}

/*
 * Drivers that say how much they have taken: whether MemTotal stays as it is,
 * and after which word of which file the number stands, in units of @unit bytes.
 */
static const struct balloon {
	const char *path, *word;
	uint64_t unit;
	enum memory_balloon where;
} balloons[] = {
	{ "/sys/kernel/debug/vmmemctl", "\ncurrent", 4096,
	  MEMORY_BALLOON_INSIDE },
	{ "/proc/sys/vm/cmm_pages", "", 4096, MEMORY_BALLOON_INSIDE },
	{ "/sys/devices/system/cmm/cmm0/loaned_kb", "", 1024,
	  MEMORY_BALLOON_OUTSIDE },
	{ "/sys/kernel/debug/hv-balloon", "\npages_ballooned", 4096,
	  MEMORY_BALLOON_OUTSIDE },
};

/* Where the kernel counts no pages of a balloon, its driver may. */
static int read_driver(struct memory_reading *reading,
		       const struct sysroot *root,
		       const struct balloon *balloon)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t number;
	const char *at;
	int ret = sysroot_read(root, balloon->path, MAX_FILE, &text, NULL);

	if (ret < 0)
		return only_enomem(ret);
	at = strstr(text, balloon->word);
	if (!at)
		return 0;
	at += strlen(balloon->word);
	at += strspn(at, " \t:");
	if (!number_scan(&at, MEMORY_MOST_PAGES, &number))
		return 0;
	reading->balloon = balloon->where;
	if (!memory_has(&reading->fields, MEMORY_BALLOON) &&
	    !memory_has(&reading->fields, MEMORY_BALLOON_INFLATE))
		memory_set(
			&reading->fields, MEMORY_BALLOON,
			(int64_t)(number * balloon->unit / reading->page_size));
	return 0;
}

static int read_balloon(struct memory_reading *reading,
			const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = only_enomem(sysroot_list(root, VIRTIO, &names));

	for (size_t i = 0; !ret && i < names.count; i++)
		ret = read_virtio(reading, root, names.strings[i]);
	if (ret)
		return only_enomem(ret);
	/* VMware's leaves MemTotal as it is. */
	if (sysroot_exists(root, "/sys/module/vmw_balloon"))
		reading->balloon = MEMORY_BALLOON_INSIDE;
	for (size_t i = 0; !ret && i < sizeof(balloons) / sizeof(*balloons);
	     i++)
		ret = read_driver(reading, root, &balloons[i]);
	return ret;
}

/* Finds "name type number" of a kstat. */
static bool find_kstat(const char *text, const char *name, int64_t *number)
{
	const size_t length = strlen(name);

	for (; *text; text += *text == '\n') {
		unsigned int type;
		int64_t value;

		if (strncmp(text, name, length) == 0 && text[length] == ' ' &&
		    sscanf(text + length, "%u %ld", &type, &value) == 2) {
			*number = value;
			return true;
		}
		text += strcspn(text, "\n");
	}
	return false;
}

/* Sets a field to a number of bytes in a file of kstats, if it is there. */
static int read_kstat(struct memory_reading *reading,
		      const struct sysroot *root, enum memory_field field)
{
	_cleanup_(freep) char *text = NULL;
	int64_t bytes;
	int ret = sysroot_read(root, memory_field_path(field), MAX_FILE, &text,
			       NULL);

	if (ret < 0)
		return only_enomem(ret);
	if (find_kstat(text, memory_field_name(field), &bytes) && bytes >= 0)
		memory_set(&reading->fields, field,
			   bytes / (int64_t)reading->page_size);
	return 0;
}

/*
 * OpenZFS has most data of its cache in pages that it allocates itself (ABD,
 * abd_os.c). The rest of the cache is in slab and vmalloc.
 */
static int read_zfs(struct memory_reading *reading, const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	int64_t data, waste;
	int ret = read_kstat(reading, root, MEMORY_ARC_SIZE) ?:
			  read_kstat(reading, root, MEMORY_ARC_MIN);

	if (!ret)
		ret = sysroot_read(root, memory_field_path(MEMORY_ZFS),
				   MAX_FILE, &text, NULL);
	if (ret < 0)
		return only_enomem(ret);
	if (find_kstat(text, "scatter_data_size", &data) &&
	    find_kstat(text, "scatter_chunk_waste", &waste) && data >= 0 &&
	    waste >= 0)
		memory_set(&reading->fields, MEMORY_ZFS,
			   (data + waste) / (int64_t)reading->page_size);
	return 0;
}

/* Numbers with a file of their own, each in units of @unit bytes; 0: a count. */
static int read_numbers(struct memory_reading *reading,
			const struct sysroot *root)
{
	static const struct {
		enum memory_field field;
		int64_t unit;
	} numbers[] = {
		{ MEMORY_DM_BUFIO, 1 },
		{ MEMORY_MIN_FREE, 1024 },
		{ MEMORY_EXTRA_FREE, 1024 },
		{ MEMORY_WATERMARK_SCALE, 0 },
	};
	const int64_t page_size = (int64_t)reading->page_size;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < sizeof(numbers) / sizeof(*numbers);
	     i++) {
		enum memory_field field = numbers[i].field;
		int64_t unit = numbers[i].unit, number;

		ret = read_number(root, memory_field_path(field),
				  memory_field_name(field), &number);
		if (ret > 0)
			memory_set(&reading->fields, field,
				   unit ? number * unit / page_size : number);
	}
	return only_enomem(ret);
}

/* "256 256 32 0 0": one for each kind of zone. 0 keeps nothing back. */
static int read_lowmem_ratio(struct memory_reading *reading,
			     const struct sysroot *root)
{
	const enum memory_field field = MEMORY_LOWMEM_RATIO;
	_cleanup_(freep) char *text = NULL;
	int ret = sysfs_attribute_if_any(root, memory_field_path(field),
					 memory_field_name(field), &text);
	const char *rest = text;
	uint64_t ratio;

	while (!ret && rest && number_scan(&rest, MEMORY_MOST_PAGES, &ratio)) {
		rest += strspn(rest, " \t");
		if (ratio &&
		    (!memory_has(&reading->fields, field) ||
		     (int64_t)ratio < memory_get(&reading->fields, field)))
			memory_set(&reading->fields, field, (int64_t)ratio);
	}
	return ret;
}

static enum memory_vmalloc vmalloc_kind(const char *caller)
{
	static const struct {
		const char *prefix;
		enum memory_vmalloc kind;
	} kinds[] = {
		{ "kernel_clone+", MEMORY_VMALLOC_STACKS },
		{ "_do_fork+", MEMORY_VMALLOC_STACKS },
		{ "fork_idle+", MEMORY_VMALLOC_STACKS },
		{ "copy_process", MEMORY_VMALLOC_STACKS },
		{ "dup_task_struct", MEMORY_VMALLOC_STACKS },
		{ "alloc_thread_stack", MEMORY_VMALLOC_STACKS },
		{ "load_module", MEMORY_VMALLOC_MODULES },
		{ "module_alloc", MEMORY_VMALLOC_MODULES },
		{ "layout_and_allocate", MEMORY_VMALLOC_MODULES },
		{ "move_module", MEMORY_VMALLOC_MODULES },
		{ "execmem_", MEMORY_VMALLOC_MODULES },
		{ "bpf_", MEMORY_VMALLOC_BPF },
		{ "__bpf_", MEMORY_VMALLOC_BPF },
		{ "array_map_alloc", MEMORY_VMALLOC_BPF },
		{ "htab_map_alloc", MEMORY_VMALLOC_BPF },
		{ "pcpu_", MEMORY_VMALLOC_CHUNKS },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(caller, kinds[i].prefix, strlen(kinds[i].prefix)) ==
		    0)
			return kinds[i].kind;
	}
	return MEMORY_VMALLOC_OTHER;
}

static int read_vmalloc(struct memory_reading *reading,
			const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	int64_t used = memory_get(&reading->fields, MEMORY_VMALLOC_USED);
	struct vmalloc_area area;
	int64_t listed = 0;
	const char *rest;
	int ret = kernel_list_whole(sysroot_read(root, VMALLOCINFO,
						 VMALLOCINFO_MOST, &text, NULL),
				    &text);

	if (ret == -EBADMSG)
		reading->vmalloc_short = file_text_why(ret);
	if (ret < 0)
		return only_enomem(ret);
	rest = text;
	reading->has_vmalloc = *text;
	while (vmalloc_next(&rest, &area)) {
		reading->vmalloc[vmalloc_kind(area.caller)] += area.pages;
		listed += area.pages;
	}
	if (!*text || sysroot_is_live(root) || used / 2 <= listed ||
	    memory_get(&reading->fields, MEMORY_VMALLOC_CHUNK))
		return 0;
	reading->has_vmalloc = false;
	reading->vmalloc_short = "it lists less than half of VmallocUsed";
	return 0;
}

/*
 * "31733 21532 45 0 12144 0": dentries, those that nobody uses, and of these
 * the names that do not exist. Before Linux 5.0 that was 0.
 */
static int read_dentries(struct memory_reading *reading,
			 const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	int64_t count, unused, negative = 0;
	int ret = sysroot_read(root, memory_field_path(MEMORY_DENTRY_UNUSED),
			       MAX_FILE, &text, NULL);

	if (ret < 0)
		return only_enomem(ret);
	if (sscanf(text, "%ld %ld %*d %*d %ld", &count, &unused, &negative) <
		    2 ||
	    count < 0 || unused < 0)
		return 0;
	memory_set(&reading->fields, MEMORY_DENTRY_COUNT, count);
	memory_set(&reading->fields, MEMORY_DENTRY_UNUSED, unused);
	if (negative > 0 && negative <= unused)
		memory_set(&reading->fields, MEMORY_DENTRY_NEGATIVE, negative);
	return 0;
}

int memory_read_details(struct memory_reading *reading,
			const struct sysroot *root)
{
	static int (*const readers[])(struct memory_reading *,
				      const struct sysroot *) = {
		read_pools,
		read_zram,
		read_zswap,
		read_balloon,
		read_zfs,
		read_numbers,
		read_lowmem_ratio,
		read_vmalloc,
		read_dentries,
		memory_read_first_chunk,
		memory_read_top_tables,
		memory_read_uncounted,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(readers) / sizeof(*readers); i++)
		ret = readers[i](reading, root);
	return ret;
}
