// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"

/* Bytes, of the kernel's log (PRINTK_MESSAGE_MAX and a prefix). */
#define MAX_RECORD 8192
/* The chunk is made before 200 records are written, and before any clock. */
#define RECORDS 400
#define MOST_US 60000000
#define PIECE 65536
/* How much of the symbols is read. There are ten megabytes of them. */
#define MAX_SYMBOLS (4UL * PIECE)
/*
 * Beside the kernel's own variables the chunk has room for those of modules and
 * for the first allocations (PERCPU_MODULE_RESERVE, PERCPU_DYNAMIC_RESERVE; the
 * same from 5.10 to 7.3).
 */
#define RESERVED_BYTES (8192 + 28672)
/* x86 has 62 to 66 pages of 4 KiB from Linux 5.10 to 7.3. */
#define ESTIMATE_BYTES (64UL * 4096)

/* Finds "percpu: Embedded 63 pages/cpu" in a record of the log. */
static bool find_in_record(const char *record, uint64_t *pages)
{
	static const char words[] = "percpu: Embedded ";
	const char *line = strstr(record, words);

	if (!line)
		return false;
	line += strlen(words);
	return number_scan(&line, UINT32_MAX, pages) &&
	       strncmp(line, " pages/cpu", strlen(" pages/cpu")) == 0;
}

/* Whether a record, "6,9947,22543327501,-;text", is not of the boot. */
static bool is_late(const char *record)
{
	uint64_t level, sequence, us;

	return number_scan(&record, UINT32_MAX, &level) && *record++ == ',' &&
	       number_scan(&record, UINT64_MAX, &sequence) &&
	       *record++ == ',' && number_scan(&record, UINT64_MAX, &us) &&
	       us > MOST_US;
}

/*
 * Asks the oldest records of the kernel's log, which are of the boot unless
 * newer ones have taken their place.
 */
static bool ask_log(const struct sysroot *root, uint64_t *pages)
{
	_cleanup_(closep) int fd =
		sysroot_open(root, "/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[MAX_RECORD + 1];

	for (int i = 0; fd >= 0 && i < RECORDS; i++) {
		ssize_t size = read(fd, record, MAX_RECORD);

		if (size < 0)
			return false;
		record[size] = '\0';
		if (is_late(record))
			return false;
		if (find_in_record(record, pages))
			return true;
	}
	return false;
}

struct symbols {
	uint64_t start, end;
	bool has_start, has_end;
};

/* Parses "0000000000036000 A __per_cpu_end". */
static void take_symbol(struct symbols *symbols, const char *line)
{
	char name[32];
	uint64_t address;

	if (sscanf(line, "%16lx %*c %31s", &address, name) != 2)
		return;
	if (strcmp(name, "__per_cpu_start") == 0) {
		symbols->start = address;
		symbols->has_start = true;
	} else if (strcmp(name, "__per_cpu_end") == 0) {
		symbols->end = address;
		symbols->has_end = true;
	}
}

/* Only lines that may be one of the two are parsed: there are 200,000. */
static void take_symbols(struct symbols *symbols, char *text)
{
	char *at = text;

	while ((at = strstr(at, "__per_cpu_"))) {
		char *line = at, end;
		size_t length = strcspn(at, "\n");

		while (line > text && line[-1] != '\n')
			line--;
		end = at[length];
		at[length] = '\0';
		take_symbol(symbols, line);
		at[length] = end;
		at += length;
	}
}

/*
 * Returns false if the symbols are not there or hidden. Before Linux 6.15
 * they are the first on x86. Elsewhere it would take a tenth of a second to
 * find them.
 */
static bool ask_symbols(const struct sysroot *root, uint64_t *bytes)
{
	_cleanup_(closep) int fd =
		sysroot_open(root, "/proc/kallsyms", O_RDONLY);
	struct symbols symbols = { 0 };
	char text[PIECE + 1];
	size_t kept = 0, whole = 0;
	ssize_t got;

	if (fd < 0)
		return false;
	while ((!symbols.has_start || !symbols.has_end) &&
	       whole < MAX_SYMBOLS) {
		char *newline;

		got = read(fd, text + kept, PIECE - kept);
		if (got <= 0)
			break;
		whole += (size_t)got;
		text[kept + (size_t)got] = '\0';
		newline = strrchr(text, '\n');
		if (!newline)
			return false;
		*newline = '\0';
		take_symbols(&symbols, text);
		if (!symbols.has_start)
			return false;
		/* Hidden addresses are all zero; no kernel ends at 0. */
		if (symbols.has_end && !symbols.end)
			return false;
		kept = strlen(newline + 1);
		memmove(text, newline + 1, kept);
	}
	if (!symbols.has_start || !symbols.has_end ||
	    symbols.end <= symbols.start)
		return false;
	*bytes = symbols.end - symbols.start + RESERVED_BYTES;
	return true;
}

int memory_read_first_chunk(struct memory_reading *reading,
			    const struct sysroot *root)
{
	uint64_t pages = 0, bytes = ESTIMATE_BYTES;
	bool known = ask_symbols(root, &bytes);

	if (!known && sysroot_is_live(root))
		known = ask_log(root, &pages);
	reading->estimated_first_chunk = !known;
	if (!pages)
		pages = (bytes + reading->page_size - 1) / reading->page_size;
	if (reading->processors)
		memory_set(&reading->fields, MEMORY_FIRST_CHUNK,
			   (int64_t)(pages * reading->processors));
	return 0;
}
