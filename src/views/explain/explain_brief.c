// SPDX-License-Identifier: GPL-2.0-or-later
/* What plain bufstat says of a host that is short of memory. */
#include <errno.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_search.h"
#include "explain/explain_text.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "lib/text_stream.h"
#include "lib/wrap.h"
#include "worker/patience.h"

/* What is worth a word, and how long its holder is looked for. */
#define BRIEF_PART 10
#define BRIEF_MS 200
#define MEMINFO_MOST (64U << 10)

/*
 * Whether /proc/meminfo alone says that programs have less than a tenth of
 * memory left, or that a head which the kernel cannot take back has more.
 */
static bool is_strained(const struct sysroot *root,
			const struct meminfo *meminfo)
{
	static const char *const heads[] = { "\nShmem:", "\nSUnreclaim:",
					     "\nPageTables:", "\nVmallocUsed:",
					     "\nHugetlb:" };
	_cleanup_(freep) char *text = NULL;
	int64_t total, available;
	uint64_t kib;

	if (!meminfo_bytes(meminfo, MEMINFO_MEM_TOTAL, &total))
		return false;
	if (meminfo_bytes(meminfo, MEMINFO_MEM_AVAILABLE, &available) &&
	    available < total / BRIEF_PART)
		return true;
	if (sysroot_read(root, "/proc/meminfo", MEMINFO_MOST, &text, NULL) < 0)
		return false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		const char *at = strstr(text, heads[i]);

		if (!at)
			continue;
		at += strlen(heads[i]);
		at += strspn(at, " ");
		if (number_scan(&at, INT64_MAX / 1024, &kib) &&
		    (int64_t)kib * 1024 > total / BRIEF_PART)
			return true;
	}
	return false;
}

/*
 * The least that names a holder of what @meminfo, of this moment, says is large
 * or near: without cgroups, devices, filesystems and slab caches, in one pass
 * that ends after 0.2 s. Counts that contradict each other are read again first
 * (memory_read()). Returns 1, or 0 if nothing there is: then only
 * /proc/meminfo was read again. -ENOMEM is the only error. The caller deinits
 * @facts in any case.
 */
static int brief_facts_init(struct explain_facts *facts,
			    const struct sysroot *root,
			    const struct meminfo *meminfo)
{
	int ret;

	*facts = (struct explain_facts){
		.is_captured = !sysroot_is_live(root),
		.is_brief = true,
		.measurement = { .collected = -ENODATA, .meminfo = *meminfo },
	};
	if (!is_strained(root, meminfo))
		return 0;
	ret = memory_read(&facts->memory, root, &facts->why_no_memory);
	facts->has_memory = !ret;
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	memory_heads_init(&facts->heads, &facts->memory);
	patience_hurry(root->patience, BRIEF_MS);
	ret = explain_search(facts, root);
	return ret < 0 ? ret : 1;
}

int explain_print_brief(FILE *out, const struct sysroot *root,
			const struct meminfo *meminfo)
{
	_cleanup_(explain_facts_deinit) struct explain_facts facts;
	_cleanup_(freep) char *text = NULL;
	struct explain_writer writer = { .facts = &facts };
	const struct wrap wrap = { .width = explain_width(out) };
	size_t size;
	int ret = brief_facts_init(&facts, root, meminfo);

	if (ret <= 0)
		return ret;
	writer.out = text_stream_open(&text, &size);
	if (!writer.out)
		return -ENOMEM;
	free_columns_init(&writer.columns, meminfo);
	explain_write_brief(&writer);
	ret = text_stream_close(writer.out, &text);
	if (!ret)
		wrap_print(out, text, size, &wrap);
	return ret;
}
