/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs as an ELF file. tools/bpf compiles it from bpf/fill.bpf.c;
 * whoever builds bufstat needs no compiler for BPF.
 */
#ifndef BUFSTAT_FILL_OBJECT_H
#define BUFSTAT_FILL_OBJECT_H

#include <stddef.h>

extern const unsigned char fill_object[];
extern const size_t fill_object_size; /* bytes */

#endif
