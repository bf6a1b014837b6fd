// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain_text.h"
#include "wrap.h"

static void write_available(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	const int64_t *bytes = columns->bytes;
	FILE *out = writer->out;

	if (columns->known[FREE_COLUMN_AVAILABLE] &&
	    columns->known[FREE_COLUMN_TOTAL] &&
	    !columns->used_without_available)
		fprintf(out,
			"Programs can have %s more of the %s without "
			"swapping.",
			SIZE(bytes[FREE_COLUMN_AVAILABLE]),
			SIZE(bytes[FREE_COLUMN_TOTAL]));
	else if (columns->known[FREE_COLUMN_FREE])
		fprintf(out,
			"%s is free; what programs can have besides, this "
			"kernel does not say.",
			SIZE(bytes[FREE_COLUMN_FREE]));
	else
		fputs("How much programs can still have is not known.", out);
}

static void write_caches(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	const int64_t *bytes = columns->bytes;
	FILE *out = writer->out;

	if (!columns->known[FREE_COLUMN_BUFF_CACHE])
		return;
	fprintf(out,
		" Buffers and cache hold %s, which the kernel gives back by "
		"itself when programs need it, all but what is in use",
		SIZE(bytes[FREE_COLUMN_BUFF_CACHE]));
	if (columns->known[FREE_COLUMN_SHARED])
		fprintf(out, " or shared (%s)",
			SIZE(bytes[FREE_COLUMN_SHARED]));
	putc('.', out);
}

/* The device with most, unless more than that is on none. */
static void write_largest(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	const struct explain_device *device = facts->devices;
	FILE *out = writer->out;
	double percent, rest;

	if (!explain_is_measured(facts)) {
		fputs(" Whose the buffers are could not be measured.", out);
		return;
	}
	if (!report_share(&facts->report, NULL, &rest))
		return;
	if (!facts->report.with_pages ||
	    !report_share(&facts->report, device->sample, &percent))
		percent = 0;
	if (rest > percent) {
		fprintf(out,
			" %.1f%% of buffers is on no device that was "
			"measured.",
			rest);
	} else if (percent > 0) {
		fprintf(out, " %.1f%% of buffers is ", percent);
		explain_put_device(out, device);
		fputs("'s.", out);
	}
}

void explain_write_short(const struct explain_writer *writer)
{
	write_available(writer);
	write_caches(writer);
	write_largest(writer);
	putc('\n', writer->out);
}
