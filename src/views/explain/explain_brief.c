// SPDX-License-Identifier: GPL-2.0-or-later
/* What plain bufstat says of a host that is short of memory. */
#include <errno.h>
#include <string.h>

#include "cgroups/cgroup_rows.h"
#include "cgroups/cgroups_saved.h"
#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_search.h"
#include "explain/explain_text.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "lib/wrap.h"
#include "measure/memory_left.h"
#include "worker/patience.h"

/* What is worth a word, and how long its holder is looked for. */
#define BRIEF_PART 10
#define BRIEF_MS 200
#define MEMINFO_MOST (64U << 10)

/*
 * Sums of lines that add up to about MemTotal: what is alone, and the larger of
 * the other two, which are two counts of about the same pages.
 */
enum sum { NONE, ALONE, LISTS, CACHES, SUMS };

static const struct line {
	const char *name;
	enum sum sum;
	bool is_kept; /* the kernel cannot take it back */
} lines[] = {
	{ "MemFree:", ALONE, false },	  { "Active:", LISTS, false },
	{ "Inactive:", LISTS, false },	  { "Unevictable:", LISTS, false },
	{ "Buffers:", CACHES, false },	  { "Cached:", CACHES, false },
	{ "AnonPages:", CACHES, false },  { "Shmem:", NONE, true },
	{ "Slab:", ALONE, false },	  { "SUnreclaim:", NONE, true },
	{ "KernelStack:", ALONE, false }, { "PageTables:", ALONE, true },
	{ "VmallocUsed:", ALONE, true },  { "SecPageTables:", ALONE, false },
	{ "Percpu:", ALONE, true },	  { "Hugetlb:", ALONE, true },
	{ "Zswap:", ALONE, false },	  { "GPUActive:", ALONE, false },
	{ "GPUReclaim:", ALONE, false },
};

static const struct line *line_at(const char *at, size_t length)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (*lines[i].name == *at &&
		    strncmp(lines[i].name, at, length) == 0 &&
		    !lines[i].name[length])
			return &lines[i];
	}
	return NULL;
}

/* Whether more than @most is kept by the kernel, or in no line of @text. */
static bool is_large(const char *text, int64_t total, int64_t most)
{
	int64_t sums[SUMS] = { 0 };

	for (const char *at = text; *at; at += *at == '\n') {
		size_t length = strcspn(at, " \n");
		const struct line *line = line_at(at, length);
		uint64_t kib;

		at += length + strspn(at + length, " ");
		if (line && number_scan(&at, INT64_MAX >> 16, &kib)) {
			if (line->is_kept && (int64_t)kib * 1024 > most)
				return true;
			sums[line->sum] += (int64_t)kib * 1024;
		}
		at += strcspn(at, "\n");
	}
	return sums[LISTS] &&
	       total - sums[ALONE] - greater(sums[LISTS], sums[CACHES]) > most;
}

/*
 * Whether /proc/meminfo alone says that programs have less than a tenth of
 * memory left, or that something has more which the kernel cannot take back.
 */
static bool is_strained(const struct sysroot *root,
			const struct meminfo *meminfo)
{
	_cleanup_(freep) char *text = NULL;
	int64_t total, available;

	if (!meminfo_bytes(meminfo, MEMINFO_MEM_TOTAL, &total))
		return false;
	if (meminfo_bytes(meminfo, MEMINFO_MEM_AVAILABLE, &available) &&
	    available < total / BRIEF_PART)
		return true;
	return sysroot_read(root, "/proc/meminfo", MEMINFO_MOST, &text, NULL) ==
		       0 &&
	       is_large(text, total, total / BRIEF_PART);
}

/* memory_limit_is_near() of a capture, which has the figures of all cgroups. */
static int find_near_in_capture(bool *is_near, const struct sysroot *root)
{
	_cleanup_(cgroups_deinit) struct cgroups all = { 0 };
	_cleanup_(limits_deinit) struct limits limits = { 0 };
	const struct zoneinfo none = { 0 };
	int ret = cgroups_saved_read(&all, root, NULL);

	if (ret <= 0 || !all.own)
		return only_enomem(ret);
	if (limits_init(&limits, &all, &none, 0, -1) < 0)
		return -ENOMEM;
	for (size_t i = all.own; i; i = all.cgroups[i - 1].parent + 1) {
		const struct cgroup_limit *limit = &limits.cgroups[i - 1];

		*is_near |= limit->has_limit &&
			    limit->left_bytes <
				    (int64_t)(limit->limit_bytes / BRIEF_PART);
	}
	return 0;
}

/*
 * The least that names a holder of what @meminfo, of this moment, says is large
 * or near: without devices, filesystems and slab caches, in one pass that ends
 * after 0.2 s, and with cgroups only where a limit of its own is near. Counts
 * that contradict each other are read again first (memory_read()). Returns 1,
 * or 0 if nothing there is: then only /proc/meminfo was read again, and the
 * limits of the cgroups it is in. -ENOMEM is the only error. The caller deinits
 * @facts in any case.
 */
static int brief_facts_init(struct explain_facts *facts,
			    const struct sysroot *root,
			    const struct meminfo *meminfo)
{
	bool is_near = memory_limit_is_near(root);
	struct explain_holder holder;
	int64_t usual_ns;
	int ret;

	*facts = (struct explain_facts){
		.is_captured = !sysroot_is_live(root),
		.is_brief = true,
		.buffers = { .collected = -ENODATA, .meminfo = *meminfo },
	};
	if (facts->is_captured && find_near_in_capture(&is_near, root) < 0)
		return -ENOMEM;
	if (!is_near && !is_strained(root, meminfo))
		return 0;
	ret = memory_read(&facts->memory, root, &facts->why_no_memory);
	facts->has_memory = !ret;
	if (ret < 0)
		return only_enomem(ret);
	memory_heads_init(&facts->heads, &facts->memory);
	explain_holder_choose(&holder, facts);
	if (!is_near && holder.state < EXPLAIN_LARGE)
		return 0;
	usual_ns = patience_hurry(root->patience, BRIEF_MS);
	ret = is_near ? cgroup_sample_take(&facts->cgroups, root, NULL) : 0;
	if (ret != -ENOMEM)
		ret = explain_search(facts, root);
	patience_calm(root->patience, usual_ns);
	return ret < 0 ? ret : 1;
}

int explain_brief(char **text, const struct sysroot *root,
		  const struct meminfo *meminfo)
{
	_cleanup_(explain_facts_deinit) struct explain_facts facts;
	struct explain_writer writer = { .facts = &facts };
	struct explain_holder holder;
	struct sentence sentence;
	int ret = brief_facts_init(&facts, root, meminfo);

	*text = NULL;
	if (ret <= 0)
		return ret;
	explain_holder_init(&holder, &facts);
	writer.holder = &holder;
	sentence_begin(&sentence);
	sentence.is_filled = true;
	writer.out = &sentence;
	free_columns_init(&writer.columns, meminfo);
	explain_write_brief(&writer);
	return sentence_end(&sentence, text);
}

int explain_print_brief(FILE *out, const struct sysroot *root,
			const struct meminfo *meminfo)
{
	const struct wrap wrap = { .width = explain_width(out) };
	_cleanup_(freep) char *text = NULL;
	int ret = explain_brief(&text, root, meminfo);

	if (text)
		wrap_print(out, text, strlen(text), &wrap);
	return ret;
}
