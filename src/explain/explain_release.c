// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain_text.h"
#include "wrap.h"

/* The clean pages of the device that has most, as an example. */
static void write_example(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	const struct device_sample *sample;
	uint64_t pages;

	if (!facts->report.with_pages || !facts->devices->names.name)
		return;
	sample = facts->devices->sample;
	pages = sample->figures[FIGURE_PAGES];
	if (sample_has(sample, FIGURE_DIRTY) &&
	    sample->figures[FIGURE_DIRTY] < pages)
		pages -= sample->figures[FIGURE_DIRTY];
	fputs(", for ", writer->out);
	wrap_put_name(writer->out, facts->devices->names.name);
	fprintf(writer->out, " at most %s",
		SIZE((int64_t)(pages * facts->report.page_size)));
}

static void write_shared(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;

	fputs("- Deleting tmpfs files and shared memory: ", writer->out);
	if (columns->known[FREE_COLUMN_SHARED])
		fprintf(writer->out, "at most the %s of shared",
			SIZE(columns->bytes[FREE_COLUMN_SHARED]));
	else
		fputs("what is shared", writer->out);
	fputs(". Costs: the data.\n", writer->out);
}

void explain_write_release(const struct explain_writer *writer)
{
	FILE *out = writer->out;

	fputs("- Nothing you do: when programs ask for memory, the kernel "
	      "takes clean pages back by itself.\n"
	      "- bufstat drop DEVICE: the clean pages of one device",
	      out);
	write_example(writer);
	fputs(". Costs: what is needed again is read from the device again. A "
	      "mounted filesystem keeps a few pages.\n"
	      "- Unmounting, or ending the last process that holds a device "
	      "open: all pages of that device. Costs: the service that used "
	      "it.\n",
	      out);
	write_shared(writer);
	fputs("- sysctl vm.drop_caches: the clean caches of the whole host. "
	      "Costs: all of it is read again. bufstat never uses it.\n",
	      out);
}
