/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF describes the kernel's types (Documentation/bpf/btf.rst), and the kernel
 * has it in its memory. It tells where in a struct a member is. Every index,
 * offset and length in it is checked before use. A kind that is not known here
 * is refused, because its length is not known either.
 *
 * Only those parts of its megabytes are read that a lookup needs. BTF has no
 * index, so a lookup reads it from the start, where the types are that every
 * part of the kernel uses. If it is sorted by name (Linux 7.3), structs are
 * found by bisection.
 */
#ifndef BUFSTAT_BTF_H
#define BUFSTAT_BTF_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/lazy_bytes.h"

struct btf_types;
struct error;

struct btf {
	struct btf_types *types; /* those read so far */
};

/*
 * Reads the header of @data, which the caller owns and which must outlive @btf.
 * Returns 0, -EBADMSG with what is wrong with the header, or -ENOMEM.
 */
int btf_init(struct btf *btf, const void *data, size_t size, struct error *err);

/*
 * The same for that of a module, which goes on where @base, the kernel's own,
 * ends, and which must outlive @btf. Only members of its structs are found that
 * are in no other struct, also none without a name; their sizes are the room up
 * to the next member.
 */
int btf_init_module(struct btf *btf, const struct btf *base, const void *data,
		    size_t size, struct error *err);

/*
 * As btf_init() for at most @size bytes, which @read reads from @from when they
 * are needed. Returns as btf_init(), or the errno of reading.
 */
int btf_init_lazily(struct btf *btf, lazy_bytes_read read, void *from,
		    uint64_t size, struct error *err);
void btf_deinit(struct btf *btf);

/*
 * Returns 0, -EBADMSG if a type is damaged or of an unknown kind, or the errno
 * of reading. Unless it is 0, what was not found may still be there.
 */
int btf_failed(const struct btf *btf, struct error *err);

/* A struct to find by name, and what was found. */
struct btf_struct {
	const char *name;
	uint32_t id; /* 0: not found; other values mean something to btf.c */
	uint32_t size; /* bytes */
};

/* Finds @count structs by name; if several have one name, the first of them. */
void btf_find_structs(const struct btf *btf, struct btf_struct *structs,
		      size_t count);

/*
 * Sets the offset and the size, in bytes, of the member @path, which is
 * "member", "member.member" or "member:STRUCT.member". Members of anonymous
 * structs and unions count as the struct's own. STRUCT is the name of the
 * struct that the member before it is; with it, sorted BTF need not be read
 * from the start. If BTF is sorted, the member's type may be far away, and
 * the size is the room up to the next member. Returns 0, -ENOENT if there is no
 * such member, or -EBADMSG if it is a bit field or its type has no size.
 */
int btf_find_member(const struct btf *btf, const struct btf_struct *in,
		    const char *path, uint32_t *offset, uint32_t *size);

/*
 * The same, of a member that other kernels call @other_path, which may be NULL.
 * Returns -ENOENT also if there is no such struct.
 */
int btf_find_renamed(const struct btf *btf, const struct btf_struct *in,
		     const char *path, const char *other_path, uint32_t *offset,
		     uint32_t *size);

/*
 * The value of @name in the enum called @enumeration, the first of that name.
 * Returns 0, -ENOENT if there is no such thing, or -EBADMSG if it is negative.
 */
int btf_find_enumerator(const struct btf *btf, const char *enumeration,
			const char *name, uint32_t *value);

/*
 * The same for an enum without a name, if it is among the first @most types.
 */
int btf_find_constant(const struct btf *btf, const char *name, uint32_t most,
		      uint32_t *value);

#endif
