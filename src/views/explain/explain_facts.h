/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All facts that bufstat explain uses, gathered before it writes anything. */
#ifndef BUFSTAT_EXPLAIN_FACTS_H
#define BUFSTAT_EXPLAIN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cgroups/cgroup_rows.h"
#include "devices/device_rows.h"
#include "explain/explain_recorded.h"
#include "filesystems/measured_files.h"
#include "filesystems/measured_filesystems.h"
#include "lib/string_list.h"
#include "measure/provenance.h"
#include "memory/memory_heads.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "names/device_base.h"
#include "names/openers.h"
#include "recorded/growth_median.h"

struct sysroot;

/* A device that has pages or could not be measured. */
struct explain_device {
	struct device of; /* a copy, which owns nothing */
	struct device_base base;
	const struct opener *openers;
	size_t opener_count;
	bool is_ramdisk;
};

struct explain_facts {
	/* All of memory, read before anything else: what follows makes slab. */
	struct memory_reading memory;
	struct memory_heads heads;
	bool has_memory; /* the two above are set */
	struct error why_no_memory; /* set unless they are */
	/* Of what explain_holder.h chooses, and the processes of some heads. */
	struct memory_owners owners;
	/* Of each list, the first that is a process, or something that one has,
	 * in the cgroup whose limit is near; or NULL. */
	const struct memory_owner *limited_owners[MEMORY_OWNER_LISTS];
	/* The largest files if it is the file cache, or the one on tmpfs. */
	struct cached_files files;
	/* A root on tmpfs, as of a live system, of which no file stands out. */
	int64_t root_bytes;
	bool sees_processes; /* of all users and namespaces */
	bool has_users; /* of the file that holds most, all are known */
	unsigned int user_pid; /* one of them; 0: none */
	char *process; /* the name of the process that holds most, or NULL */
	char *service; /* of the system that it is of, or NULL */
	bool outlives_sigterm; /* it ignores it, or never gets it */
	struct explain_rise rise; /* of what it is about */
	/*
	 * Of each head that was looked up (explain_recorded_find()): of the
	 * block device cache, that of the largest device; last, of the rest.
	 */
	struct growth_median medians[MEMORY_HEADS + 1];
	char *inodes_at; /* the tmpfs with most inodes, or NULL */
	uint64_t inodes; /* that it has */
	struct cgroup_sample cgroups; /* without cgroups: the host alone */
	struct devices buffers;
	struct explain_device *devices; /* most pages first */
	size_t count;
	struct openers openers;
	struct string_list fstypes; /* types that are mounted */
	struct provenance provenance;
	struct filesystems filesystems; /* what Cached is made of */
	bool has_filesystems; /* they could be measured */
	struct error why_no_filesystems; /* set unless they could be */
	bool is_captured; /* not of the running host */
	bool is_brief; /* explain_brief.c made them */
	bool is_dump; /* of a kernel in a dump: no mounts, no processes */
};

/*
 * Returns 0 if /proc/meminfo was read, even if no source is usable:
 * facts->buffers then says why. Else returns a negative errno. The caller
 * deinits @facts in either case.
 */
int explain_facts_init(struct explain_facts *facts, const struct sysroot *root,
		       const char *source, struct error *err);

/*
 * Reads the facts from the dump at @path. Returns 0 if the dump could be read,
 * even if its devices or filesystems could not be, or a negative errno. The
 * caller deinits @facts in either case. @root is an empty tree.
 */
int explain_facts_init_dump(struct explain_facts *facts,
			    const struct sysroot *root, const char *path,
			    struct error *err);
void explain_facts_deinit(struct explain_facts *facts);

static inline bool explain_is_measured(const struct explain_facts *facts)
{
	return facts->buffers.collected == 0;
}

/* Of pages of a head. */
static inline int64_t explain_bytes(const struct explain_facts *facts,
				    int64_t pages)
{
	return pages * (int64_t)facts->memory.page_size;
}

/* Whether the time was over before all processes were looked at. */
bool explain_is_cut_short(const struct explain_facts *facts);

/*
 * Whether Buffers is known, every device was measured, and every process looked
 * at. In a dump, every filesystem too.
 */
bool explain_is_complete(const struct explain_facts *facts);

#endif
