// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "explain/explain.h"
#include "explain/explain_text.h"
#include "lib/utf8.h"
#include "lib/wrap.h"
#include "names/device_base.h"

#define SHOWN_DEVICES 5
#define SHOWN_NAMES 3
/* Mounting and reading a partition table leave fewer. */
#define FEW_PAGES 64

static int64_t bytes_of(const struct explain_writer *writer, uint64_t pages)
{
	return (int64_t)(pages * writer->facts->report.page_size);
}

/* Prints the device's name, or else its number. */
static void explain_put_device(FILE *out, const struct explain_device *device)
{
	if (device->names.name)
		wrap_put_name(out, device->names.name);
	else
		fprintf(out, "%u:%u", device->sample->major,
			device->sample->minor);
}

/* Begins the next reason of an item. */
static void next_clause(FILE *out, int *clauses)
{
	fputs(*clauses ? "; " : ": ", out);
	++*clauses;
}

/* Between the names of a list: "a, b and c" or "a, b, c and 2 more". */
static void put_separator(FILE *out, size_t i, size_t count)
{
	if (i)
		fputs(i + 1 == count && count <= SHOWN_NAMES ? " and " : ", ",
		      out);
}

static void put_rest(FILE *out, size_t count)
{
	if (count > SHOWN_NAMES)
		fprintf(out, " and %zu more", count - SHOWN_NAMES);
}

static void put_names(FILE *out, char *const *names, size_t count)
{
	for (size_t i = 0; i < count && i < SHOWN_NAMES; i++) {
		put_separator(out, i, count);
		wrap_put_name(out, names[i]);
	}
	put_rest(out, count);
}

static bool is_swap(const struct explain_device *device)
{
	const struct string_list *places = &device->names.mountpoints;

	/* Swap space comes last in this list. */
	return places->count &&
	       strcmp(places->strings[places->count - 1], "[SWAP]") == 0;
}

static size_t count_mounts(const struct explain_device *device)
{
	return device->names.mountpoints.count - is_swap(device);
}

static bool has_many_pages(const struct explain_device *device)
{
	return sample_has(device->sample, FIGURE_PAGES) &&
	       device->sample->figures[FIGURE_PAGES] > FEW_PAGES;
}

/* Says what the pages are, if that follows from the filesystem's type. */
static void write_metadata_place(FILE *out, const struct explain_device *device)
{
	enum fs_metadata metadata = fs_metadata(device->names.fstype);

	if (metadata == FS_METADATA_BUFFERS) {
		fputs(": its metadata, and any raw reads or writes of ", out);
		explain_put_device(out, device);
	} else if (metadata != FS_METADATA_UNKNOWN && has_many_pages(device)) {
		fputs(", which keeps its metadata elsewhere: raw reads or "
		      "writes of ",
		      out);
		explain_put_device(out, device);
	}
}

static void write_mount(FILE *out, const struct explain_device *device,
			int *clauses)
{
	const char *fstype = device->names.fstype;
	size_t mounts = count_mounts(device);

	if (!mounts)
		return;
	next_clause(out, clauses);
	if (fstype)
		wrap_put_name(out, fstype);
	else
		fputs("a filesystem", out);
	fputs(" mounted at ", out);
	put_names(out, device->names.mountpoints.strings, mounts);
	write_metadata_place(out, device);
}

/*
 * In a dump, the superblock of a filesystem tells its device, and nothing tells
 * where it was mounted.
 */
static void write_filesystem(const struct explain_writer *writer,
			     const struct explain_device *device, int *clauses)
{
	const char *fstype = device->names.fstype;
	FILE *out = writer->out;

	if (!writer->facts->is_dump || !fstype || count_mounts(device))
		return;
	next_clause(out, clauses);
	wrap_put_name(out, fstype);
	fputs(" is in use on it", out);
	write_metadata_place(out, device);
}

/* A dump does not tell the processes, but the kernel counts them. */
static void write_count_of_openers(const struct explain_writer *writer,
				   const struct explain_device *device,
				   int *clauses)
{
	uint64_t openers = device->sample->figures[FIGURE_OPENERS];
	FILE *out = writer->out;

	if (!writer->facts->is_dump ||
	    !sample_has(device->sample, FIGURE_OPENERS))
		return;
	next_clause(out, clauses);
	if (openers)
		fprintf(out, "opened %llu time%s, by processes or the kernel",
			(unsigned long long)openers, openers == 1 ? "" : "s");
	else
		fputs("not open", out);
}

static void write_uses(FILE *out, const struct explain_device *device,
		       int *clauses)
{
	const struct string_list *holders = &device->names.holders;

	if (is_swap(device)) {
		next_clause(out, clauses);
		fputs("swap space", out);
	}
	if (holders->count) {
		next_clause(out, clauses);
		fputs("pages of the volume itself; ", out);
		put_names(out, holders->strings, holders->count);
		fprintf(out, " on top of it %s",
			holders->count == 1 ? "has its own" : "have their own");
	}
	if (device->base.has_partitions) {
		next_clause(out, clauses);
		fputs("pages of the disk itself; its partitions have their own",
		      out);
	}
	if (device->base.loop_file) {
		next_clause(out, clauses);
		fputs("loop device on ", out);
		wrap_put_name(out, device->base.loop_file);
		/* A backing file that is a device is not in Cached. */
		if (!device->base.loop_direct &&
		    strncmp(device->base.loop_file, "/dev/", 5) != 0)
			fputs(", which may be in Cached as well", out);
	}
}

