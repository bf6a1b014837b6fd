/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressed names, one after the other. */
#ifndef BUFSTAT_KALLSYMS_NAMES_H
#define BUFSTAT_KALLSYMS_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct kmem;

/* No name has more tokens: KSYM_NAME_LEN is 512. */
#define KALLSYMS_MAX_TOKENS 1024

struct kallsyms_names {
	const struct kmem *kmem;
	uint64_t address; /* of what has not been read yet */
	size_t begin; /* of what has been read and not been used */
	size_t end;
	unsigned char buffer[65536];
};

void kallsyms_names_init(struct kallsyms_names *names, const struct kmem *kmem,
			 uint64_t address);

/* For those that are long, or may not be in the buffer to their end. */
int kallsyms_names_next_slowly(struct kallsyms_names *names,
			       const unsigned char **tokens, size_t *count);

/*
 * The next name: *@tokens is valid until the next call. Returns 0, or -EBADMSG
 * where there is none. A kernel has some 200,000.
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

/* The address of what follows the last name returned. */
uint64_t kallsyms_names_position(const struct kallsyms_names *names);

/*
 * Sets *@end to the address after the last of @count names at @address. Returns
 * 0, -EBADMSG if these are no names, or -ENOMEM.
 */
int kallsyms_names_end(const struct kmem *kmem, uint64_t address,
		       uint32_t count, uint64_t *end);

#endif
