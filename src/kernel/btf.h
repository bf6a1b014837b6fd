/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF, the kernel's types as the kernel itself carries them
 * (Documentation/bpf/btf.rst): where in a struct a member is. Every index,
 * offset and length in it is checked before use; a kind that is not known here
 * is refused, because its length is not known either.
 *
 * Of its megabytes only those are read that a question leads through. Without
 * an index of its own it is gone through from the start, where the types are
 * that every part of the kernel uses; where it is sorted by name (Linux 7.3)
 * structs are found by bisection.
 */
#ifndef BUFSTAT_BTF_H
#define BUFSTAT_BTF_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/lazy_bytes.h"

struct btf_types;
struct error;

struct btf {
	struct btf_types *types; /* what has been read of them so far */
};

/*
 * Reads the header of @data, which stays the caller's and must outlive @btf.
 * Returns 0, -EBADMSG with what is wrong with it, or -ENOMEM.
 */
int btf_init(struct btf *btf, const void *data, size_t size, struct error *err);

/*
 * The same of at most @size bytes that @read has. Returns as btf_init(), or
 * the errno of reading.
 */
int btf_init_lazily(struct btf *btf, lazy_bytes_read read, void *from,
		    uint64_t size, struct error *err);
void btf_deinit(struct btf *btf);

/*
 * Something that is not found may be there if this is not 0: -EBADMSG for a
 * type that is not as it should be, or the errno of reading.
 */
int btf_failed(const struct btf *btf, struct error *err);

/* A struct by its name and what was found out about it. */
struct btf_struct {
	const char *name;
	uint32_t id; /* 0: not there; else it is of use to btf.c only */
	uint32_t size; /* bytes */
};

/* Finds @count structs by their names, the first of each. */
void btf_find_structs(const struct btf *btf, struct btf_struct *structs,
		      size_t count);

/*
 * Where @path, "member" or "member.member", is in a struct, and how large; both
 * in bytes. Members of anonymous structs and unions are the struct's own. Where
 * BTF is sorted, the member's type may be far away: then the size is the room
 * that there is for it, up to the next member. Returns 0, -ENOENT if there is
 * no such member, or -EBADMSG if it is a bit field or of a type that has no
 * size.
 */
int btf_find_member(const struct btf *btf, const struct btf_struct *in,
		    const char *path, uint32_t *offset, uint32_t *size);

/*
 * The value of @name in the enum called @enumeration, the first of that name.
 * Returns 0, -ENOENT if there is no such thing, or -EBADMSG if it is negative.
 */
int btf_find_enumerator(const struct btf *btf, const char *enumeration,
			const char *name, uint32_t *value);

#endif
