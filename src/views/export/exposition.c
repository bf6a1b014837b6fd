// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "export/exposition.h"
#include "lib/utf8.h"

void exposition_init(struct exposition *exposition, FILE *out,
		     enum exposition_format format, bool is_terminal)
{
	*exposition = (struct exposition){
		.out = out,
		.format = format,
		.is_terminal = is_terminal,
	};
}

void exposition_finish(struct exposition *exposition)
{
	if (exposition->format == EXPOSITION_OPENMETRICS)
		fputs("# EOF\n", exposition->out);
}

static const char *suffix(const struct metric_family *family)
{
	static const char *const suffixes[] = {
		[METRIC_GAUGE] = "",
		[METRIC_INFO] = "_info",
		[METRIC_COUNTER] = "_total",
	};

	return suffixes[family->type];
}

/* The older format has no type for labels. */
static const char *type_name(const struct metric_family *family, bool open)
{
	if (family->type == METRIC_COUNTER)
		return "counter";
	return open && family->type == METRIC_INFO ? "info" : "gauge";
}

void exposition_family(struct exposition *exposition,
		       const struct metric_family *family)
{
	exposition->family = family;
	exposition->announced = false;
}

static void announce(struct exposition *exposition)
{
	const struct metric_family *family = exposition->family;
	bool open = exposition->format == EXPOSITION_OPENMETRICS;
	/* OpenMetrics names the family, the older format the sample. */
	const char *ending = open ? "" : suffix(family);

	fprintf(exposition->out, "# HELP %s%s %s\n", family->name, ending,
		family->help);
	fprintf(exposition->out, "# TYPE %s%s %s\n", family->name, ending,
		type_name(family, open));
	if (open && family->unit)
		fprintf(exposition->out, "# UNIT %s %s\n", family->name,
			family->unit);
}

void exposition_sample(struct exposition *exposition)
{
	if (!exposition->announced)
		announce(exposition);
	exposition->announced = true;
	fprintf(exposition->out, "%s%s", exposition->family->name,
		suffix(exposition->family));
	exposition->labelled = false;
}

static void put_value(FILE *out, const char *value, bool is_terminal)
{
	const unsigned char *c = (const unsigned char *)value;

	while (*c) {
		size_t length = utf8_length(c);

		if (*c == '\n')
			fputs("\\n", out);
		else if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (length && is_terminal)
			safe_text_put_part(out, (const char *)c, length);
		else if (length)
			fwrite(c, 1, length, out);
		else
			fputs(UTF8_REPLACEMENT, out);
		c += length ? length : 1;
	}
}

void exposition_label(struct exposition *exposition, const char *name,
		      const char *value)
{
	if (!value || !*value)
		return;
	fprintf(exposition->out, "%c%s=\"", exposition->labelled ? ',' : '{',
		name);
	put_value(exposition->out, value, exposition->is_terminal);
	putc('"', exposition->out);
	exposition->labelled = true;
}

void exposition_value(struct exposition *exposition, int64_t value)
{
	fprintf(exposition->out, "%s %" PRId64 "\n",
		exposition->labelled ? "}" : "", value);
}
