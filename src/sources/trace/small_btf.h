/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libbpf looks for each type that a program names among all that the kernel
 * has, 150,000 names at a time, and for 40 of them that took most of the start.
 * Given only the types in question it looks among some hundred.
 */
#ifndef BUFSTAT_SMALL_BTF_H
#define BUFSTAT_SMALL_BTF_H

struct sysroot;

/*
 * Makes BTF of those of the kernel's types that have the name of one in
 * @object, a BPF object of this program's own, and of what they hold; pointers
 * lead to void. Returns a memfd, which the caller closes, or -1 if it cannot be
 * made: then libbpf looks among all.
 */
int small_btf_open(const struct sysroot *root, const unsigned char *object);

#endif
