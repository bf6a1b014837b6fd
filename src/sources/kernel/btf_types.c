// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/btf_types.h"
#include "kernel/kmem.h"

#define VERSION 1

/* Bytes. The BTF of Debian's kernels takes 3.5 to 5.5 MB. */
#define MAX_SIZE (64U << 20)

/* The kernel's struct btf_header; later kernels put more after it. */
struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_size;
	uint32_t types_offset; /* from the header's end, like strings_offset */
	uint32_t types_size;
	uint32_t strings_offset;
	uint32_t strings_size;
};

/* How many bytes follow a type: a fixed number, and more for each element. */
static const struct {
	unsigned char fixed;
	unsigned char each;
} extra[BTF_KINDS] = {
	[BTF_INT] = { 4, 0 },	   [BTF_ARRAY] = { 12, 0 },
	[BTF_STRUCT] = { 0, 12 },  [BTF_UNION] = { 0, 12 },
	[BTF_ENUM] = { 0, 8 },	   [BTF_FUNC_PROTO] = { 0, 8 },
	[BTF_VAR] = { 4, 0 },	   [BTF_DATASEC] = { 0, 12 },
	[BTF_DECL_TAG] = { 4, 0 }, [BTF_ENUM64] = { 0, 12 },
};

uint32_t btf_element_size(enum btf_kind kind)
{
	return extra[kind].each;
}

