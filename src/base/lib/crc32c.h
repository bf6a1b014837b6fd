/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CRC32C_H
#define BUFSTAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Goes on with a CRC32C (Castagnoli, as iSCSI and ext4 have it) over @size
 * bytes. @crc is 0 at first, else what the last call returned.
 */
uint32_t crc32c(uint32_t crc, const void *data, size_t size);

#endif
