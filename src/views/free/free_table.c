// SPDX-License-Identifier: GPL-2.0-or-later
#include <libintl.h>
#include <stdlib.h>
#include <wchar.h>

#include "free/free_options.h"
#include "free/free_table.h"
#include "measure/meminfo.h"

#define LABEL_WIDTH 9
#define MAX_LABEL 64
#define MAX_CELLS 7
#define CELL_LENGTH 32

enum cell {
	CELL_NONE, /* the row ends here */
	CELL_MEM_TOTAL,
	CELL_MEM_USED,
	CELL_MEM_FREE,
	CELL_SHARED,
	CELL_BUFFERS,
	CELL_CACHE,
	CELL_BUFFERS_CACHE,
	CELL_AVAILABLE,
	CELL_LOW_TOTAL,
	CELL_LOW_USED,
	CELL_LOW_FREE,
	CELL_HIGH_TOTAL,
	CELL_HIGH_USED,
	CELL_HIGH_FREE,
	CELL_SWAP_TOTAL,
	CELL_SWAP_USED,
	CELL_SWAP_FREE,
	CELL_ALL_TOTAL,
	CELL_ALL_USED,
	CELL_ALL_FREE,
	CELL_COMMIT_LIMIT,
	CELL_COMMITTED,
	CELL_COMMIT_LEFT,
	CELLS
};

/* Shown if the options' flags, masked with mask, equal flags. */
struct row {
	const char *label;
	unsigned int mask;
	unsigned int flags;
	enum cell cells[MAX_CELLS + 1];
};

static const struct row rows[] = {
	{
		.label = "Mem:",
		.mask = FREE_WIDE,
		.cells = { CELL_MEM_TOTAL, CELL_MEM_USED, CELL_MEM_FREE,
			   CELL_SHARED, CELL_BUFFERS_CACHE, CELL_AVAILABLE },
	},
	{
		.label = "Mem:",
		.mask = FREE_WIDE,
		.flags = FREE_WIDE,
		.cells = { CELL_MEM_TOTAL, CELL_MEM_USED, CELL_MEM_FREE,
			   CELL_SHARED, CELL_BUFFERS, CELL_CACHE,
			   CELL_AVAILABLE },
	},
	{
		.label = "Low:",
		.mask = FREE_LOHI,
		.flags = FREE_LOHI,
		.cells = { CELL_LOW_TOTAL, CELL_LOW_USED, CELL_LOW_FREE },
	},
	{
		.label = "High:",
		.mask = FREE_LOHI,
		.flags = FREE_LOHI,
		.cells = { CELL_HIGH_TOTAL, CELL_HIGH_USED, CELL_HIGH_FREE },
	},
	{
		.label = "Swap:",
		.cells = { CELL_SWAP_TOTAL, CELL_SWAP_USED, CELL_SWAP_FREE },
	},
	{
		.label = "Total:",
		.mask = FREE_TOTAL,
		.flags = FREE_TOTAL,
		.cells = { CELL_ALL_TOTAL, CELL_ALL_USED, CELL_ALL_FREE },
	},
	{
		.label = "Comm:",
		.mask = FREE_COMMITTED,
		.flags = FREE_COMMITTED,
		.cells = { CELL_COMMIT_LIMIT, CELL_COMMITTED,
			   CELL_COMMIT_LEFT },
	},
};

static const struct {
	const char *label;
	enum cell cell;
} line[] = {
	{ "SwapUse", CELL_SWAP_USED },
	{ "CachUse", CELL_BUFFERS_CACHE },
	{ " MemUse", CELL_MEM_USED },
	{ "MemFree", CELL_MEM_FREE },
};

static const char heading[] =
	"               total        used        free      shared  buff/cache"
	"   available";
static const char heading_wide[] =
	"               total        used        free      shared     buffers"
	"       cache   available";

/* Uses procps-ng's translation: that is the table that users know. */
static const char *translated(const char *text)
{
	return dgettext("procps-ng", text);
}

static uint64_t difference(uint64_t total, uint64_t part)
{
	return part < total ? total - part : 0;
}

/*
 * procps-ng's rules, in kibibytes modulo 2^64. A container's meminfo may mix
 * the host's figures with its own: MemAvailable is then ignored.
 */
static void fill_memory(uint64_t cells[CELLS], const struct meminfo *meminfo)
{
	const uint64_t *kib = meminfo->kib;
	uint64_t total = kib[MEMINFO_MEM_TOTAL];
	uint64_t unused = kib[MEMINFO_MEM_FREE];
	uint64_t available = kib[MEMINFO_MEM_AVAILABLE];
	uint64_t used;

	if (!available || available > total)
		available = unused;
	used = total - available;
	if ((int64_t)used < 0)
		used = total - unused;

	cells[CELL_MEM_TOTAL] = total;
	cells[CELL_MEM_USED] = used;
	cells[CELL_MEM_FREE] = unused;
	cells[CELL_AVAILABLE] = available;
	cells[CELL_SHARED] = kib[MEMINFO_SHMEM];
	cells[CELL_BUFFERS] = kib[MEMINFO_BUFFERS];
	cells[CELL_CACHE] = kib[MEMINFO_CACHED] + kib[MEMINFO_SRECLAIMABLE];
	cells[CELL_BUFFERS_CACHE] = cells[CELL_BUFFERS] + cells[CELL_CACHE];

	cells[CELL_LOW_TOTAL] = kib[MEMINFO_LOW_TOTAL];
	cells[CELL_LOW_FREE] = kib[MEMINFO_LOW_FREE];
	if (!cells[CELL_LOW_TOTAL]) { /* without high memory all is low */
		cells[CELL_LOW_TOTAL] = total;
		cells[CELL_LOW_FREE] = unused;
	}
	cells[CELL_LOW_USED] =
		difference(cells[CELL_LOW_TOTAL], cells[CELL_LOW_FREE]);
	cells[CELL_HIGH_TOTAL] = kib[MEMINFO_HIGH_TOTAL];
	cells[CELL_HIGH_FREE] = kib[MEMINFO_HIGH_FREE];
	cells[CELL_HIGH_USED] =
		difference(cells[CELL_HIGH_TOTAL], cells[CELL_HIGH_FREE]);
}

