// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cachestat(2), Linux 6.5, on the device node of every block device. It needs
 * no module, but it must open each device, and the figures of each device are
 * of another instant.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/cachestat.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "worker/ask.h"

#define MAX_ATTRIBUTE 65536

/* What /sys/class/block says of a device. */
struct entry {
	unsigned int major;
	unsigned int minor;
	char kname[256]; /* as in sysfs, with '!' for '/' */
	char node[300]; /* path in /dev */
};

static bool value_of(const char *uevent, const char *key, const char **value)
{
	const char *line = strstr(uevent, key);

	if (!line || (line != uevent && line[-1] != '\n'))
		return false;
	*value = line + strlen(key);
	return true;
}

/* -ENODEV: the device has no node (the hidden paths of an NVMe multipath). */
static int read_entry(const struct sysroot *root, const char *kname,
		      struct entry *entry)
{
	_cleanup_(freep) char *uevent = NULL;
	const char *major_text, *minor_text, *node;
	uint64_t major, minor;
	char path[300];
	int ret;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/uevent", kname);
	ret = sysroot_read(root, path, MAX_ATTRIBUTE, &uevent, NULL);
	if (ret < 0)
		return ret;
	if (!value_of(uevent, "MAJOR=", &major_text) ||
	    !value_of(uevent, "MINOR=", &minor_text) ||
	    !value_of(uevent, "DEVNAME=", &node))
		return -ENODEV;
	if (!number_scan(&major_text, UINT32_MAX, &major) ||
	    !number_scan(&minor_text, UINT32_MAX, &minor))
		return -EBADMSG;

	entry->major = (unsigned int)major;
	entry->minor = (unsigned int)minor;
	snprintf(entry->kname, sizeof(entry->kname), "%s", kname);
	snprintf(entry->node, sizeof(entry->node), "/dev/%.*s",
		 (int)strcspn(node, "\n"), node);
	return 0;
}

/*
 * A device without sectors, such as an unused loop device, rarely has pages
 * (find_missing()).
 */
static bool has_sectors(const struct sysroot *root, const char *kname)
{
	_cleanup_(freep) char *text = NULL;
	char dir[300];

	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", kname);
	return sysfs_attribute(root, dir, "size", &text) < 0 ||
	       strcmp(text, "0") != 0;
}

/* Filled in by a worker: opening a device may block forever. */
struct answer {
	int error; /* negative errno */
	bool opened;
	struct cachestat_counts counts;
};

/*
 * Only the open node's own number tells which device it is. O_NONBLOCK keeps a
 * drive from loading or waiting for a medium.
 */
static int measure(const struct entry *entry, struct answer *answer)
{
	_cleanup_(closep) int fd = -1;
	struct stat status;

	fd = open(entry->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode) ||
	    status.st_rdev != makedev(entry->major, entry->minor))
		return -ENODEV;
	answer->opened = true;
	return cachestat_read(fd, 0, 0, &answer->counts);
}

struct collection {
	const struct sysroot *root;
	struct snapshot *snapshot;
	struct entry *entries; /* devices to ask about */
	size_t count;
	size_t capacity;
	size_t asked; /* how many of these were asked so far */
	size_t listed; /* in the snapshot before the second round */
	size_t denied; /* devices that file permissions denied */
};

static void collection_deinit(struct collection *all)
{
	free(all->entries);
}

static size_t measure_one(const void *data, size_t index, void *to)
{
	const struct collection *all = data;
	struct answer *answer = to;

	answer->error = measure(&all->entries[all->asked + index], answer);
	return sizeof(*answer);
}

static void name_one(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct collection *all = data;

	snprintf(text, STUCK_OBJECT, "%.*s", STUCK_OBJECT - 1,
		 all->entries[all->asked + index].node);
}

static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct collection *all = data;
	const struct entry *entry = &all->entries[all->asked + index];

	snprintf(text, STUCK_OBJECT, "open %u:%u", entry->major, entry->minor);
}

/* Whether the device went away between the listing and the opening. */
static bool is_gone(const struct sysroot *root, const char *kname, int error)
{
	struct entry again;

	return (error == -ENOENT || error == -ENXIO || error == -ENODEV) &&
	       read_entry(root, kname, &again) == -ENOENT;
}

static int set_refused(struct sample *sample, const char *doing,
		       const struct entry *entry, const char *why)
{
	if (asprintf(&sample->refused, "%s: %s: %s", doing, entry->node, why) >=
	    0)
		return 0;
	sample->refused = NULL;
	return -ENOMEM;
}