static void write_openers(FILE *out, const struct explain_device *device,
			  int *clauses)
{
	const struct opener *openers = device->openers;
	size_t count = device->opener_count;

	if (!count)
		return;
	next_clause(out, clauses);
	fputs("held open by ", out);
	for (size_t i = 0; i < count && i < SHOWN_NAMES; i++) {
		put_separator(out, i, count);
		wrap_put_name(out, *openers[i].comm ? openers[i].comm : "?");
		fprintf(out, " (%u)", openers[i].pid);
	}
	put_rest(out, count);
}

/* For a device with none of the reasons above. */
static void write_no_reason(const struct explain_writer *writer,
			    const struct explain_device *device)
{
	const struct sample *sample = device->sample;
	FILE *out = writer->out;

	fputs(": ", out);
	if (device->names.fstype) {
		wrap_put_name(out, device->names.fstype);
		fputs(device->names.has_mounts ? ", " : ", and ", out);
	}
	fputs(device->names.has_mounts ? "not mounted here" :
					 "where it is mounted is not known",
	      out);
	if (openers_are_whole(&writer->facts->openers))
		fputs(", and no process was seen to hold it open", out);
	if (sample_has(sample, FIGURE_OPENERS) &&
	    sample->figures[FIGURE_OPENERS])
		fprintf(out, ", but the kernel counts %llu that have it open",
			(unsigned long long)sample->figures[FIGURE_OPENERS]);
}

static void write_device(const struct explain_writer *writer,
			 const struct explain_device *device)
{
	const struct sample *sample = device->sample;
	FILE *out = writer->out;
	double percent;
	int clauses = 0;

	fputs("- ", out);
	explain_put_device(out, device);
	if (sample->refused) {
		fputs(" not measured (", out);
		safe_text_put(out, sample->refused);
		putc(')', out);
	} else {
		fprintf(out, " %s",
			SIZE(bytes_of(writer, sample->figures[FIGURE_PAGES])));
	}
	if (report_share(&writer->facts->report, sample, &percent))
		fprintf(out, " (%.1f%%)", percent);
	write_mount(out, device, &clauses);
	write_filesystem(writer, device, &clauses);
	write_uses(out, device, &clauses);
	write_openers(out, device, &clauses);
	write_count_of_openers(writer, device, &clauses);
	if (!clauses)
		write_no_reason(writer, device);
	putc('\n', out);
}

/* Devices that were not measured come last. */
static void write_devices(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	size_t measured = facts->count - facts->report.refused;
	uint64_t pages = 0;

	for (size_t i = 0; i < facts->count; i++) {
		const struct explain_device *device = &facts->devices[i];

		if (i < SHOWN_DEVICES ||
		    (i >= measured && i - measured < SHOWN_NAMES))
			write_device(writer, device);
		else if (i < measured)
			pages += device->sample->figures[FIGURE_PAGES];
	}
	if (measured > SHOWN_DEVICES)
		fprintf(writer->out,
			"- %zu more, together %s: see bufstat devices\n",
			measured - SHOWN_DEVICES,
			SIZE(bytes_of(writer, pages)));
	if (facts->report.refused > SHOWN_NAMES)
		fprintf(writer->out, "- %zu more that could not be measured\n",
			facts->report.refused - SHOWN_NAMES);
}

static void write_unmeasured(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	const struct report *report = &facts->report;
	const struct sample *only = report_only_refused(report);
	FILE *out = writer->out;

	fputs(": ", out);
	if (!only)
		fputs("on no device that was measured", out);
	for (size_t i = 0; only && i < facts->count; i++) {
		if (facts->devices[i].sample != only)
			continue;
		explain_put_device(out, &facts->devices[i]);
		fprintf(out, ": at most %s (the only device not measured)",
			SIZE(report->unattributed_pages *
			     (int64_t)report->page_size));
	}
}

