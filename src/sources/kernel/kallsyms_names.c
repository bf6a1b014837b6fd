// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms_names.h"
#include "kernel/kmem.h"
#include "lib/cleanup.h"

void kallsyms_names_init(struct kallsyms_names *names, const struct kmem *kmem,
			 uint64_t address)
{
	names->kmem = kmem;
	names->address = address;
	names->begin = 0;
	names->end = 0;
}

static void refill(struct kallsyms_names *names)
{
	size_t left = names->end - names->begin;
	size_t got;

	memmove(names->buffer, names->buffer + names->begin, left);
	got = kmem_read_some(names->kmem, names->address, names->buffer + left,
			     sizeof(names->buffer) - left);
	names->address += got;
	names->begin = 0;
	names->end = left + got;
}

int kallsyms_names_next_slowly(struct kallsyms_names *names,
			       const unsigned char **tokens, size_t *count)
{
	const unsigned char *name;
	size_t left, length, prefix = 1;

	if (names->end - names->begin < KALLSYMS_MAX_TOKENS + 2)
		refill(names);
	name = names->buffer + names->begin;
	left = names->end - names->begin;
	if (left < 2)
		return -EBADMSG;

	/* A length up to 127 takes one byte, a larger one two (Linux 6.1). */
	length = name[0];
	if (length & 0x80) {
		length = (length & 0x7f) | (size_t)name[1] << 7;
		prefix = 2;
	}
	if (!length || length > KALLSYMS_MAX_TOKENS || length > left - prefix)
		return -EBADMSG;
	*tokens = name + prefix;
	*count = length;
	names->begin += prefix + length;
	return 0;
}

uint64_t kallsyms_names_position(const struct kallsyms_names *names)
{
	return names->address - (names->end - names->begin);
}

int kallsyms_names_end(const struct kmem *kmem, uint64_t address,
		       uint32_t count, uint64_t *end)
{
	_cleanup_(freep) struct kallsyms_names *walk = malloc(sizeof(*walk));
	const unsigned char *tokens;
	size_t length;

	if (!walk)
		return -ENOMEM;
	kallsyms_names_init(walk, kmem, address);
	for (uint32_t i = 0; i < count; i++) {
		if (kallsyms_names_next(walk, &tokens, &length) < 0)
			return -EBADMSG;
	}
	*end = kallsyms_names_position(walk);
	return 0;
}
