/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source measured: plain data, counted in pages, with a presence bit
 * for every figure. Absent is not zero.
 */
#ifndef BUFSTAT_SNAPSHOT_H
#define BUFSTAT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bdev_layout;
struct bdev_list;
struct kmem;

enum figure {
	FIGURE_PAGES, /* address_space.nrpages */
	FIGURE_DIRTY, /* pages */
	FIGURE_WRITEBACK, /* pages */
	FIGURE_OPENERS, /* block_device.bd_openers */
	FIGURE_WRITE_ERROR, /* errno of the last write error, 0: none */
	FIGURES, /* so many are measured */
	/* Pages gained since an earlier sample (history.h), as an int64_t. */
	FIGURE_CHANGE = FIGURES,
	FIGURE_SINCE,
};

/* What a sample is in comparison with the last one. */
enum sample_state {
	SAMPLE_ALONE, /* there is none */
	SAMPLE_COMPARED,
	SAMPLE_NEW, /* has pages and had none */
	SAMPLE_EMPTY, /* had pages and has none */
};

/* A block device or a filesystem, identified by its number. */
struct sample {
	unsigned int major;
	unsigned int minor;
	char *kname; /* the kernel's name, or NULL */
	uint64_t figures[FIGURE_SINCE + 1];
	uint64_t present; /* bit per figure */
	char *refused; /* why the device could not be measured, or NULL */
	bool is_silent; /* that is: it did not answer, or not in time */
	bool had_pages; /* in an earlier sample */
	enum sample_state state;
};

/* Bytes; no kernel has larger pages. */
#define PAGE_SIZE_MOST (1U << 20)

/* Whether a kernel may have pages of so many bytes. */
static inline bool page_size_is_sound(uint64_t bytes)
{
	return bytes >= 4096 && bytes <= PAGE_SIZE_MOST &&
	       !(bytes & (bytes - 1));
}

struct snapshot {
	const char *source; /* static: the source's name */
	char *kernel; /* release of the kernel in a dump; NULL: the running one */
	uint64_t page_size; /* bytes */
	struct sample *devices; /* or filesystems; in no order */
	size_t count;
	size_t capacity;
	bool lists_all_pages; /* a device that is not listed has no pages */
	/*
	 * The figures may contradict each other: they changed while they were
	 * read, and no reading was proven.
	 */
	bool unsettled;
	/*
	 * Why a preferred source, usable here, failed, or what this source
	 * knows that it misses; or NULL.
	 */
	char *failed_source;
};

static inline bool sample_has(const struct sample *sample, enum figure figure)
{
	return sample->present >> figure & 1;
}

static inline void sample_set(struct sample *sample, enum figure figure,
			      uint64_t value)
{
	sample->figures[figure] = value;
	sample->present |= UINT64_C(1) << figure;
}

/*
 * Sets pages, dirty and writeback of @sum to 0, for sample_add(). Of a sample
 * that was refused nothing is added. A figure that one lacks, or that
 * overflows, is absent in the sum.
 */
void sample_sum_begin(struct sample *sum);
void sample_add(struct sample *sum, const struct sample *sample);

static inline bool sample_has_pages(const struct sample *sample)
{
	return sample_has(sample, FIGURE_PAGES) &&
	       sample->figures[FIGURE_PAGES];
}

/* Whether it has as many pages as in the last sample. */
static inline bool sample_is_unchanged(const struct sample *sample)
{
	return sample_has(sample, FIGURE_CHANGE) &&
	       !sample->figures[FIGURE_CHANGE];
}

/* An empty snapshot is all zero bytes. Deinit leaves it empty. */
void snapshot_deinit(struct snapshot *snapshot);

/*
 * Adds a device without figures. The snapshot owns it; it is valid until the
 * next one is added. Returns NULL when out of memory.
 */
struct sample *snapshot_add(struct snapshot *snapshot, unsigned int major,
			    unsigned int minor);

/*
 * Adds up the pages of all devices that have the figure. Returns false if the
 * sum in bytes exceeds 63 bits: some figure is then not a count of pages.
 */
bool snapshot_sum(const struct snapshot *snapshot, uint64_t *pages);

bool snapshot_has_refused(const struct snapshot *snapshot);

/* Adds the devices in @list that have pages. Returns 0 or -ENOMEM. */
int bdev_snapshot_fill(struct snapshot *snapshot, const struct bdev_list *list);

/*
 * Adds all devices in @list, with their names from that kernel's memory, for a
 * kernel whose sysfs cannot be asked. Returns 0 or -ENOMEM.
 */
int bdev_snapshot_fill_named(struct snapshot *snapshot,
			     const struct bdev_list *list,
			     const struct kmem *kmem,
			     const struct bdev_layout *layout);

#endif
