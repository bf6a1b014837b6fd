/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fuzzers' seeds: types and symbols of real kernels, all of little-endian
 * processors. A big-endian machine is given their twins, with each number in
 * its own byte order, as a kernel of that machine would have it.
 */
#ifndef BUFSTAT_TESTS_SEEDS_H
#define BUFSTAT_TESTS_SEEDS_H

#include <stdio.h>
#include <string.h>

#include "../fuzz/kallsyms_input.h"
#include "lib/sysroot.h"
#include "test.h"

/* Brings @count numbers of @width bytes into this machine's byte order. */
static inline void seed_turn(char *numbers, size_t width, size_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; i < count; i++, numbers += width) {
		for (size_t j = 0; j < width / 2; j++) {
			char byte = numbers[j];

			numbers[j] = numbers[width - 1 - j];
			numbers[width - 1 - j] = byte;
		}
	}
#else
	(void)numbers, (void)width, (void)count;
#endif
}

/* @name: "btf/debian-6.1". The caller frees what it returns. */
static inline char *seed_read(const char *name, size_t *size)
{
	const struct sysroot live = { .fd = -1 };
	char path[512], *data;

	assert_true(snprintf(path, sizeof(path), FIXTURES "/../fuzz/seeds/%s",
			     name) < (int)sizeof(path));
	assert_int_equal(sysroot_read(&live, path, 1 << 20, &data, size), 0);
	return data;
}

/* BTF: the header has a number of two bytes, two bytes, and five words. */
static inline char *seed_read_btf(const char *name, size_t *size)
{
	char *data = seed_read(name, size);
	uint32_t header[6];

	seed_turn(data, 2, 1);
	seed_turn(data + 4, 4, 5);
	memcpy(header, data, sizeof(header));
	seed_turn(data + header[1] + header[2], 4, header[3] / 4);
	return data;
}

/*
 * Tables of symbols: first where they are, then the memory with them, in the
 * order that fuzz/reduce_kallsyms.c writes.
 */
static inline char *seed_read_kallsyms(const char *name, size_t *size,
				       struct kallsyms_input *input)
{
	char *data = seed_read(name, size), *memory = data + sizeof(*input);
	size_t markers;

	seed_turn(data, 8, sizeof(*input) / 8);
	memcpy(input, data, sizeof(*input));
	markers = (input->count + 255) / 256;
	memory -= KALLSYMS_BASE;
	seed_turn(memory + input->offsets, 4, input->count);
	seed_turn(memory + input->names - 16, 8, 1);
	seed_turn(memory + input->names - 8, 4, 1);
	seed_turn(memory + input->token_table - (markers + 1) / 2 * 8, 4,
		  markers);
	seed_turn(memory + input->token_index, 2, 256);
	return data;
}

#endif
