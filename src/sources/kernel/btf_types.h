/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the types in BTF one by one, for btf.c, which knows what they mean. */
#ifndef BUFSTAT_BTF_TYPES_H
#define BUFSTAT_BTF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/lazy_bytes.h"
#include "lib/error.h"

/* The first 16 bits of BTF, in the byte order of the rest. */
#define BTF_MAGIC 0xeb9f

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
	/* Of a module: the kernel's own, whose strings come before these. */
	struct btf_types *base;
	uint64_t begin; /* where in @bytes the types begin */
	uint64_t strings; /* where in @bytes the strings begin */
	uint32_t size; /* of the types, bytes */
	uint32_t strings_size; /* bytes */
	/* Offsets from @begin of the types read so far, by id; id 0 is void. */
	uint32_t *places;
	uint32_t count; /* how many places, void included */
	uint32_t next; /* place of the first type not read yet */
	bool sorted; /* the types look sorted by name */
	struct error why;
	int failed; /* 0, or a negative errno, explained in @why */
};

static inline enum btf_kind btf_kind_of(const struct btf_type *type)
{
	return type->info >> 24 & 0x1f;
}

static inline uint32_t btf_elements_of(const struct btf_type *type)
{
	return type->info & 0xffff;
}

/* The kind_flag, which means something else for each kind. */
static inline bool btf_flag_of(const struct btf_type *type)
{
	return type->info >> 31;
}

/* How many bytes follow a type for each of its elements. */
uint32_t btf_element_size(enum btf_kind kind);

/*
 * Read the header. @data, or @from, must outlive @types. Return 0, -EBADMSG,
 * -ENOMEM, or the errno of reading; the caller deinits @types in any case.
 */
int btf_types_init(struct btf_types *types, const void *data, size_t size,
		   struct error *err);
int btf_types_init_lazily(struct btf_types *types, lazy_bytes_read read,
			  void *from, uint64_t size, struct error *err);
void btf_types_deinit(struct btf_types *types);

/*
 * Reads one more type, whose id is then @types->count - 1. Returns false at the
 * end, or with @types->failed set if the type is damaged, unknown or cannot be
 * read.
 */
bool btf_types_next(struct btf_types *types);

/*
 * Sets *@place for the type @id, and reads more types if needed. Returns false
 * for void and if there is no such type.
 */
bool btf_types_place(struct btf_types *types, uint32_t id, uint32_t *place);

/* Copies the type at @place. Returns false if it cannot be read. */
bool btf_types_at(struct btf_types *types, uint32_t place,
		  struct btf_type *type);

/*
 * Returns @size of the bytes that follow the type at @place, without the first
 * @skip of them, or NULL. They are valid until the deinit.
 */
const unsigned char *btf_types_after(struct btf_types *types, uint32_t place,
				     uint32_t skip, uint32_t size);

/*
 * Compares, like strcmp(3), the string at @offset with @name, which has @length
 * bytes before its NUL. Returns a positive number if there is no such string.
 */
int btf_types_compare(struct btf_types *types, uint32_t offset,
		      const char *name, size_t length);

/* Returns the first character of the string at @offset, -1 if there is none. */
int btf_types_initial(struct btf_types *types, uint32_t offset);

/*
 * Whether the types look sorted by name, with nameless ones first. Sets
 * @types->sorted.
 */
bool btf_types_look_sorted(struct btf_types *types);

/*
 * Finds the first type of @kind called @name by bisection. Returns false if
 * there is none, which is certain only if the types really are sorted.
 */
bool btf_types_bisect(struct btf_types *types, enum btf_kind kind,
		      const char *name, uint32_t *place);

#endif
