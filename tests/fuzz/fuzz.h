/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every fuzzer includes this. */
#ifndef BUFSTAT_TESTS_FUZZ_H
#define BUFSTAT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Called by libFuzzer with one input; its result is always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Must hold for every input. Not assert(), which may be compiled out. */
#define fuzz_require(condition) ((condition) ? (void)0 : abort())

#endif
