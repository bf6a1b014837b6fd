// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "kallsyms.h"
#include "kallsyms_text.h"

struct scan {
	struct kallsyms_symbol *symbols;
	size_t count;
	bool has_address; /* some symbol has one that is not 0 */
};

static const char *parse_hex(const char *text, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;
	int length = 0;

	*number = 0;
	while (*text && (digit = strchr(digits, *text)) && length++ < 16) {
		*number = *number << 4 | (uint64_t)(digit - digits);
		text++;
	}
	return length ? text : NULL;
}

/* "ffffffff81000000 T _stext"; a module's symbol has "\t[module]" behind it. */
static void take_line(struct scan *scan, const char *line)
{
	uint64_t address;
	const char *rest = parse_hex(line, &address);

	if (!rest || strlen(rest) < 4 || rest[0] != ' ' || rest[2] != ' ')
		return;
	scan->has_address |= address != 0;
	for (size_t i = 0; i < scan->count; i++) {
		if (!scan->symbols[i].address &&
		    strcmp(scan->symbols[i].name, rest + 3) == 0)
			scan->symbols[i].address = address;
	}
}

/* Takes the whole lines of @text; returns what was used. */
static size_t take_lines(struct scan *scan, char *text, size_t size)
{
	size_t used = 0;
	char *end;

	while ((end = memchr(text + used, '\n', size - used))) {
		*end = '\0';
		take_line(scan, text + used);
		used = (size_t)(end - text) + 1;
	}
	return used;
}

static int scan_file(int fd, struct scan *scan)
{
	char buffer[65536];
	size_t filled = 0, used;
	ssize_t got;

	do {
		got = read(fd, buffer + filled, sizeof(buffer) - filled);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		filled += (size_t)got;
		used = take_lines(scan, buffer, filled);
		if (!used && filled == sizeof(buffer))
			return -EBADMSG;
		filled -= used;
		memmove(buffer, buffer + used, filled);
	} while (got && !scan->symbols[0].address);
	return 0;
}

int kallsyms_text_lookup(int fd, struct kallsyms_symbol *symbols, size_t count,
			 struct error *err)
{
	struct scan scan = { .symbols = symbols, .count = count };
	int ret;

	for (size_t i = 0; i < count; i++)
		symbols[i].address = 0;
	ret = scan_file(fd, &scan);
	if (ret < 0)
		return error_set(err, -ret, "reading: /proc/kallsyms: %s",
				 strerror(-ret));
	if (!scan.has_address)
		return error_set(err, EPERM,
				 "/proc/kallsyms hides the addresses (sysctl "
				 "kernel.kptr_restrict=1)");
	return 0;
}