/* Finds the sample of a device without sectors, which is asked after all. */
static struct sample *find_listed(const struct collection *all,
				  const struct entry *entry)
{
	for (size_t i = 0; i < all->listed; i++) {
		struct sample *sample = &all->snapshot->devices[i];

		if (sample->major == entry->major &&
		    sample->minor == entry->minor)
			return sample;
	}
	return NULL;
}

static struct sample *add_sample(struct collection *all,
				 const struct entry *entry)
{
	struct sample *sample = find_listed(all, entry);

	if (sample)
		return sample;
	sample = snapshot_add(all->snapshot, entry->major, entry->minor);
	if (!sample)
		return NULL;
	sample->kname = strdup(entry->kname);
	if (!sample->kname)
		return NULL;
	sysfs_name_restore(sample->kname);
	return sample;
}

static int take_answer(struct collection *all, const struct entry *entry,
		       const struct answer *answer, const char *why)
{
	struct sample *sample;

	if (answer && answer->error &&
	    is_gone(all->root, entry->kname, answer->error))
		return 0;
	sample = add_sample(all, entry);
	if (!sample)
		return -ENOMEM;
	if (!answer)
		return set_refused(sample, "opening", entry, why);
	all->denied += answer->error == -EACCES;
	if (answer->error)
		return set_refused(sample,
				   answer->opened ? "cachestat" : "opening",
				   entry, strerror(-answer->error));
	sample_set(sample, FIGURE_PAGES, answer->counts.cached);
	sample_set(sample, FIGURE_DIRTY, answer->counts.dirty);
	sample_set(sample, FIGURE_WRITEBACK, answer->counts.writeback);
	return 0;
}

static int take_answers(struct collection *all, const struct asked *asked)
{
	char why[ASK_WHY];
	int ret = 0;

	for (size_t i = 0; !ret && all->asked + i < all->count; i++) {
		const struct answer *answer = asked_answer(asked, i);

		ret = take_answer(all, &all->entries[all->asked + i], answer,
				  answer ? NULL : asked_why(asked, i, why));
	}
	all->asked = all->count;
	return ret;
}

/* Asks about the devices that were not asked about yet. */
static int ask_all(struct collection *all, struct error *err)
{
	const struct ask questions = {
		.answer = measure_one,
		.data = all,
		.count = all->count - all->asked,
		.answer_size = sizeof(struct answer),
		.kept = -1,
		.name = name_one,
		.object = object_of,
		.patience = all->root->patience,
	};
	struct asked *asked = NULL;
	int ret = questions.count ? ask(&questions, &asked, err) : 0;

	if (!ret && take_answers(all, asked) < 0)
		ret = error_errno(err, ENOMEM, "listing", CLASS_BLOCK);
	asked_destroy(asked);
	return ret;
}

static int add_question(struct collection *all, const struct entry *entry)
{
	if (array_make_room(&all->entries, all->count, &all->capacity) < 0)
		return -ENOMEM;
	all->entries[all->count++] = *entry;
	return 0;
}

static int add_device(struct collection *all, const struct entry *entry,
		      bool with_sectors)
{
	if (has_sectors(all->root, entry->kname) == with_sectors)
		return add_question(all, entry);
	/* List it, but do not open it. */
	return with_sectors && !add_sample(all, entry) ? -ENOMEM : 0;
}

static int add_all(struct collection *all, DIR *dir, bool with_sectors)
{
	struct entry entry;
	const char *kname;
	int ret;

	while ((ret = sysroot_next_name(dir, &kname)) > 0) {
		/* A device that is already gone has no pages. */
		ret = read_entry(all->root, kname, &entry);
		if (ret == -ENOENT || ret == -ENODEV || ret == -ENOTDIR)
			continue;
		if (!ret)
			ret = add_device(all, &entry, with_sectors);
		if (ret < 0)
			return ret;
	}
	return ret;
}

enum lack cachestat_lack(int error)
{
	/* If the system call exists, it fails with EBADF. */
	if (error == -EBADF)
		return LACKS_NOTHING;
	return error == -ENOSYS ? LACK_CACHESTAT : LACK_RIGHT_TO_CACHESTAT;
}

