// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"

#define MAX_FILE (16U << 20)

/*
 * X86_FEATURE_LA57 as the kernel numbers it (cpufeatures.h, the same since
 * Linux 4.15). /proc/cpuinfo has it too, but reading that may interrupt every
 * processor.
 */
#define FEATURE_5_LEVELS ",0210"

static size_t count_words(const char *text)
{
	size_t count = 0;

	while (*(text += strspn(text, " \n"))) {
		text += strcspn(text, " \n");
		count++;
	}
	return count;
}

/*
 * Sets *@count to the processes that have memory of their own: all but kernel
 * threads, which are children of process 2. Returns 1, 0 if that is not known,
 * or -ENOMEM.
 */
static int count_processes(const struct sysroot *root, int64_t *count)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	_cleanup_(freep) char *children = NULL;
	_cleanup_(freep) char *name = NULL;
	int64_t processes = 0;
	uint64_t pid;
	int ret;

	ret = sysfs_attribute_if_any(root, "/proc/2", "comm", &name);
	if (ret < 0 || !name || strcmp(name, "kthreadd") != 0)
		return ret;
	ret = sysroot_read(root, "/proc/2/task/2/children", MAX_FILE, &children,
			   NULL);
	if (ret < 0)
		return only_enomem(ret);
	ret = sysroot_list(root, "/proc", &names);
	if (ret < 0)
		return only_enomem(ret);
	for (size_t i = 0; i < names.count; i++)
		processes += number_parse(names.strings[i], UINT_MAX, &pid);
	*count = processes - 1 - (int64_t)count_words(children);
	return *count >= 0;
}

/*
 * The top level takes two pages, in use or not, where the kernel can isolate
 * page tables (PGD_ALLOCATION_ORDER in arch/x86/mm/pgtable.c). One that is
 * built without that has one page, and does not say so. A program has two or
 * three of the third level: for itself, for libraries and for its stack.
 *
 * PageTables has had the third level since Linux 6.8, and all since 6.16. A
 * kernel does not say so, but a count that came soon after does.
 */
int64_t memory_uncounted_tables(const struct memory_fields *fields,
				bool has_5_levels)
{
	int64_t tables = 2;

	if (memory_has(fields, MEMORY_BALLOON))
		return 0;
	if (has_5_levels)
		tables++;
	if (!memory_has(fields, MEMORY_NR_MEMMAP))
		tables += 2;
	return tables;
}

int memory_read_top_tables(struct memory_reading *reading,
			   const struct sysroot *root)
{
	_cleanup_(freep) char *modalias = NULL;
	int64_t processes = 0;
	int ret;

	ret = sysfs_attribute_if_any(root, "/sys/devices/system/cpu",
				     "modalias", &modalias);
	if (ret < 0 || !modalias || !strstr(modalias, "type:x86"))
		return ret;
	ret = count_processes(root, &processes);
	if (ret > 0)
		memory_set(&reading->fields, MEMORY_TOP_TABLES,
			   processes *
				   memory_uncounted_tables(
					   &reading->fields,
					   strstr(modalias, FEATURE_5_LEVELS)));
	return ret < 0 ? ret : 0;
}
