// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"

/* Of syslog(2), which has no header with their names. */
enum { LOG_READ_ALL = 3, LOG_SIZE = 10 };

#define MAX_LOG (32U << 20)
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

/* Finds "percpu: Embedded 63 pages/cpu" in the log. */
static bool find_in_log(const char *log, uint64_t *pages)
{
	static const char words[] = "percpu: Embedded ";
	const char *line = strstr(log, words);

	if (!line)
		return false;
	line += strlen(words);
	return number_scan(&line, UINT32_MAX, pages) &&
	       strncmp(line, " pages/cpu", strlen(" pages/cpu")) == 0;
}

/* Returns 1, 0 if the log has no such line or may not be read, or -ENOMEM. */
static int ask_log(uint64_t *pages)
{
	_cleanup_(freep) char *log = NULL;
	int size = klogctl(LOG_SIZE, NULL, 0);

	if (size <= 0 || (unsigned int)size > MAX_LOG)
		return 0;
	log = malloc((size_t)size + 1);
	if (!log)
		return -ENOMEM;
	size = klogctl(LOG_READ_ALL, log, size);
	if (size < 0)
		return 0;
	log[size] = '\0';
	return find_in_log(log, pages);
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
 * Returns 1, or 0 if the symbols are not there or hidden. Before Linux 6.15
 * they are the first on x86. Elsewhere it would take a tenth of a second to
 * find them.
 */
static int ask_symbols(const struct sysroot *root, uint64_t *bytes)
{
	_cleanup_(closep) int fd =
		sysroot_open(root, "/proc/kallsyms", O_RDONLY);
	struct symbols symbols = { 0 };
	char text[PIECE + 1];
	size_t kept = 0, whole = 0;
	ssize_t got;

	if (fd < 0)
		return 0;
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
			return 0;
		*newline = '\0';
		take_symbols(&symbols, text);
		if (!symbols.has_start)
			return 0;
		/* Hidden addresses are all zero; no kernel ends at 0. */
		if (symbols.has_end && !symbols.end)
			return 0;
		kept = strlen(newline + 1);
		memmove(text, newline + 1, kept);
	}
	if (!symbols.has_start || !symbols.has_end ||
	    symbols.end <= symbols.start)
		return 0;
	*bytes = symbols.end - symbols.start + RESERVED_BYTES;
	return 1;
}

int memory_read_first_chunk(struct memory_reading *reading,
			    const struct sysroot *root)
{
	uint64_t pages = 0, bytes = 0;
	int ret = 0;

	reading->estimated_first_chunk = !ask_symbols(root, &bytes);
	if (reading->estimated_first_chunk && sysroot_is_live(root))
		ret = ask_log(&pages);
	if (ret < 0)
		return ret;
	if (ret)
		reading->estimated_first_chunk = false;
	else if (reading->estimated_first_chunk)
		bytes = ESTIMATE_BYTES;
	if (!pages)
		pages = (bytes + reading->page_size - 1) / reading->page_size;
	if (reading->processors)
		memory_set(&reading->fields, MEMORY_FIRST_CHUNK,
			   (int64_t)(pages * reading->processors));
	return 0;
}
