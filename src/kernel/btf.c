// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "btf.h"
#include "error.h"

#define MAGIC 0xeb9f
#define VERSION 1
#define POINTER_SIZE 8

/* Real ones nest less than ten deep; one that does not end is not real. */
#define MAX_DEPTH 32

/* Anonymous structs within one that is looked through; real ones have dozens. */
#define MAX_ANONYMOUS 1000

/* The kernel's struct btf_header; later kernels put more behind it. */
struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_size;
	uint32_t types_offset; /* from the header's end, as the next */
	uint32_t types_size;
	uint32_t strings_offset;
	uint32_t strings_size;
};

/* struct btf_type. */
struct type {
	uint32_t name;
	uint32_t info;
	uint32_t size; /* or the id of the type it refers to */
};

/* struct btf_member. */
struct member {
	uint32_t name;
	uint32_t type;
	uint32_t offset; /* in bits; see member_offset() */
};

enum kind {
	KIND_INT = 1,
	KIND_PTR,
	KIND_ARRAY,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FWD,
	KIND_TYPEDEF,
	KIND_VOLATILE,
	KIND_CONST,
	KIND_RESTRICT,
	KIND_FUNC,
	KIND_FUNC_PROTO,
	KIND_VAR,
	KIND_DATASEC,
	KIND_FLOAT, /* Linux 5.13 */
	KIND_DECL_TAG, /* 5.16 */
	KIND_TYPE_TAG, /* 5.17 */
	KIND_ENUM64, /* 6.0 */
	KINDS
};

/* What follows a type: so much, and so much for each of its elements. */
static const struct {
	unsigned char fixed;
	unsigned char each;
} extra[KINDS] = {
	[KIND_INT] = { 4, 0 },	    [KIND_ARRAY] = { 12, 0 },
	[KIND_STRUCT] = { 0, 12 },  [KIND_UNION] = { 0, 12 },
	[KIND_ENUM] = { 0, 8 },	    [KIND_FUNC_PROTO] = { 0, 8 },
	[KIND_VAR] = { 4, 0 },	    [KIND_DATASEC] = { 0, 12 },
	[KIND_DECL_TAG] = { 4, 0 }, [KIND_ENUM64] = { 0, 12 },
};

/* Up to 6.x the bits between the two were zero. */
static unsigned int kind_of(const struct type *type)
{
	return type->info >> 24 & 0x1f;
}

static uint32_t elements_of(const struct type *type)
{
	return type->info & 0xffff;
}

/* Types lie at multiples of four bytes in a buffer that need not. */
static struct type type_at(const struct btf *btf, uint32_t offset)
{
	struct type type;

	memcpy(&type, btf->types + offset, sizeof(type));
	return type;
}

static const char *string_at(const struct btf *btf, uint32_t offset)
{
	return offset < btf->strings_size ? btf->strings + offset : "";
}

static bool fits(uint32_t offset, uint32_t length, size_t size)
{
	return offset <= size && length <= size - offset;
}

static int check_header(struct btf *btf, const unsigned char *data, size_t size,
			struct error *err)
{
	struct header header;
	size_t rest;

	if (size < sizeof(header))
		return error_set(err, EBADMSG, "no room for a header");
	memcpy(&header, data, sizeof(header));
	if (header.magic != MAGIC)
		return error_set(err, EBADMSG, "not BTF of this byte order");
	if (header.version != VERSION)
		return error_set(err, EBADMSG, "version %u is not known",
				 header.version);
	if (header.header_size < sizeof(header) || header.header_size > size)
		return error_set(err, EBADMSG, "a header of %u bytes",
				 header.header_size);
	rest = size - header.header_size;
	if (!fits(header.types_offset, header.types_size, rest) ||
	    !fits(header.strings_offset, header.strings_size, rest))
		return error_set(err, EBADMSG, "sections past its end");

	data += header.header_size;
	btf->types = data + header.types_offset;
	btf->types_size = header.types_size;
	btf->strings = (const char *)data + header.strings_offset;
	btf->strings_size = header.strings_size;
	if (!btf->strings_size || btf->strings[btf->strings_size - 1])
		return error_set(err, EBADMSG, "strings without an end");
	return 0;
}

/* The bytes that the type at @offset takes, 0 with @err if it is a bad one. */
static uint32_t type_length(const struct btf *btf, uint32_t offset,
			    struct error *err)
{
	uint32_t left = btf->types_size - offset;
	struct type type;
	uint64_t length;
	unsigned int kind;

