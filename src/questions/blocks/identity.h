/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is on a device, as far as its cached pages tell: the superblock of a
 * device in use is mostly among them. libblkid reads a copy of these pages in
 * memory, and never the device, which a probe would bring into the cache.
 *
 * What is not cached is zeros in the copy. So an answer may be wrong: a member
 * of an array has the filesystem at its start, and the signature of the array
 * at an end that is not cached. It is proven only if every place was cached
 * that libblkid reads, or if the kernel names the user.
 */
#ifndef BUFSTAT_IDENTITY_H
#define BUFSTAT_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_cache;
struct device_names;
struct error;

/* All are owned, and NULL if they are not known. */
struct identity {
	char *fstype; /* as libblkid names it: "ext4", "LVM2_member" */
	char *label;
	char *uuid;
	bool is_proven; /* else the device only looks so */
};

/*
 * Where libblkid reads, whatever is on the device. Those of the end count from
 * there. Read off 2.36 to 2.41 with strace, which a unit test repeats.
 */
struct identity_place {
	bool is_from_end;
	uint32_t offset; /* bytes */
	uint32_t bytes;
};

extern const struct identity_place identity_places[];
extern const size_t identity_place_count;

/*
 * Bytes at each end of the device that are copied, besides the places: what a
 * type has elsewhere, such as the directory with the label, mostly is there.
 */
#define IDENTITY_FRONT (UINT64_C(5) << 19)
#define IDENTITY_END (UINT64_C(3) << 19)
/* Bytes at each end in which all of that is, the places included. */
#define IDENTITY_PAGES (UINT64_C(5) << 20)

/*
 * Asks libblkid what is on the device of @device_bytes of which @cache has
 * pages. Returns 0, also if nothing is found or the time of @cache is over;
 * -EOPNOTSUPP with the reason if the library is not there or the pages cannot
 * be copied; or -ENOMEM. The caller deinits @identity in any case.
 */
int identity_init(struct identity *identity, struct block_cache *cache,
		  uint64_t device_bytes, struct error *err);
void identity_deinit(struct identity *identity);

/*
 * Compares it with what the kernel says of the device, which is right: what is
 * mounted from it, whether it is swap space in use, and whether a device is
 * built on it that takes members of this type. Returns 0 or -ENOMEM.
 */
int identity_confirm(struct identity *identity,
		     const struct device_names *names);

/* What it is mounted as. Returns 0 or -ENOMEM. */
int identity_set_mounted(struct identity *identity, const char *fstype);

#endif