static bool fits(uint32_t offset, uint32_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

/* Sets where the sections are. @size is that of all of BTF, in bytes. */
static int take_header(struct btf_types *types, const struct header *header,
		       uint64_t size, struct error *err)
{
	uint64_t rest;

	if (header->magic != BTF_MAGIC)
		return error_set(err, EBADMSG, "not BTF of this byte order");
	if (header->version != VERSION)
		return error_set(err, EBADMSG, "version %u is not known",
				 header->version);
	if (header->header_size < sizeof(*header) || header->header_size > size)
		return error_set(err, EBADMSG, "a header of %u bytes",
				 header->header_size);
	rest = size - header->header_size;
	if (!fits(header->types_offset, header->types_size, rest) ||
	    !fits(header->strings_offset, header->strings_size, rest))
		return error_set(err, EBADMSG, "sections past its end");
	types->begin = (uint64_t)header->header_size + header->types_offset;
	types->size = header->types_size;
	types->strings = (uint64_t)header->header_size + header->strings_offset;
	types->strings_size = header->strings_size;

	/* No type is shorter than 12 bytes. */
	types->places = malloc((types->size / sizeof(struct btf_type) + 1) *
			       sizeof(*types->places));
	if (!types->places)
		return error_errno(err, ENOMEM, NULL, NULL);
	types->places[0] = 0;
	types->count = 1;
	return 0;
}

int btf_types_init(struct btf_types *types, const void *data, size_t size,
		   struct error *err)
{
	struct header header;

	*types = (struct btf_types){ 0 };
	if (size < sizeof(header))
		return error_set(err, EBADMSG, "no room for a header");
	memcpy(&header, data, sizeof(header));
	lazy_bytes_init_whole(&types->bytes, data, size);
	return take_header(types, &header, size, err);
}

int btf_types_init_lazily(struct btf_types *types, lazy_bytes_read read,
			  void *from, uint64_t size, struct error *err)
{
	struct header header;
	uint64_t end, strings_end;
	int ret;

	*types = (struct btf_types){ 0 };
	if (size < sizeof(header))
		return error_set(err, EBADMSG, "no room for a header");
	ret = read(from, 0, &header, sizeof(header));
	if (ret < 0)
		return error_set(err, -ret, "%s", kmem_strerror(ret));
	ret = take_header(types, &header, size < MAX_SIZE ? size : MAX_SIZE,
			  err);
	if (ret < 0)
		return ret;
	end = types->begin + types->size;
	strings_end = types->strings + types->strings_size;
	ret = lazy_bytes_init(&types->bytes, read, from,
			      end > strings_end ? end : strings_end);
	return ret < 0 ? error_errno(err, -ret, NULL, NULL) : 0;
}

void btf_types_deinit(struct btf_types *types)
{
	lazy_bytes_deinit(&types->bytes);
	free(types->places);
	*types = (struct btf_types){ 0 };
}

/* Callers ask only for bytes within the sections, so only reading can fail. */
static const unsigned char *bytes_at(struct btf_types *types, uint64_t offset,
				     uint64_t size)
{
	const unsigned char *bytes = lazy_bytes_at(&types->bytes, offset, size);

	if (!bytes && !types->failed) {
		types->failed = types->bytes.failed;
		error_set(&types->why, -types->failed, "%s",
			  kmem_strerror(types->failed));
	}
	return bytes;
}

static const unsigned char *section_at(struct btf_types *types, uint64_t place,
				       uint64_t size)
{
	if (place > types->size || size > types->size - place)
		return NULL;
	return bytes_at(types, types->begin + place, size);
}

bool btf_types_at(struct btf_types *types, uint32_t place,
		  struct btf_type *type)
{
	/* BTF aligns types to four bytes, but the buffer may not be aligned. */
	const unsigned char *bytes = section_at(types, place, sizeof(*type));

	if (bytes)
		memcpy(type, bytes, sizeof(*type));
	return bytes;
}

const unsigned char *btf_types_after(struct btf_types *types, uint32_t place,
				     uint32_t skip, uint32_t size)
{
	return section_at(
		types, (uint64_t)place + sizeof(struct btf_type) + skip, size);
}

/* Returns the bytes of a type and what follows it, or 0 if it is not a type. */
static uint64_t length_of(const struct btf_type *type)
{
	enum btf_kind kind = btf_kind_of(type);

	/* These bits are zero up to Linux 6.x. */
	if (!kind || kind >= BTF_KINDS || type->info & 0x60ff0000)
		return 0;
	return sizeof(*type) + extra[kind].fixed +
	       extra[kind].each * (uint64_t)btf_elements_of(type);
}

static bool cut_off(struct btf_types *types)
{
	if (!types->failed)
		types->failed = error_set(&types->why, EBADMSG,
					  "type %u is cut off", types->count);
	return false;
}

bool btf_types_next(struct btf_types *types)
{
	struct btf_type type;
	uint64_t length;

	if (types->failed || types->next == types->size)
		return false;
	if (!btf_types_at(types, types->next, &type))
		return cut_off(types);
	length = length_of(&type);
	if (!length) {
		types->failed = error_set(
			&types->why, EBADMSG,
			"type %u has the bits %#x, a kind that this bufstat "
			"does not know",
			types->count, type.info);
		return false;
	}
	if (length > types->size - types->next)
		return cut_off(types);
	types->places[types->count++] = types->next;
	types->next += (uint32_t)length;
	return true;
}

bool btf_types_place(struct btf_types *types, uint32_t id, uint32_t *place)
{
	while (id >= types->count) {
		if (!btf_types_next(types))
			return false;
	}
	*place = types->places[id];
	return id;
}

/*
 * Moves on to the strings that have the one at *@offset, if they are those of
 * the base. Returns false if there is no such string.
 */
static bool own_string(struct btf_types **types, uint32_t *offset)
{
	struct btf_types *base = (*types)->base;

	if (base && *offset < base->strings_size)
		*types = base;
	else if (base)
		*offset -= base->strings_size;
	return *offset < (*types)->strings_size;
}

int btf_types_initial(struct btf_types *types, uint32_t offset)
{
	const unsigned char *bytes = NULL;

	if (own_string(&types, &offset))
		bytes = bytes_at(types, types->strings + offset, 1);
	return bytes ? *bytes : -1;
}

int btf_types_compare(struct btf_types *types, uint32_t offset,
		      const char *name, size_t length)
{
	size_t there, wanted = length + 1;
	const unsigned char *bytes;
	int order;

	if (!own_string(&types, &offset))
		return 1;
	there = types->strings_size - offset;
	if (there > wanted)
		there = wanted;
	bytes = bytes_at(types, types->strings + offset, there);
	if (!bytes)
		return 1;
	/* Most names differ in the first character. */
	if (*bytes != (unsigned char)*name)
		return *bytes - (unsigned char)*name;
	/* Strings that differ do so at the shorter one's NUL, or before it. */
	order = memcmp(bytes, name, there);
	return order || there == wanted ? order : -1;
}

/* What each kind must or cannot have. This tells types from other words. */
enum habit {
	NAMELESS = 1,
	NAMED = 2,
	REFERS = 4, /* to another type */
	FLAGGED = 8, /* may have the kind_flag */
	LINKAGE = 16, /* has a linkage in place of the number of elements */
};

static const unsigned char habits[BTF_KINDS] = {
	[BTF_INT] = NAMED,
	[BTF_PTR] = NAMELESS | REFERS,
	[BTF_ARRAY] = NAMELESS,
	[BTF_STRUCT] = FLAGGED,
	[BTF_UNION] = FLAGGED,
	[BTF_ENUM] = FLAGGED,
	[BTF_FWD] = NAMED | FLAGGED,
	[BTF_TYPEDEF] = NAMED | REFERS,
	[BTF_VOLATILE] = NAMELESS | REFERS,
	[BTF_CONST] = NAMELESS | REFERS,
	[BTF_RESTRICT] = NAMELESS | REFERS,
	[BTF_FUNC] = NAMED | REFERS | LINKAGE,
	[BTF_FUNC_PROTO] = NAMELESS | REFERS,
	[BTF_VAR] = NAMED | REFERS,
	[BTF_DATASEC] = NAMED,
	[BTF_FLOAT] = NAMED,
	[BTF_DECL_TAG] = NAMED | REFERS | FLAGGED,
	[BTF_TYPE_TAG] = NAMED | REFERS | FLAGGED,
	[BTF_ENUM64] = FLAGGED,
};

static bool is_plausible(const struct btf_types *types,
			 const struct btf_type *type)
{
	enum btf_kind kind = btf_kind_of(type);
	unsigned int habit;

	if (!length_of(type) || type->name >= types->strings_size)
		return false;
	habit = habits[kind];
	if ((habit & NAMELESS && type->name) || (habit & NAMED && !type->name))
		return false;
	if (btf_flag_of(type) && !(habit & FLAGGED))
		return false;
	if (habit & LINKAGE ? btf_elements_of(type) > 2 :
			      !extra[kind].each && btf_elements_of(type))
		return false;
	return !(habit & REFERS) ||
	       type->size <= types->size / sizeof(struct btf_type);
}

/*
 * How many types must follow one another where one is assumed to begin. So many
 * are not there by chance: of the words after a type only bit fields and
 * enumerators' values look like the start of one, and not at the right
 * distances.
 */
#define CHAIN 12

/* Bytes. No type in the kernel is longer. */
#define MAX_TYPE 65536

static bool begins_chain(struct btf_types *types, uint32_t place)
{
	struct btf_type type;
	uint64_t next = place;

	for (int i = 0; i < CHAIN && next != types->size; i++) {
		if (next > types->size ||
		    !btf_types_at(types, (uint32_t)next, &type) ||
		    !is_plausible(types, &type))
			return false;
		next += length_of(&type);
	}
	return true;
}

/* Moves *@place to the first type that begins there or later, before @end. */
static bool synchronize(struct btf_types *types, uint32_t *place, uint32_t end)
{
	uint32_t limit = end - *place < MAX_TYPE ? end : *place + MAX_TYPE;

	for (; *place < limit && !types->failed; *place += 4) {
		if (begins_chain(types, *place))
			return true;
	}
	return false;
}

/*
 * Sorted BTF begins with thousands of nameless types: pointers, functions'
 * arguments and so on. In unsorted BTF an integer, which has a name, comes
 * before so many of them.
 */
#define NAMELESS_AT_FIRST 64

bool btf_types_look_sorted(struct btf_types *types)
{
	struct btf_type type;
	uint32_t place;

	types->sorted = false;
	if (types->base)
		return false;
	for (uint32_t id = 1; id < NAMELESS_AT_FIRST; id++) {
		if (!btf_types_place(types, id, &place) ||
		    !btf_types_at(types, place, &type) || type.name)
			return false;
	}
	types->sorted = true;
	return true;
}

static int compare_type(struct btf_types *types, const struct btf_type *type,
			const char *name, size_t length)
{
	return type->name ? btf_types_compare(types, type->name, name, length) :
			    -1;
}

/* Bisection stops at FEW bytes; then MAX_EQUAL types are tried in order. */
#define FEW 128
#define MAX_EQUAL 64

/* Searches from the type at @place on, which is not after the wanted ones. */
static bool find_from(struct btf_types *types, uint64_t place,
		      enum btf_kind kind, const char *name, uint32_t *found)
{
	size_t length = strlen(name);
	struct btf_type type;

	for (int i = 0; i < MAX_EQUAL; i++) {
		int order;

		if (place > types->size ||
		    !btf_types_at(types, (uint32_t)place, &type) ||
		    !is_plausible(types, &type))
			return false;
		order = compare_type(types, &type, name, length);
		if (order > 0)
			return false;
		*found = (uint32_t)place;
		if (!order && btf_kind_of(&type) == kind)
			return true;
		place += length_of(&type);
	}
	return false;
}

bool btf_types_bisect(struct btf_types *types, enum btf_kind kind,
		      const char *name, uint32_t *place)
{
	/*
	 * All types that sort before the wanted ones begin below high. low is
	 * one of them, or the first type.
	 */
	uint32_t low = 0, high = types->size;
	size_t length = strlen(name);

	while (high - low > FEW && !types->failed) {
		uint32_t middle = low + (high - low) / 8 * 4, at = middle;
		struct btf_type type;

		/* No type begins between middle and high. */
		if (!synchronize(types, &at, high) ||
		    !btf_types_at(types, at, &type)) {
			high = middle;
			continue;
		}
		if (compare_type(types, &type, name, length) < 0)
			low = at;
		else
			high = middle;
	}
	return find_from(types, low, kind, name, place);
}
