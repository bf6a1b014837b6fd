/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the compressed names of kallsyms one after the other. */
#ifndef BUFSTAT_KALLSYMS_NAMES_H
#define BUFSTAT_KALLSYMS_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct kmem;

/* No name has more tokens: KSYM_NAME_LEN is 512. */
#define KALLSYMS_MAX_TOKENS 1024

struct kallsyms_names {
	const struct kmem *kmem;
	uint64_t address; /* of the next byte to read */
	size_t begin; /* of the bytes in buffer that were not used yet */
	size_t end; /* of those bytes */
	unsigned char buffer[65536];
};

void kallsyms_names_init(struct kallsyms_names *names, const struct kmem *kmem,
			 uint64_t address);

/*
 * The slow path of kallsyms_names_next(): for a name that is long, or whose end
 * may not be in the buffer.
 */
int kallsyms_names_next_slowly(struct kallsyms_names *names,
			       const unsigned char **tokens, size_t *count);

/*
 * Sets *@tokens and *@count to those of the next name. *@tokens is valid until
 * the next call. Returns 0, or -EBADMSG if there is no name. Inline, because a
 * kernel has some 200,000 names.
 */
static inline int kallsyms_names_next(struct kallsyms_names *names,
				      const unsigned char **tokens,
				      size_t *count)
{
	const unsigned char *name = names->buffer + names->begin;

	if (names->end - names->begin < KALLSYMS_MAX_TOKENS + 2 ||
	    (unsigned char)(*name - 1) >= 0x7f)
		return kallsyms_names_next_slowly(names, tokens, count);
	*tokens = name + 1;
	*count = *name;
	names->begin += 1U + *name;
	return 0;
}

/* Returns the address after the last name that was returned. */
uint64_t kallsyms_names_position(const struct kallsyms_names *names);

/*
 * Sets *@end to the address after the last of @count names at @address. Returns
 * 0, -EBADMSG if these are not names, or -ENOMEM.
 */
int kallsyms_names_end(const struct kmem *kmem, uint64_t address,
		       uint32_t count, uint64_t *end);

#endif
