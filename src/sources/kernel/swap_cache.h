/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_SWAP_CACHE_H
#define BUFSTAT_SWAP_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;

/*
 * Adds up the pages of the swap cache, as total_swapcache_pages() does on
 * kernels that do not count them (NR_SWAPCACHE, Linux 5.12): it has mappings of
 * its own for each area of swap. Returns false if they are not to be found.
 */
bool swap_cache_pages(struct kernel *kernel, uint64_t *pages);

#endif
