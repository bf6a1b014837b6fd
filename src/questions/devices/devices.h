/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Buffers is made of: the pages of each block device, and the rest that is
 * on none of them.
 */
#ifndef BUFSTAT_DEVICES_H
#define BUFSTAT_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "measure/history.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"
#include "names/names.h"

struct fields;
struct json_out;
struct kernel;
struct saved;
struct sysroot;

struct device {
	struct sample sample; /* of the rest and of a sum, only counts */
	struct device_names names; /* once they were looked up */
	size_t place; /* in the list of the answer */
	char number[24]; /* "major:minor"; "" if it is no device */
	char write_error[ERRNO_NAME_SIZE]; /* a name, "none", or "": unknown */
	const char *source; /* static: the answer's */
	uint64_t page_size; /* bytes */
	uint64_t buffers_pages; /* 0: its share of Buffers is not known */
	bool is_rest; /* what is on no device */
};

/* What was found out about Buffers that the devices do not add up to. */
enum buffers_doubt {
	BUFFERS_SOUND, /* nothing */
	BUFFERS_FOREIGN, /* neither MemTotal nor the caches are this kernel's */
	BUFFERS_MOVED, /* they were read again and had changed */
	BUFFERS_EXCEEDED, /* by the devices; why, is not known */
	BUFFERS_DOUBTS
};

/* All zero bytes is empty. */
struct devices {
	struct meminfo meminfo; /* read right before the devices */
	int collected; /* 0, or a negative errno: they were not measured */
	struct error why; /* set if it is negative */
	const char *source; /* static: the source's name */
	char *kernel; /* release of the kernel in a dump; NULL: the running one */
	uint64_t page_size; /* bytes */
	bool lists_all_pages; /* a device that is not listed has no pages */
	/* They changed while they were read, and no reading was proven. */
	bool unsettled;
	/*
	 * Why a preferred source, usable here, failed, or what this source
	 * knows that it misses; or NULL.
	 */
	char *failed_source;
	struct device *devices; /* in the order of the source */
	size_t count;
	size_t capacity;
	enum buffers_doubt doubt; /* as far as somebody looked for it */
	bool is_compared; /* with an earlier sample: history_compare() */
	/* What follows from these: devices_check(). */
	/*
	 * Buffers less the sum of the devices; its pages may be negative, and
	 * are shown all the same. Without them, the rest is not known.
	 */
	struct device rest;
	uint64_t attributed_pages; /* the sum */
	uint64_t buffers_pages; /* as in meminfo */
	bool has_attributed; /* else their sum is no possible size */
	bool has_buffers;
	size_t with_pages; /* how many devices have pages */
	size_t refused; /* how many could not be measured */
	/* A source that answered measured every device: nothing is missing. */
	bool has_all;
	/* So it is, and Buffers is known and no less than they have. */
	bool is_whole;
	/* The doubt; if there is none, that they have more by however little. */
	enum buffers_doubt shown_doubt;
};

/*
 * Reads /proc/meminfo and measures the devices right after it. On a busy host
 * Buffers moves between the two. Then both are taken again, at most twice, so
 * that only pages that really belong to no device show as unattributed. Where
 * the devices have more than Buffers, looks why: reads /proc/zoneinfo, and
 * /proc/meminfo again if the host runs.
 *
 * Returns 0 if /proc/meminfo was read, even if no source could measure, or a
 * negative errno. The caller deinits @devices in any case.
 */
int devices_init(struct devices *devices, const struct sysroot *root,
		 const char *source, struct error *err);
void devices_deinit(struct devices *devices);

/*
 * Measures them once and without /proc/meminfo. If @device is not NULL, others
 * may be missing: none is opened but that. Returns devices->collected.
 */
int devices_collect(struct devices *devices, const struct sysroot *root,
		    const char *source, const dev_t *device, struct error *err);

/*
 * The same by one source. Returns 0 or a negative errno; the source's name is
 * not in the error.
 */
int devices_try(struct devices *devices, const struct sysroot *root,
		size_t source, struct error *err);

/*
 * The same for the kernel in a dump: all devices, by the names that it had for
 * them. A dump has no /proc/meminfo; its Buffers is the sum over these devices.
 * The error does not say that it is about a dump (kernel_dump_result()).
 * Returns devices->collected.
 */
