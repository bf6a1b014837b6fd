// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "explain/explain.h"
#include "explain/explain_text.h"
#include "lib/utf8.h"
#include "lib/wrap.h"
#include "names/device_base.h"
#include "names/pid_namespace.h"

#define SHOWN_DEVICES 5
#define SHOWN_NAMES 3
/* Mounting and reading a partition table leave fewer. */
#define FEW_PAGES 64

static int64_t bytes_of(const struct explain_writer *writer, uint64_t pages)
{
	return (int64_t)(pages * writer->facts->buffers.page_size);
}

const char *explain_device_name(struct sentence *out,
				const struct explain_device *device)
{
	return device->of.names.name ? safe_name(out, device->of.names.name) :
				       device->of.number;
}

/* What the next reason of an item begins with. */
static const char *next_clause(int *clauses)
{
	return (*clauses)++ ? "; " : ": ";
}

static bool is_swap(const struct explain_device *device)
{
	const struct string_list *places = &device->of.names.mountpoints;

	/* Swap space comes last in this list. */
	return places->count &&
	       strcmp(places->strings[places->count - 1], "[SWAP]") == 0;
}

/* What the pages are, if that follows from the filesystem's type. */
static const char *metadata_place(struct sentence *out,
				  const struct explain_device *device)
{
	enum fs_metadata metadata = fs_metadata(device->of.names.fstype);
	const char *name = explain_device_name(out, device);

	if (metadata == FS_METADATA_BUFFERS)
		return piece(out,
			     ": its metadata, and any raw reads or writes of "
			     "%s",
			     name);
	if (metadata != FS_METADATA_UNKNOWN &&
	    sample_has(&device->of.sample, FIGURE_PAGES) &&
	    device->of.sample.figures[FIGURE_PAGES] > FEW_PAGES)
		return piece(out,
			     ", which keeps its metadata elsewhere: raw reads "
			     "or writes of %s",
			     name);
	return "";
}

/*
 * In a dump, the superblock of a filesystem tells its device, and nothing tells
 * where it was mounted.
 */
static void write_filesystem(const struct explain_writer *writer,
			     const struct explain_device *device, int *clauses)
{
	const char *fstype = device->of.names.fstype;
	size_t mounts = device->of.names.mountpoints.count - is_swap(device);
	struct sentence *out = writer->out;

	if (mounts)
		say(out, "%s%s mounted at %s%s", next_clause(clauses),
		    fstype ? safe_name(out, fstype) : "a filesystem",
		    safe_names(out, device->of.names.mountpoints.strings,
			       mounts, SHOWN_NAMES, " and "),
		    metadata_place(out, device));
	else if (writer->facts->is_dump && fstype)
		say(out, "%s%s is in use on it%s", next_clause(clauses),
		    safe_name(out, fstype), metadata_place(out, device));
}

/* A dump does not tell the processes, but the kernel counts them. */
static void write_count_of_openers(const struct explain_writer *writer,
				   const struct explain_device *device,
				   int *clauses)
{
	uint64_t openers = device->of.sample.figures[FIGURE_OPENERS];

	if (!writer->facts->is_dump ||
	    !sample_has(&device->of.sample, FIGURE_OPENERS))
		return;
	if (openers)
		say(writer->out,
		    "%sopened %llu time%s, by processes or the kernel",
		    next_clause(clauses), (unsigned long long)openers,
		    plural(openers));
	else
		say(writer->out, "%snot open", next_clause(clauses));
}

static void write_uses(struct sentence *out,
		       const struct explain_device *device, int *clauses)
{
	const struct string_list *holders = &device->of.names.holders;
	const char *file = device->base.loop_file;

	if (is_swap(device))
		say(out, "%sswap space", next_clause(clauses));
	if (holders->count)
		say(out, "%spages of the volume itself; %s on top of it %s",
		    next_clause(clauses),
		    safe_names(out, holders->strings, holders->count,
			       SHOWN_NAMES, " and "),
		    holders->count == 1 ? "has its own" : "have their own");
	if (device->base.has_partitions)
		say(out,
		    "%spages of the disk itself; its partitions have their own",
		    next_clause(clauses));
	/* A backing file that is a device is not in Cached. */
	if (file)
		say(out, "%sloop device on %s%s", next_clause(clauses),
		    safe_name(out, file),
		    !device->base.loop_direct &&
				    strncmp(file, "/dev/", 5) != 0 ?
			    ", which may be in Cached as well" :
			    "");
}

