/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types in BTF, one by one; for btf.c, which knows what they mean. */
#ifndef BUFSTAT_BTF_TYPES_H
#define BUFSTAT_BTF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/lazy_bytes.h"
#include "lib/error.h"

/* The kernel's struct btf_type. */
struct btf_type {
	uint32_t name;
	uint32_t info;
	uint32_t size; /* or the id of the type it refers to */
};

enum btf_kind {
	BTF_INT = 1,
	BTF_PTR,
	BTF_ARRAY,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FWD,
	BTF_TYPEDEF,
	BTF_VOLATILE,
	BTF_CONST,
	BTF_RESTRICT,
	BTF_FUNC,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_FLOAT, /* Linux 5.13 */
	BTF_DECL_TAG, /* 5.16 */
	BTF_TYPE_TAG, /* 5.17 */
	BTF_ENUM64, /* 6.0 */
	BTF_KINDS
};

struct btf_types {
	struct lazy_bytes bytes;
	uint64_t begin; /* of the types in @bytes */
	uint64_t strings;
	uint32_t size; /* of the types, bytes */
	uint32_t strings_size;
	uint32_t *places; /* of the types met so far, by id; 0 is void */
	uint32_t count; /* of those, void among them */
	uint32_t next; /* the place after them */
	bool sorted; /* they look as if they were */
	struct error why;
	int failed; /* a negative errno, for @why */
};

static inline enum btf_kind btf_kind_of(const struct btf_type *type)
{
	return type->info >> 24 & 0x1f;
}

static inline uint32_t btf_elements_of(const struct btf_type *type)
{
	return type->info & 0xffff;
}

/* Bits of which each kind makes its own use. */
static inline bool btf_flag_of(const struct btf_type *type)
{
	return type->info >> 31;
}

/* What stands after a type for each of its elements, in bytes. */
uint32_t btf_element_size(enum btf_kind kind);

/* Reads the header: 0, -EBADMSG, -ENOMEM, or the errno of reading. */
int btf_types_init(struct btf_types *types, const void *data, size_t size,
		   struct error *err);
int btf_types_init_lazily(struct btf_types *types, lazy_bytes_read read,
			  void *from, uint64_t size, struct error *err);
void btf_types_deinit(struct btf_types *types);

/*
 * Meets one type more, whose id is then the last. False at the end, and with
 * @types->failed set if it is not as it should be.
 */
bool btf_types_next(struct btf_types *types);

/* The place of the type @id; false if there is none. */
bool btf_types_place(struct btf_types *types, uint32_t id, uint32_t *place);

/* The type at @place, which is one that the functions here have given. */
bool btf_types_at(struct btf_types *types, uint32_t place,
		  struct btf_type *type);

/* What stands after it, @size bytes at @skip; NULL as lazy_bytes_at(). */
const unsigned char *btf_types_after(struct btf_types *types, uint32_t place,
				     uint32_t skip, uint32_t size);

/*
 * Is the string at @offset @name, of @length bytes? Negative if it comes before
 * it in the order of strcmp(3), positive after it, also if there is none.
 */
int btf_types_compare(struct btf_types *types, uint32_t offset,
		      const char *name, size_t length);

/* The first character of that string; -1 if there is none. */
int btf_types_initial(struct btf_types *types, uint32_t offset);

/*
 * May the types be in the order of their names, those without one first? Sets
 * @types->sorted.
 */
bool btf_types_look_sorted(struct btf_types *types);

/*
 * Bisects for the first type of @kind called @name. That there is none is
 * certain only where the types are sorted indeed.
 */
bool btf_types_bisect(struct btf_types *types, enum btf_kind kind,
		      const char *name, uint32_t *place);

#endif