int devices_init_kernel(struct devices *devices, const struct kernel *kernel);

/*
 * Makes the empty @devices, which may have a meminfo, of what a source said:
 * moves all of @snapshot, and checks it. Returns as devices_check().
 */
int devices_take(struct devices *devices, struct snapshot *snapshot);

/*
 * Sets what follows from the other members, after each change of them. Returns
 * 0 or -ENOMEM.
 */
int devices_check(struct devices *devices);

/* Looks why the devices have more than Buffers, if they do; devices_init(). */
enum buffers_doubt devices_find_doubt(const struct devices *devices,
				      const struct sysroot *root);

/* The doubt in words, without a full stop; "" if there is none. */
const char *buffers_doubt_text(enum buffers_doubt doubt);

/*
 * Sorts the devices by number, and adds those that are missing: that had pages
 * before, so that vanished devices show, or are in /sys/class/block, of which a
 * captured tree may have none. If the source lists all pages, they have none
 * now; otherwise their pages are unknown. devices_compare() or devices_check()
 * has to follow. Return 0 or a negative errno.
 */
int devices_add_vanished(struct devices *devices,
			 const struct history *history);
int devices_add_all(struct devices *devices, const struct sysroot *root,
		    struct error *err);

/* Checks the devices, and compares them with before. Returns 0 or -ENOMEM. */
int devices_compare(struct devices *devices, const struct history *history);

/* For history_take() and baseline_take(). */
struct samples devices_samples(struct devices *devices);

/* Whether it has or had pages, or could not be measured. */
static inline bool device_is_listed(const struct device *device)
{
	return device->sample.refused || sample_has_pages(&device->sample) ||
	       device->sample.had_pages;
}

/* Looks up its names. Returns 0 or -ENOMEM. */
int device_find_names(struct device *device, struct names *names);
/* The same for those that are listed or, with @all, for every device. */
int devices_find_names(struct devices *devices, const struct sysroot *root,
		       bool all);

/* A figure in bytes; 0 if it is not known. */
static inline int64_t device_bytes(const struct device *device,
				   enum figure figure)
{
	return (int64_t)(device->sample.figures[figure] * device->page_size);
}

static inline bool devices_have_rest(const struct devices *devices)
{
	return sample_has(&devices->rest.sample, FIGURE_PAGES);
}

/* That in bytes, negative if the devices have more than Buffers. */
static inline int64_t devices_rest_bytes(const struct devices *devices)
{
	return device_bytes(&devices->rest, FIGURE_PAGES);
}

/*
 * Sets @percent to the part of Buffers that @device, or the rest, has. Returns
 * false if that is unknown or Buffers is zero.
 */
bool device_share(const struct device *device, double *percent);

/* False if devices refused to be measured and none has a figure. */
bool devices_have_figures(const struct devices *devices);

/*
 * The only device that could not be measured: it has the rest at most. NULL if
 * there are others or none, or if the rest tells nothing.
 */
const struct device *devices_only_refused(const struct devices *devices);

/*
 * Writes meminfo_kib and devices of a saved reading (saved.h). Both are null if
 * @devices is NULL, and devices is null if they could not be measured.
 */
void devices_write(struct json_out *json, const struct devices *devices);

/*
 * Reads them from a saved reading into an empty structure, and checks them.
 * Returns 1, 0 if they were not measured, or a negative errno, -EBADMSG if they
 * are damaged.
 */
int devices_read(struct devices *devices, const struct saved *saved);

/*
 * The same for what @source, or any source if that is NULL, said on a captured
 * host. Leaves the meminfo. Returns 0, -ENODATA if there is no such reading, or
 * another negative errno.
 */
int devices_read_tree(struct devices *devices, const struct sysroot *root,
		      const char *source, struct error *err);

/* Of the object "devices" of a saved reading. */
extern const struct fields devices_fields;

/*
 * Tells what the figures lack, and why; with @each_device, also of each device
 * that could not be measured.
 */
void devices_missing(const struct devices *devices, bool each_device,
		     error_tell_fn *tell, void *data);

#endif