static void write_openers(struct sentence *out,
			  const struct explain_device *device, int *clauses)
{
	const struct opener *openers = device->openers;
	size_t count = device->opener_count;

	if (!count)
		return;
	say(out, "%sheld open by ", next_clause(clauses));
	for (size_t i = 0; i < count && i < SHOWN_NAMES; i++)
		say(out, "%s%s (%u)",
		    names_between(i, count, SHOWN_NAMES, " and "),
		    safe_name(out, *openers[i].comm ? openers[i].comm : "?"),
		    openers[i].pid);
	if (count > SHOWN_NAMES)
		say(out, " and %zu more", count - SHOWN_NAMES);
}

/* For a device with none of the reasons above. */
static void write_no_reason(const struct explain_writer *writer,
			    const struct explain_device *device)
{
	const struct sample *sample = &device->of.sample;
	struct sentence *out = writer->out;

	say(out, ": ");
	if (device->of.names.fstype)
		say(out, "%s%s", safe_name(out, device->of.names.fstype),
		    device->of.names.has_mounts ? ", " : ", and ");
	say(out, "%s",
	    device->of.names.has_mounts ? "not mounted here" :
					  "where it is mounted is not known");
	if (openers_are_whole(&writer->facts->openers))
		say(out, ", and no process was seen to hold it open");
	if (sample_has(sample, FIGURE_OPENERS) &&
	    sample->figures[FIGURE_OPENERS])
		say(out, ", but the kernel counts %llu that have it open",
		    (unsigned long long)sample->figures[FIGURE_OPENERS]);
}

static void write_device(const struct explain_writer *writer,
			 const struct explain_device *device)
{
	const struct sample *sample = &device->of.sample;
	struct sentence *out = writer->out;
	double percent;
	int clauses = 0;

	say(out, "- %s ", explain_device_name(out, device));
	if (sample->refused)
		say(out, "not measured (%s)", safe_text(out, sample->refused));
	else
		say(out, "%s", SIZE(device_bytes(&device->of, FIGURE_PAGES)));
	if (device_share(&device->of, &percent))
		say(out, " (%.1f%%)", percent);
	write_filesystem(writer, device, &clauses);
	write_uses(out, device, &clauses);
	write_openers(out, device, &clauses);
	write_count_of_openers(writer, device, &clauses);
	if (!clauses)
		write_no_reason(writer, device);
	say(out, "\n");
}

/* Devices that were not measured come last. */
static void write_devices(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	size_t measured = facts->count - facts->buffers.refused;
	uint64_t pages = 0;

	for (size_t i = 0; i < facts->count; i++) {
		const struct explain_device *device = &facts->devices[i];

		if (i < SHOWN_DEVICES ||
		    (i >= measured && i - measured < SHOWN_NAMES))
			write_device(writer, device);
		else if (i < measured)
			pages += device->of.sample.figures[FIGURE_PAGES];
	}
	if (measured > SHOWN_DEVICES)
		say(writer->out,
		    "- %zu more, together %s: see bufstat devices\n",
		    measured - SHOWN_DEVICES, SIZE(bytes_of(writer, pages)));
	if (facts->buffers.refused > SHOWN_NAMES)
		say(writer->out, "- %zu more that could not be measured\n",
		    facts->buffers.refused - SHOWN_NAMES);
}

static void write_unmeasured(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	const struct device *only = devices_only_refused(&facts->buffers);
	struct sentence *out = writer->out;

	if (!only)
		say(out, ": on no device that was measured");
	for (size_t i = 0; only && i < facts->count; i++) {
		if (facts->devices[i].of.place == only->place)
			say(out,
			    ": %s: at most %s (the only device not measured)",
			    explain_device_name(out, &facts->devices[i]),
			    SIZE(devices_rest_bytes(&facts->buffers)));
	}
}

static void write_unattributed(const struct explain_writer *writer)
{
	const struct devices *devices = &writer->facts->buffers;
	const char *doubt = buffers_doubt_text(devices->shown_doubt);
	struct sentence *out = writer->out;

	if (!devices_have_rest(devices)) {
		say(out, "- unattributed: not known%s%s\n", *doubt ? ": " : "",
		    doubt);
		return;
	}
	say(out, "- %s %s", devices->rest.names.name,
	    SIZE(devices_rest_bytes(devices)));
	if (devices->unsettled)
		say(out, ": no reading added up to Buffers");
	else if (*doubt)
		say(out, ": %s", doubt);
	else if (devices_rest_bytes(devices))
		write_unmeasured(writer);
	else
		say(out, ": every page is accounted for");
	say(out, "\n");
}

struct unwritten {
	uint64_t dirty;
	uint64_t writeback;
	size_t unknown; /* devices without these figures */
};

static struct unwritten sum_unwritten(const struct explain_facts *facts)
{
	struct unwritten sum = { 0 };

	for (size_t i = 0; i < facts->count; i++) {
		const struct sample *sample = &facts->devices[i].of.sample;
		bool known = sample_has(sample, FIGURE_DIRTY) &&
			     sample_has(sample, FIGURE_WRITEBACK);

		sum.unknown += !known;
		if (!known)
			continue;
		sum.dirty += sample->figures[FIGURE_DIRTY];
		sum.writeback += sample->figures[FIGURE_WRITEBACK];
	}
	return sum;
}