static void fill_rest(uint64_t cells[CELLS], const struct meminfo *meminfo)
{
	const uint64_t *kib = meminfo->kib;

	cells[CELL_SWAP_TOTAL] = kib[MEMINFO_SWAP_TOTAL];
	cells[CELL_SWAP_FREE] = kib[MEMINFO_SWAP_FREE];
	cells[CELL_SWAP_USED] =
		difference(cells[CELL_SWAP_TOTAL], cells[CELL_SWAP_FREE]);

	cells[CELL_ALL_TOTAL] = cells[CELL_MEM_TOTAL] + cells[CELL_SWAP_TOTAL];
	cells[CELL_ALL_USED] = cells[CELL_MEM_USED] + cells[CELL_SWAP_USED];
	cells[CELL_ALL_FREE] = cells[CELL_MEM_FREE] + cells[CELL_SWAP_FREE];

	cells[CELL_COMMIT_LIMIT] = kib[MEMINFO_COMMIT_LIMIT];
	cells[CELL_COMMITTED] = kib[MEMINFO_COMMITTED_AS];
	cells[CELL_COMMIT_LEFT] =
		cells[CELL_COMMIT_LIMIT] - cells[CELL_COMMITTED];
}

static double power(double base, int exponent)
{
	double product = 1;

	while (exponent-- > 0)
		product *= base;
	return product;
}

/*
 * Uses the first unit in which the number takes four characters, or five with
 * the "i".
 */
static void format_human(char text[CELL_LENGTH], int64_t bytes, bool si)
{
	static const char letters[] = "KMGTP";
	const char *suffix = si ? "" : "i";
	int limit = si ? 4 : 5;

	if (snprintf(text, CELL_LENGTH, "%lldB", (long long)bytes) <= 4)
		return;
	for (int i = 0; letters[i]; i++) {
		double scaled = (double)bytes / power(si ? 1000 : 1024, i + 1);

		if (snprintf(text, CELL_LENGTH, "%.1f%c%s",
			     (double)(float)scaled, letters[i],
			     suffix) <= limit)
			return;
		if (snprintf(text, CELL_LENGTH, "%lld%c%s", (long long)scaled,
			     letters[i], suffix) <= limit)
			return;
	}
}

/*
 * Signed, as in procps-ng up to 4.0.5: memory committed beyond the limit is
 * negative. 4.0.6 prints 2^54 minus that, to reach 16 exbibytes instead of 8.
 */
static void format_cell(char text[CELL_LENGTH], uint64_t kib,
			const struct free_options *options)
{
	int64_t bytes = (int64_t)(kib * 1024);
	bool si = options->flags & FREE_SI;
	int base = si ? 1000 : 1024;
	int64_t number;

	if (options->flags & FREE_HUMAN) {
		format_human(text, bytes, si);
		return;
	}
	if (options->unit == FREE_UNIT_DEFAULT)
		number = bytes / base;
	else if (options->unit == FREE_UNIT_BYTES)
		number = bytes;
	else
		number = (int64_t)((double)bytes /
				   power(base, (int)options->unit - 1));
	snprintf(text, CELL_LENGTH, "%lld", (long long)number);
}

/* Columns that a label takes on a terminal. */
static int label_width(const char *label)
{
	wchar_t wide[MAX_LABEL];
	size_t length = mbstowcs(wide, label, MAX_LABEL);
	int width;

	if (length == (size_t)-1)
		return 0;
	if (length >= LABEL_WIDTH)
		return LABEL_WIDTH;
	width = wcswidth(wide, length);
	return width > 0 ? width : (int)length;
}

static void print_row(FILE *out, const struct row *row,
		      const uint64_t cells[CELLS],
		      const struct free_options *options)
{
	const char *label = translated(row->label);
	int padding = LABEL_WIDTH - label_width(label);
	char text[CELL_LENGTH];

	fprintf(out, "%s%*s", label, padding > 0 ? padding : 0, "");
	for (int i = 0; row->cells[i] != CELL_NONE; i++) {
		format_cell(text, cells[row->cells[i]], options);
		fprintf(out, "%s%11s", i ? " " : "", text);
	}
	putc('\n', out);
}

static void print_line(FILE *out, const uint64_t cells[CELLS],
		       const struct free_options *options)
{
	char text[CELL_LENGTH];

	for (size_t i = 0; i < sizeof(line) / sizeof(*line); i++) {
		format_cell(text, cells[line[i].cell], options);
		fprintf(out, "%s %11s ", translated(line[i].label), text);
	}
	putc('\n', out);
}

void free_table_print(FILE *out, const struct meminfo *meminfo,
		      const struct free_options *options)
{
	uint64_t cells[CELLS] = { 0 };

	fill_memory(cells, meminfo);
	fill_rest(cells, meminfo);
	if (options->flags & FREE_LINE) {
		print_line(out, cells, options);
		return;
	}
	fprintf(out, "%s\n",
		translated(options->flags & FREE_WIDE ? heading_wide :
							heading));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if ((options->flags & rows[i].mask) == rows[i].flags)
			print_row(out, &rows[i], cells, options);
	}
}