static int probe(const struct sysroot *root, struct error *err)
{
	struct cachestat_counts counts;
	enum lack lack;
	int ret;

	if (!sysroot_is_live(root))
		return lack_doing(err, LACK_DEVICES_IN_TREE, NULL, NULL,
				  root->prefix);
	ret = cachestat_read(-1, 0, 0, &counts);
	lack = cachestat_lack(ret);
	return lack ? lack_error(err, lack, strerror(-ret)) : 0;
}

enum lack devices_lack(bool are_denied)
{
	if (!are_denied)
		return LACKS_NOTHING;
	return geteuid() ? LACK_ROOT_FOR_DEVICES : LACK_RIGHT_TO_DEVICES;
}

static int collect(struct collection *all, bool with_sectors, struct error *err)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(all->root, CLASS_BLOCK);
	int ret;

	if (!dir)
		return error_doing(err, ERROR_UNUSABLE, "reading", CLASS_BLOCK,
				   "%s", strerror(errno));
	ret = add_all(all, dir, with_sectors);
	if (ret < 0)
		return error_errno(err, -ret, "listing", CLASS_BLOCK);
	return ask_all(all, err);
}

/*
 * Returns how many KiB of Buffers are on no device, beyond what moved
 * meanwhile; 0 if none are.
 */
static uint64_t missing_kib(const struct collection *all,
			    const struct meminfo *before)
{
	struct meminfo after;
	uint64_t pages, kib, least, moved;

	if (meminfo_read(&after, all->root, NULL) < 0 ||
	    !meminfo_has(before, MEMINFO_BUFFERS) ||
	    !meminfo_has(&after, MEMINFO_BUFFERS) ||
	    !snapshot_sum(all->snapshot, &pages))
		return 0;
	kib = pages * (all->snapshot->page_size / 1024);
	least = before->kib[MEMINFO_BUFFERS];
	moved = after.kib[MEMINFO_BUFFERS];
	if (moved < least) {
		uint64_t most = least;

		least = moved;
		moved = most;
	}
	moved -= least;
	return least > kib + moved ? least - kib : 0;
}

/*
 * A device without sectors may have pages: a loop device whose file was
 * truncated. Such devices are opened only if pages are missing.
 */
static int find_missing(struct collection *all, const struct meminfo *before,
			struct error *err)
{
	struct snapshot *snapshot = all->snapshot;
	uint64_t kib = missing_kib(all, before);
	int ret;

	if (!kib)
		return 0;
	all->listed = snapshot->count;
	ret = collect(all, false, err);
	if (ret < 0)
		return ret;
	kib = missing_kib(all, before);
	if (kib && !snapshot_has_refused(snapshot) &&
	    asprintf(&snapshot->failed_source,
		     "cachestat: %" PRIu64
		     " KiB of Buffers are on devices that it cannot open, for "
		     "example one removed while in use",
		     kib) < 0)
		snapshot->failed_source = NULL;
	return 0;
}

int source_cachestat_collect(const struct sysroot *root,
			     struct snapshot *snapshot, struct error *err)
{
	_cleanup_(collection_deinit) struct collection all = {
		.root = root,
		.snapshot = snapshot,
	};
	struct meminfo before;
	enum lack lack;
	int ret = probe(root, err);

	if (ret < 0)
		return ret;
	snapshot->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	ret = meminfo_read(&before, root, err);
	if (!ret)
		ret = collect(&all, true, err);
	if (ret < 0)
		return ret;
	lack = devices_lack(all.count && all.denied == all.count);
	return lack ? lack_error(err, lack, NULL) :
		      find_missing(&all, &before, err);
}

int source_cachestat_collect_device(const struct sysroot *root, dev_t device,
				    struct snapshot *snapshot,
				    struct error *err)
{
	_cleanup_(collection_deinit) struct collection all = {
		.root = root,
		.snapshot = snapshot,
	};
	_cleanup_(freep) char *kname = NULL;
	struct entry entry;
	char path[64];
	enum lack lack;
	int ret = probe(root, err);

	if (ret < 0)
		return ret;
	snapshot->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	ret = sysroot_link_name(root, path, &kname);
	if (!ret)
		ret = read_entry(root, kname, &entry);
	/* The user named it, so ask about it even without sectors. */
	if (!ret)
		ret = add_question(&all, &entry);
	if (ret < 0)
		return error_errno(err, -ret, "reading", path);
	ret = ask_all(&all, err);
	if (ret < 0)
		return ret;
	lack = devices_lack(all.denied);
	return lack ? lack_error(err, lack, NULL) : 0;
}