static void write_unwritten(const struct explain_writer *writer)
{
	const size_t count = writer->facts->count;
	struct unwritten sum = sum_unwritten(writer->facts);
	struct sentence *out = writer->out;

	if (!count)
		return;
	say(out, "The kernel can reclaim clean pages, except a few that "
		 "filesystems hold; ");
	if (sum.unknown == count)
		say(out, "how many are dirty is not known");
	else if (!sum.dirty && !sum.writeback)
		say(out, "none are dirty");
	else
		say(out, "%s are dirty, %s under writeback",
		    SIZE(bytes_of(writer, sum.dirty)),
		    SIZE(bytes_of(writer, sum.writeback)));
	if (sum.unknown && sum.unknown < count)
		say(out, " (not known for %zu device%s)", sum.unknown,
		    plural(sum.unknown));
	say(out, ".\n");
}

static void write_denied(const struct explain_writer *writer)
{
	const struct openers *openers = &writer->facts->openers;
	struct sentence *out = writer->out;

	if (writer->facts->is_dump)
		say(out, "A dump does not tell where a device was mounted or "
			 "which processes had it open.\n");
	if (writer->facts->is_dump || !writer->facts->count)
		return;
	if (!openers->denied && !openers->unread && !openers->failed &&
	    !openers->is_of_namespace) {
		if (!openers->processes)
			say(out, "The openers of devices are not known: no "
				 "process could be looked at.\n");
		return;
	}
	say(out, "Some openers of devices may be missing: ");
	if (openers->denied)
		say(out, "only root may look at %zu processes.\n",
		    openers->denied);
	else if (openers->unread)
		say(out,
		    "the time was over before %zu of %zu processes were "
		    "looked at.\n",
		    openers->unread,
		    openers->processes + openers->denied + openers->unread);
	else if (openers->is_of_namespace)
		say(out, PROCESSES_OUTSIDE " are not seen.\n");
	else
		say(out, "reading /proc: %s.\n",
		    openers->failed == ETIMEDOUT ? "an open file did not "
						   "answer" :
						   strerror(openers->failed));
}

/* "ext4, ext2 keep their metadata "; nothing if there is no such filesystem. */
static void write_keepers(const struct explain_writer *writer,
			  enum fs_metadata metadata, const char *where)
{
	const struct string_list *fstypes = &writer->facts->fstypes;
	struct sentence *out = writer->out;
	size_t count = 0;

	for (size_t i = 0; i < fstypes->count; i++) {
		const char *fstype = fstypes->strings[i];

		if (fs_metadata(fstype) == metadata)
			say(out, "%s%s", count++ ? ", " : "", fstype);
	}
	if (count)
		say(out, " %s metadata %s.\n",
		    count == 1 ? "keeps its" : "keep their", where);
}

void explain_write_buffers(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	struct sentence *out = writer->out;
	char text[ERROR_TEXT_SIZE];

	if (!writer->columns.known[FREE_COLUMN_BUFFERS])
		say(out, "This kernel does not report Buffers.\n");
	say(out, "The page cache of block devices, not of files: metadata of "
		 "some filesystems, and raw reads and writes (dd, a backup, a "
		 "VM). A device keeps its pages only while it is mounted or "
		 "open: the last close drops them.\n");
	if (explain_is_measured(facts)) {
		write_devices(writer);
		write_unattributed(writer);
		write_unwritten(writer);
		write_denied(writer);
	} else {
		say(out, "No source could measure the devices, so all of it is "
			 "unattributed. The reasons:\n");
		for (size_t i = 0; error_item(&facts->buffers.why, i, text);
		     i++)
			say(out, "- %s\n", safe_text(out, text));
	}
	write_keepers(writer, FS_METADATA_BUFFERS,
		      "here: a find or a backup can make buffers grow");
	write_keepers(writer, FS_METADATA_CACHE,
		      "in an internal inode, which counts as cache");
	write_keepers(writer, FS_METADATA_OWN,
		      "in buffers of its own, not here");
}

void explain_print_device(FILE *out, const struct explain_facts *facts,
			  dev_t number)
{
	struct sentence line;
	const struct explain_writer writer = { .out = &line, .facts = facts };

	sentence_begin_on(&line, out);
	if (!number && explain_is_measured(facts))
		write_unattributed(&writer);
	for (size_t i = 0; i < facts->count; i++) {
		const struct sample *sample = &facts->devices[i].of.sample;

		if (makedev(sample->major, sample->minor) == number)
			write_device(&writer, &facts->devices[i]);
	}
	sentence_end(&line, NULL);
}