	if (left < sizeof(type)) {
		error_set(err, EBADMSG, "type %u is cut off", btf->count);
		return 0;
	}
	type = type_at(btf, offset);
	kind = kind_of(&type);
	if (!kind || kind >= KINDS || (type.info >> 16 & 0xff) ||
	    (type.info >> 29 & 3)) {
		error_set(err, EBADMSG,
			  "type %u has the bits %#x, a kind that this bufstat "
			  "does not know",
			  btf->count, type.info);
		return 0;
	}
	length = sizeof(type) + extra[kind].fixed +
		 (uint64_t)extra[kind].each * elements_of(&type);
	if (length > left) {
		error_set(err, EBADMSG, "type %u is cut off", btf->count);
		return 0;
	}
	return (uint32_t)length;
}

static int index_types(struct btf *btf, struct error *err)
{
	/* No type is shorter than 12 bytes. */
	uint32_t most = btf->types_size / sizeof(struct type) + 1;
	uint32_t offset = 0, length;

	btf->offsets = malloc(most * sizeof(*btf->offsets));
	if (!btf->offsets)
		return error_set(err, ENOMEM, "%s", strerror(ENOMEM));
	btf->offsets[0] = 0;
	btf->count = 1;
	while (offset < btf->types_size) {
		length = type_length(btf, offset, err);
		if (!length)
			return -EBADMSG;
		btf->offsets[btf->count++] = offset;
		offset += length;
	}
	return 0;
}

int btf_init(struct btf *btf, const void *data, size_t size, struct error *err)
{
	int ret;

	*btf = (struct btf){ 0 };
	ret = check_header(btf, data, size, err);
	if (!ret)
		ret = index_types(btf, err);
	if (ret < 0)
		btf_deinit(btf);
	return ret;
}

void btf_deinit(struct btf *btf)
{
	free(btf->offsets);
	*btf = (struct btf){ 0 };
}

static void note_struct(const struct btf *btf, uint32_t id,
			const struct type *type, struct btf_struct *structs,
			size_t count)
{
	const char *name = string_at(btf, type->name);

	for (size_t i = 0; i < count; i++) {
		if (!structs[i].id && strcmp(structs[i].name, name) == 0) {
			structs[i].id = id;
			structs[i].size = type->size;
		}
	}
}

void btf_find_structs(const struct btf *btf, struct btf_struct *structs,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		structs[i].id = 0;
	for (uint32_t id = 1; id < btf->count; id++) {
		struct type type = type_at(btf, btf->offsets[id]);

		if (kind_of(&type) == KIND_STRUCT)
			note_struct(btf, id, &type, structs, count);
	}
}

/*
 * Follows typedefs and qualifiers to what has a size. False if that is void,
 * or if they do not end.
 */
static bool resolve(const struct btf *btf, uint32_t id, struct type *type,
		    uint32_t *resolved)
{
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (!id || id >= btf->count)
			return false;
		*type = type_at(btf, btf->offsets[id]);
		*resolved = id;
		switch (kind_of(type)) {
		case KIND_TYPEDEF:
		case KIND_VOLATILE:
		case KIND_CONST:
		case KIND_RESTRICT:
		case KIND_TYPE_TAG:
			id = type->size;
			break;
		default:
			return true;
		}
	}
	return false;
}

static bool size_of(const struct btf *btf, uint32_t id, int depth,
		    uint32_t *size)
{
	struct {
		uint32_t type;
		uint32_t index_type;
		uint32_t elements;
	} array;
	struct type type;

	if (!depth || !resolve(btf, id, &type, &id))
		return false;
	switch (kind_of(&type)) {
	case KIND_INT:
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_ENUM:
	case KIND_ENUM64:
	case KIND_FLOAT:
		*size = type.size;
		return true;
	case KIND_PTR:
		*size = POINTER_SIZE;
		return true;
	case KIND_ARRAY:
		memcpy(&array, btf->types + btf->offsets[id] + sizeof(type),
		       sizeof(array));
		return size_of(btf, array.type, depth - 1, size) &&
		       !__builtin_mul_overflow(*size, array.elements, size);
	default:
		return false;
	}
}

