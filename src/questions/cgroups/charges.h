/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose page cache: how many cached pages of a device or filesystem are charged
 * to which cgroup. A page is charged to the cgroup of the process that read or
 * wrote it first, and stays so whoever uses it later.
 *
 * Reads the kernel's memory, from /proc/kcore, for root, or from a dump. Takes
 * no lock.
 */
#ifndef BUFSTAT_CHARGES_H
#define BUFSTAT_CHARGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct selection;
struct sysroot;

enum cache_kind {
	CACHE_DEVICE, /* what Buffers is made of */
	CACHE_FILESYSTEM, /* its files, which are in Cached */
};

/* Bytes. */
#define CACHE_WHY 256

/* The page cache of one device, or of one filesystem. */
struct cache {
	enum cache_kind kind;
	unsigned int major;
	unsigned int minor;
	char *name; /* the kernel's of a device; what is mounted, or "shared" */
	char *mountpoint; /* the first one, or NULL */
	bool has_pages; /* @pages is known */
	uint64_t pages; /* by the kernel's count of each mapping */
	uint64_t charged; /* pages whose charge is known: the sum of its rows */
	/* Why not all of its pages could be read, or "". */
	char why[CACHE_WHY];
};

/* A cgroup that pages are charged to. */
struct charge_owner {
	uint64_t id; /* the inode of its directory */
	bool is_dead; /* removed, but kept by what is charged to it */
	char *path; /* "/" or "/a/b" */
	char *container; /* as container_name(), or NULL */
};

/* Pages without an owner are charged to nothing. */
#define CHARGE_NO_OWNER SIZE_MAX

struct charge {
	size_t cache; /* index */
	size_t owner; /* index, or CHARGE_NO_OWNER */
	uint64_t pages;
};

struct charges {
	uint64_t page_size; /* bytes */
	bool is_dump;
	char *release; /* of the kernel in a dump; or NULL */
	struct cache *caches; /* devices by number, then filesystems */
	size_t cache_count;
	struct charge_owner *owners; /* each id once */
	size_t owner_count;
	struct charge *list; /* by cache, then by pages, the most first */
	size_t count;
	/* For charges.c only. */
	size_t cache_capacity;
	size_t owner_capacity;
	size_t capacity;
};

/*
 * Reads the charges of the caches in @selection, of SELECTS_CACHES, of the
 * running kernel or, if @vmcore is not NULL, of that in the dump, which does
 * not tell mount points. The others cost nothing. What could not be read of one
 * is said in its @why, and its pages are not in the list, nor those whose
 * struct page a dump lacks. Pages that come or go meanwhile may be in @pages
 * and not in the list, or the other way round. Returns 0, -EOPNOTSUPP if the
 * kernel has no memory controller, or as kernel_open(). The caller deinits
 * @charges in any case.
 */
int charges_read(struct charges *charges, const struct sysroot *root,
		 const char *vmcore, struct selection *selection,
		 struct error *err);
void charges_deinit(struct charges *charges);

/* Whether all pages of all caches were read. */
bool charges_are_whole(const struct charges *charges);

#endif