static void write_unattributed(const struct explain_writer *writer)
{
	const struct report *report = &writer->facts->report;
	FILE *out = writer->out;

	if (!report->has_buffers || !report->has_attributed) {
		fprintf(out, "- unattributed: not known%s%s\n",
			report->doubt ? ": " : "",
			buffers_doubt_text(report->doubt));
		return;
	}
	fprintf(out, "- %s %s",
		report->unsettled ? "unsettled" : "unattributed",
		SIZE(report->unattributed_pages * (int64_t)report->page_size));
	if (report->unsettled)
		fputs(": no reading added up to Buffers", out);
	else if (report->doubt)
		fprintf(out, ": %s", buffers_doubt_text(report->doubt));
	else if (report->unattributed_pages)
		write_unmeasured(writer);
	else
		fputs(": every page is accounted for", out);
	putc('\n', out);
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
		const struct sample *sample = facts->devices[i].sample;
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
	struct unwritten sum = sum_unwritten(writer->facts);
	FILE *out = writer->out;

	if (!writer->facts->count)
		return;
	fputs("The kernel can reclaim clean pages, except a few that "
	      "filesystems hold; ",
	      out);
	if (sum.unknown == writer->facts->count)
		fputs("how many are dirty is not known", out);
	else if (!sum.dirty && !sum.writeback)
		fputs("none are dirty", out);
	else
		fprintf(out, "%s are dirty, %s under writeback",
			SIZE(bytes_of(writer, sum.dirty)),
			SIZE(bytes_of(writer, sum.writeback)));
	if (sum.unknown && sum.unknown < writer->facts->count)
		fprintf(out, " (not known for %zu device%s)", sum.unknown,
			sum.unknown == 1 ? "" : "s");
	fputs(".\n", out);
}

static void write_denied(const struct explain_writer *writer)
{
	const struct openers *openers = &writer->facts->openers;

	if (writer->facts->is_dump)
		fputs("A dump does not tell where a device was mounted or "
		      "which processes had it open.\n",
		      writer->out);
	if (writer->facts->is_dump || !writer->facts->count)
		return;
	if (openers->denied)
		fprintf(writer->out,
			"Some openers of devices may be missing: only root may "
			"look at %zu processes.\n",
			openers->denied);
	else if (openers->unread)
		fprintf(writer->out,
			"Some openers of devices may be missing: the time was "
			"over before %zu of %zu processes were looked at.\n",
			openers->unread,
			openers->processes + openers->denied + openers->unread);
	else if (openers->failed)
		fprintf(writer->out,
			"Some openers of devices may be missing: reading "
			"/proc: %s.\n",
			openers->failed == ETIMEDOUT ?
				"an open file did not answer" :
				strerror(openers->failed));
	else if (!openers->processes)
		fputs("The openers of devices are not known: no process could "
		      "be looked at.\n",
		      writer->out);
}

/* Writes "ext4, ext2 keep their"; false if no such filesystem is mounted. */
static bool write_keepers(const struct explain_writer *writer,
			  enum fs_metadata metadata)
{
	const struct string_list *fstypes = &writer->facts->fstypes;
	FILE *out = writer->out;
	size_t count = 0;

	for (size_t i = 0; i < fstypes->count; i++) {
		const char *fstype = fstypes->strings[i];

		if (fs_metadata(fstype) == metadata)
			fprintf(out, "%s%s", count++ ? ", " : "", fstype);
	}
	if (count)
		fputs(count == 1 ? " keeps its" : " keep their", out);
	return count;
}

static void write_metadata(const struct explain_writer *writer)
{
	FILE *out = writer->out;

	if (write_keepers(writer, FS_METADATA_BUFFERS))
		fputs(" metadata here: a find or a backup can make buffers "
		      "grow.\n",
		      out);
	if (write_keepers(writer, FS_METADATA_CACHE))
		fputs(" metadata in an internal inode, which counts as "
		      "cache.\n",
		      out);
	if (write_keepers(writer, FS_METADATA_OWN))
		fputs(" metadata in buffers of its own, not here.\n", out);
}

/* Prints what each source says, as items of a list. */
static void write_reasons(FILE *out, const struct error *why)
{
	char text[ERROR_TEXT_SIZE];

	for (size_t i = 0; error_item(why, i, text); i++) {
		fputs("- ", out);
		safe_text_put(out, text);
		putc('\n', out);
	}
}

void explain_write_buffers(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	FILE *out = writer->out;

	if (!writer->columns.known[FREE_COLUMN_BUFFERS])
		fputs("This kernel does not report Buffers.\n", out);
	fputs("The page cache of block devices, not of files: metadata of some "
	      "filesystems, and raw reads and writes (dd, a backup, a VM). A "
	      "device keeps its pages only while it is mounted or open: the "
	      "last close drops them.\n",
	      out);
	if (explain_is_measured(facts)) {
		write_devices(writer);
		write_unattributed(writer);
		write_unwritten(writer);
		write_denied(writer);
	} else {
		fputs("No source could measure the devices, so all of it is "
		      "unattributed. The reasons:\n",
		      out);
		write_reasons(out, &facts->measurement.why);
	}
	write_metadata(writer);
}

void explain_print_device(FILE *out, const struct explain_facts *facts,
			  dev_t number)
{
	const struct explain_writer writer = { .out = out, .facts = facts };

	if (!number && explain_is_measured(facts))
		write_unattributed(&writer);
	for (size_t i = 0; i < facts->count; i++) {
		const struct sample *sample = facts->devices[i].sample;

		if (makedev(sample->major, sample->minor) == number)
			write_device(&writer, &facts->devices[i]);
	}
}
