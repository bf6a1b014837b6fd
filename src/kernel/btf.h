/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF, the kernel's types as the kernel itself carries them
 * (Documentation/bpf/btf.rst): where in a struct a member is. Every index,
 * offset and length in it is checked before use; a kind that is not known here
 * is refused, because its length is not known either.
 */
#ifndef BUFSTAT_BTF_H
#define BUFSTAT_BTF_H

#include <stddef.h>
#include <stdint.h>

struct error;

struct btf {
	const unsigned char *types;
	uint32_t types_size; /* bytes */
	const char *strings; /* ends with a NUL */
	uint32_t strings_size; /* bytes */
	uint32_t *offsets; /* of a type in @types, by its id; 0 is void */
	uint32_t count; /* of types, void among them */
};

/*
 * Reads the structure of @data, which stays the caller's and must outlive
 * @btf. Returns 0, -EBADMSG with what is wrong with it, or -ENOMEM.
 */
int btf_init(struct btf *btf, const void *data, size_t size, struct error *err);
void btf_deinit(struct btf *btf);

/* A struct by its name and what was found out about it. */
struct btf_struct {
	const char *name;
	uint32_t id; /* 0: not there */
	uint32_t size; /* bytes */
};

/* Finds @count structs by their names, the first of each, in one pass. */
void btf_find_structs(const struct btf *btf, struct btf_struct *structs,
		      size_t count);

/*
 * Where @path, "member" or "member.member", is in a struct, and how large; both
 * in bytes. Members of anonymous structs and unions are the struct's own.
 * Returns 0, -ENOENT if there is no such member, or -EBADMSG if it is a bit
 * field or of a type that has no size.
 */
int btf_find_member(const struct btf *btf, const struct btf_struct *in,
		    const char *path, uint32_t *offset, uint32_t *size);

/*
 * The value of the first enumerator called @name, of whichever enum; enums
 * often have no name. One that may be negative (the enum says so since Linux
 * 6.0) comes as 64 bits with its sign, others without. Returns 0 or -ENOENT.
 */
int btf_find_enumerator(const struct btf *btf, const char *name,
			uint64_t *value);

#endif
