/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input of fuzz_kallsyms: this, followed by the memory at KALLSYMS_BASE. */
#ifndef BUFSTAT_TESTS_KALLSYMS_INPUT_H
#define BUFSTAT_TESTS_KALLSYMS_INPUT_H

#include <stdint.h>

#define KALLSYMS_BASE 0xffffffff82000000ULL

struct kallsyms_input {
	uint64_t stext;
	uint64_t names;
	uint64_t token_table;
	uint64_t token_index;
	uint64_t offsets;
	uint64_t relative_base;
	uint64_t count;
};

#endif
