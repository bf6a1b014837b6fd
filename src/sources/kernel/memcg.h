/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cgroup a page is charged to, by its struct page in a kernel's memory
 * (since Linux 4.20). In /proc/kpagecgroup a page of a removed cgroup counts
 * for the next one above it that is left; here it is the removed one's.
 */
#ifndef BUFSTAT_MEMCG_H
#define BUFSTAT_MEMCG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;
struct error;
struct kmem;

enum memcg_member {
	MEMCG_PAGE_MAPPING, /* page.mapping */
	MEMCG_PAGE_CHARGE, /* page.memcg_data; page.mem_cgroup up to 5.10 */
	MEMCG_CSS_CGROUP, /* cgroup_subsys_state.cgroup */
	MEMCG_CSS_SUBSYSTEM, /* cgroup_subsys_state.ss */
	MEMCG_CSS_FLAGS, /* cgroup_subsys_state.flags */
	MEMCG_SUBSYSTEM_NAME, /* cgroup_subsys.name */
	MEMCG_CGROUP_NODE, /* cgroup.kn */
	MEMCG_NODE_PARENT, /* kernfs_node.parent; __parent since 6.15 */
	MEMCG_NODE_NAME, /* kernfs_node.name */
	MEMCG_NODE_ID, /* kernfs_node.id */
	MEMCG_OBJECT, /* obj_cgroup.memcg (5.9) */
	MEMCG_MEMBERS
};

/* All in bytes. */
struct memcg_layout {
	uint32_t offset[MEMCG_MEMBERS];
	bool has_object; /* MEMCG_OBJECT is known */
	uint32_t page_size; /* of a struct page */
};

/*
 * Returns 0, -EOPNOTSUPP with what this kernel lacks (it may be built without
 * the memory controller), or the errno of btf_failed().
 */
int memcg_layout_init(struct memcg_layout *layout, const struct btf *btf,
		      struct error *err);

/* A folio of a mapping, and what it is charged to. */
struct charged {
	uint64_t page; /* address of the folio's first struct page */
	uint64_t mapping; /* the address_space that it was found in */
	uint64_t pages;
	uint64_t charge; /* what struct page says; 0: to nothing */
	bool is_known; /* it was still that mapping's */
};

/*
 * Sets the charge of @count folios, and sorts them by page. A folio that has
 * left its mapping, or whose struct page a dump lacks, stays unknown. Returns
 * 0, -ETIMEDOUT, or another errno of reading.
 */
int memcg_read_charges(const struct kmem *kmem,
		       const struct memcg_layout *layout,
		       struct charged *folios, size_t count);

#define MEMCG_PATH 4096

/* A cgroup, as memory describes it. */
struct memcg {
	uint64_t id; /* the inode of its directory, which no other cgroup has */
	bool is_dead; /* removed, but not freed while pages are charged to it */
	char path[MEMCG_PATH]; /* "/" or "/a/b"; what it was, if it is dead */
};

/*
 * Reads the cgroup that a charge which is not 0 leads to. Returns 0, -ESTALE if
 * it leads to none, -ETIMEDOUT, or another errno of reading.
 */
int memcg_read(const struct kmem *kmem, const struct memcg_layout *layout,
	       uint64_t charge, struct memcg *memcg);

#endif
