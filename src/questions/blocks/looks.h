/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_LOOKS_H
#define BUFSTAT_LOOKS_H

#include <stddef.h>

#include "blocks/block_kind.h"

/*
 * What the @size bytes of a block look like. It is a guess by a magic number or
 * a form: a journal has copies that look like what was copied, and a file may
 * hold anything.
 */
enum block_look block_look_of(const unsigned char *bytes, size_t size);

#endif