/* A member that was looked for. */
struct place {
	uint32_t type;
	uint32_t offset; /* bytes */
	int left; /* anonymous structs to look through at most */
};

/* False for a bit field, and for what does not begin at a byte. */
static bool member_offset(const struct type *type, const struct member *member,
			  uint32_t *offset)
{
	/* Some types say which of their members are bit fields. */
	bool has_widths = type->info >> 31;
	uint32_t bits = has_widths ? member->offset & 0xffffff : member->offset;

	if ((has_widths && member->offset >> 24) || bits % 8)
		return false;
	*offset = bits / 8;
	return true;
}

static int find_in(const struct btf *btf, uint32_t id, const char *name,
		   size_t length, int depth, struct place *place);

static int try_member(const struct btf *btf, const struct type *type,
		      const struct member *member, const char *name,
		      size_t length, int depth, struct place *place)
{
	const char *own = string_at(btf, member->name);
	uint32_t offset;
	int ret;

	if (*own) {
		if (strncmp(own, name, length) != 0 || own[length])
			return -ENOENT;
		place->type = member->type;
		return member_offset(type, member, &place->offset) ? 0 :
								     -EBADMSG;
	}
	ret = find_in(btf, member->type, name, length, depth - 1, place);
	if (ret < 0)
		return ret;
	if (!member_offset(type, member, &offset) ||
	    __builtin_add_overflow(place->offset, offset, &place->offset))
		return -EBADMSG;
	return 0;
}

static int find_in(const struct btf *btf, uint32_t id, const char *name,
		   size_t length, int depth, struct place *place)
{
	struct type type;
	int ret = -ENOENT;

	if (!depth || place->left-- <= 0 || !resolve(btf, id, &type, &id) ||
	    (kind_of(&type) != KIND_STRUCT && kind_of(&type) != KIND_UNION))
		return -ENOENT;
	for (uint32_t i = 0; ret == -ENOENT && i < elements_of(&type); i++) {
		struct member member;

		memcpy(&member,
		       btf->types + btf->offsets[id] + sizeof(type) +
			       i * sizeof(member),
		       sizeof(member));
		ret = try_member(btf, &type, &member, name, length, depth,
				 place);
	}
	return ret;
}

int btf_find_member(const struct btf *btf, const struct btf_struct *in,
		    const char *path, uint32_t *offset, uint32_t *size)
{
	struct place place = { .type = in->id, .left = MAX_ANONYMOUS };

	*offset = 0;
	for (;;) {
		size_t length = strcspn(path, ".");
		int ret = find_in(btf, place.type, path, length, MAX_DEPTH,
				  &place);

		if (ret < 0)
			return ret;
		if (__builtin_add_overflow(*offset, place.offset, offset))
			return -EBADMSG;
		path += length;
		if (!*path)
			break;
		path++;
	}
	return size_of(btf, place.type, MAX_DEPTH, size) ? 0 : -EBADMSG;
}

/* One of @type, which is an enum, at @at; -ENOENT if it is not called @name. */
static int take_enumerator(const struct btf *btf, const struct type *type,
			   const unsigned char *at, const char *name,
			   uint64_t *value)
{
	bool is_signed = type->info >> 31;
	struct {
		uint32_t name;
		uint32_t low;
		uint32_t high; /* not in an enum of 32 bits */
	} enumerator = { 0 };

	memcpy(&enumerator, at, extra[kind_of(type)].each);
	if (strcmp(string_at(btf, enumerator.name), name) != 0)
		return -ENOENT;
	if (kind_of(type) == KIND_ENUM && is_signed)
		enumerator.high = -(enumerator.low >> 31);
	*value = (uint64_t)enumerator.high << 32 | enumerator.low;
	return 0;
}

int btf_find_enumerator(const struct btf *btf, const char *name,
			uint64_t *value)
{
	for (uint32_t id = 1; id < btf->count; id++) {
		struct type type = type_at(btf, btf->offsets[id]);
		const unsigned char *at =
			btf->types + btf->offsets[id] + sizeof(type);

		if (kind_of(&type) != KIND_ENUM &&
		    kind_of(&type) != KIND_ENUM64)
			continue;
		for (uint32_t i = 0; i < elements_of(&type); i++) {
			if (take_enumerator(btf, &type, at, name, value) == 0)
				return 0;
			at += extra[kind_of(&type)].each;
		}
	}
	return -ENOENT;
}
