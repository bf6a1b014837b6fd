// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/btf.h"
#include "kernel/btf_types.h"
#include "lib/debug.h"

#define POINTER_SIZE 8

/* Real types nest less than ten deep; the limit ends a chain without an end. */
#define MAX_DEPTH 32

/* Structs to search for one path; real ones have dozens of anonymous ones. */
#define MAX_ANONYMOUS 1000

/* struct btf_member. */
struct member {
	uint32_t name;
	uint32_t type;
	uint32_t offset; /* in bits; see member_offset() */
};

static int keep(struct btf *btf, int ret)
{
	if (ret < 0)
		btf_deinit(btf);
	return ret;
}

int btf_init(struct btf *btf, const void *data, size_t size, struct error *err)
{
	btf->types = malloc(sizeof(*btf->types));
	if (!btf->types)
		return error_errno(err, ENOMEM, NULL, NULL);
	return keep(btf, btf_types_init(btf->types, data, size, err));
}

int btf_init_module(struct btf *btf, const struct btf *base, const void *data,
		    size_t size, struct error *err)
{
	int ret = btf_init(btf, data, size, err);

	if (!ret)
		btf->types->base = base->types;
	return ret;
}

int btf_init_lazily(struct btf *btf, lazy_bytes_read read, void *from,
		    uint64_t size, struct error *err)
{
	btf->types = malloc(sizeof(*btf->types));
	if (!btf->types)
		return error_errno(err, ENOMEM, NULL, NULL);
	return keep(btf,
		    btf_types_init_lazily(btf->types, read, from, size, err));
}

void btf_deinit(struct btf *btf)
{
	if (btf->types)
		btf_types_deinit(btf->types);
	free(btf->types);
	btf->types = NULL;
}

int btf_failed(const struct btf *btf, struct error *err)
{
	if (btf->types->failed && err)
		*err = btf->types->why;
	return btf->types->failed;
}

/*
 * A btf_struct's id is its place plus one. Bisection finds a struct without its
 * BTF id, which would need all types before it.
 */
static uint32_t place_of(const struct btf_struct *in)
{
	return in->id - 1;
}

static void note_struct(struct btf_struct *found, uint32_t place,
			const struct btf_type *type)
{
	found->id = place + 1;
	found->size = type->size;
}

/* Notes those of @structs that have the name of @type. Returns how many. */
static size_t note_structs(struct btf_types *types, uint32_t place,
			   const struct btf_type *type,
			   struct btf_struct *structs, size_t count)
{
	int initial = btf_types_initial(types, type->name);
	size_t noted = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = structs[i].name;

		if (*name != initial || structs[i].id ||
		    btf_types_compare(types, type->name, name, strlen(name)))
			continue;
		note_struct(&structs[i], place, type);
		noted++;
	}
	return noted;
}

/* Returns how many of @structs were not found. */
static size_t bisect_structs(struct btf_types *types,
			     struct btf_struct *structs, size_t count)
{
	size_t missing = count;

	for (size_t i = 0; i < count; i++) {
		struct btf_type type;
		uint32_t place;

		if (!btf_types_bisect(types, BTF_STRUCT, structs[i].name,
				      &place) ||
		    !btf_types_at(types, place, &type))
			continue;
		note_struct(&structs[i], place, &type);
		missing--;
	}
	return missing;
}

void btf_find_structs(const struct btf *btf, struct btf_struct *structs,
		      size_t count)
{
	struct btf_types *types = btf->types;
	size_t missing = count;
	struct btf_type type;
	uint32_t place;

	for (size_t i = 0; i < count; i++)
		structs[i].id = 0;
	if (btf_types_look_sorted(types))
		missing = bisect_structs(types, structs, count);
	for (uint32_t id = 1; missing && btf_types_place(types, id, &place);
	     id++) {
		if (btf_types_at(types, place, &type) &&
		    btf_kind_of(&type) == BTF_STRUCT)
			missing -= note_structs(types, place, &type, structs,
						count);
	}
}

/*
 * Follows typedefs and qualifiers to the type itself. Returns false if that is
 * void or if they do not end.
 */
static bool resolve(struct btf_types *types, uint32_t id, struct btf_type *type,
		    uint32_t *place)
{
	/* A module counts on from the base, whose types were not all read. */
	if (types->base)
		return false;
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (!btf_types_place(types, id, place) ||
		    !btf_types_at(types, *place, type))
			return false;
		switch (btf_kind_of(type)) {
		case BTF_TYPEDEF:
		case BTF_VOLATILE:
		case BTF_CONST:
		case BTF_RESTRICT:
		case BTF_TYPE_TAG:
			id = type->size;
			break;
		default:
			return true;
		}
	}
	return false;
}

static bool size_of(struct btf_types *types, uint32_t id, int depth,
		    uint32_t *size)
{
	struct {
		uint32_t type;
		uint32_t index_type;
		uint32_t elements;
	} array;
	const unsigned char *bytes;
	struct btf_type type;
	uint32_t place;

	if (!depth || !resolve(types, id, &type, &place))
		return false;
	switch (btf_kind_of(&type)) {
	case BTF_INT:
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FLOAT:
		*size = type.size;
		return true;
	case BTF_PTR:
		*size = POINTER_SIZE;
		return true;
	case BTF_ARRAY:
		bytes = btf_types_after(types, place, 0, sizeof(array));
		if (!bytes)
			return false;
		memcpy(&array, bytes, sizeof(array));
		return size_of(types, array.type, depth - 1, size) &&
		       !__builtin_mul_overflow(*size, array.elements, size);
	default:
		return false;
	}
}

/* State while a path is followed. */
struct trail {
	const char *name; /* of the next member */
	size_t length; /* of @name */
	uint32_t type; /* of the last member found */
	uint32_t offset; /* of that member in its struct, bytes */
	uint32_t room; /* bytes from there up to the next member */
	int left; /* how many structs may still be searched */
};

/* A struct or union that is being searched. */
struct scope {
	struct btf_type type;
	const unsigned char *members;
};

static bool read_scope(struct btf_types *types, uint32_t place,
		       struct scope *scope)
{
	if (!btf_types_at(types, place, &scope->type) ||
	    (btf_kind_of(&scope->type) != BTF_STRUCT &&
	     btf_kind_of(&scope->type) != BTF_UNION))
		return false;
	scope->members = btf_types_after(types, place, 0,
					 btf_elements_of(&scope->type) *
						 sizeof(struct member));
	return scope->members;
}

static struct member member_at(const struct scope *scope, uint32_t i)
{
	struct member member;

	memcpy(&member, scope->members + i * sizeof(member), sizeof(member));
	return member;
}

/* Returns the member's offset in bits, also if it is a bit field. */
static uint32_t place_in_bits(const struct scope *scope,
			      const struct member *member)
{
	/* With the flag, the upper 8 bits are the size of a bit field, or 0. */
	return btf_flag_of(&scope->type) ? member->offset & 0xffffff :
					   member->offset;
}

/* Returns false for a bit field and if the member does not begin at a byte. */
static bool member_offset(const struct scope *scope,
			  const struct member *member, uint32_t *offset)
{
	uint32_t bits = place_in_bits(scope, member);

	if ((btf_flag_of(&scope->type) && member->offset >> 24) || bits % 8)
		return false;
	*offset = bits / 8;
	return true;
}

static uint32_t room_at(const struct scope *scope, uint32_t offset)
{
	uint32_t end = scope->type.size;

	for (uint32_t i = 0; i < btf_elements_of(&scope->type); i++) {
		struct member member = member_at(scope, i);
		uint32_t other = place_in_bits(scope, &member) / 8;

		if (other > offset && other < end)
			end = other;
	}
	return end > offset ? end - offset : 0;
}

/* Takes member @i, which has the next name of the path. */
static int take_member(const struct scope *scope, uint32_t i,
		       struct trail *trail)
{
	struct member member = member_at(scope, i);

	if (!member_offset(scope, &member, &trail->offset))
		return -EBADMSG;
	trail->type = member.type;
	trail->room = room_at(scope, trail->offset);
	return 0;
}

static int find_in(struct btf_types *types, uint32_t place, int depth,
		   struct trail *trail);

/* Searches the anonymous struct or union that is member @i. */
static int try_anonymous(struct btf_types *types, const struct scope *scope,
			 uint32_t i, int depth, struct trail *trail)
{
	struct member member = member_at(scope, i);
	uint32_t place, offset;
	struct btf_type type;
	int ret = -ENOENT;

	if (resolve(types, member.type, &type, &place))
		ret = find_in(types, place, depth - 1, trail);
	if (ret < 0)
		return ret;
	if (!member_offset(scope, &member, &offset) ||
	    __builtin_add_overflow(trail->offset, offset, &trail->offset))
		return -EBADMSG;
	return 0;
}

/*
 * Tries the struct's own members first, because searching an anonymous one may
 * mean reading all types before its own.
 */
static int find_in(struct btf_types *types, uint32_t place, int depth,
		   struct trail *trail)
{
	struct scope scope;
	int ret = -ENOENT;

	if (!depth || trail->left-- <= 0 || !read_scope(types, place, &scope))
		return -ENOENT;
	for (uint32_t i = 0; i < btf_elements_of(&scope.type); i++) {
		uint32_t name = member_at(&scope, i).name;

		if (name && btf_types_compare(types, name, trail->name,
					      trail->length) == 0)
			return take_member(&scope, i, trail);
	}
	for (uint32_t i = 0; ret == -ENOENT && i < btf_elements_of(&scope.type);
	     i++) {
		if (!member_at(&scope, i).name)
			ret = try_anonymous(types, &scope, i, depth, trail);
	}
	return ret;
}

/*
 * Sets the size of the member that the path leads to. In sorted BTF it does not
 * read on to the member's type, and in that of a module it cannot.
 */
static bool size_at(struct btf_types *types, const struct trail *trail,
		    uint32_t *size)
{
	if (!types->sorted && !types->base)
		return size_of(types, trail->type, MAX_DEPTH, size);
	*size = trail->room;
	return true;
}

#define MAX_NAME 256

/* Copies the beginning of *@path, up to @ends. Returns false if it is too long.
 */
static bool take_word(const char **path, const char *ends, char word[MAX_NAME])
{
	size_t length = strcspn(*path, ends);

	if (length >= MAX_NAME)
		return false;
	memcpy(word, *path, length);
	word[length] = '\0';
	*path += length;
	return true;
}

/*
 * Sets *@place to the type of the last member, which is the struct called
 * @name. In sorted BTF, finding it by name is much shorter than by its id.
 */
static bool enter(struct btf_types *types, const struct trail *trail,
		  const char *name, uint32_t *place)
{
	struct btf_type type;

	if (*name && types->sorted &&
	    btf_types_bisect(types, BTF_STRUCT, name, place))
		return true;
	return resolve(types, trail->type, &type, place);
}

static int find_path(const struct btf *btf, const struct btf_struct *in,
		     const char *path, uint32_t *offset, uint32_t *size)
{
	struct trail trail = { .left = MAX_ANONYMOUS };
	char name[MAX_NAME], struct_name[MAX_NAME];
	uint32_t place = place_of(in);

	*offset = 0;
	for (;;) {
		int ret;

		if (!in->id || !take_word(&path, ":.", name))
			return -ENOENT;
		trail.name = name;
		trail.length = strlen(name);
		ret = find_in(btf->types, place, MAX_DEPTH, &trail);
		if (ret < 0)
			return ret;
		if (__builtin_add_overflow(*offset, trail.offset, offset))
			return -EBADMSG;
		*struct_name = '\0';
		if (*path == ':' &&
		    (path++, !take_word(&path, ".", struct_name)))
			return -ENOENT;
		if (!*path++)
			break;
		if (!enter(btf->types, &trail, struct_name, &place))
			return -ENOENT;
	}
	return size_at(btf->types, &trail, size) ? 0 : -EBADMSG;
}

int btf_find_member(const struct btf *btf, const struct btf_struct *in,
		    const char *path, uint32_t *offset, uint32_t *size)
{
	int ret = find_path(btf, in, path, offset, size);

	if (ret < 0)
		debug(DEBUG_KERNEL, "struct %s: no %s", in->name, path);
	else
		debug(DEBUG_KERNEL, "struct %s: %s at %u, %u bytes", in->name,
		      path, *offset, *size);
	return ret;
}

int btf_find_renamed(const struct btf *btf, const struct btf_struct *in,
		     const char *path, const char *other_path, uint32_t *offset,
		     uint32_t *size)
{
	int ret = in->id ? btf_find_member(btf, in, path, offset, size) :
			   -ENOENT;

	if (ret == -ENOENT && in->id && other_path)
		ret = btf_find_member(btf, in, other_path, offset, size);
	return ret;
}

/* struct btf_enum. */
struct enumerator {
	uint32_t name;
	int32_t value;
};

static bool find_enum(struct btf_types *types, const char *name,
		      uint32_t *place)
{
	size_t length = strlen(name);
	struct btf_type type;

	if (btf_types_look_sorted(types) &&
	    btf_types_bisect(types, BTF_ENUM, name, place))
		return true;
	for (uint32_t id = 1; btf_types_place(types, id, place); id++) {
		if (btf_types_at(types, *place, &type) &&
		    btf_kind_of(&type) == BTF_ENUM &&
		    btf_types_compare(types, type.name, name, length) == 0)
			return true;
	}
	return false;
}

/* Finds @name in the enum at @place. */
static int find_enumerator(struct btf_types *types, uint32_t place,
			   const struct btf_type *type, const char *name,
			   uint32_t *value)
{
	size_t length = strlen(name);

	for (uint32_t i = 0; i < btf_elements_of(type); i++) {
		struct enumerator enumerator;
		const unsigned char *bytes = btf_types_after(
			types, place, i * (uint32_t)sizeof(enumerator),
			sizeof(enumerator));

		if (!bytes)
			break;
		memcpy(&enumerator, bytes, sizeof(enumerator));
		if (btf_types_compare(types, enumerator.name, name, length) !=
		    0)
			continue;
		if (enumerator.value < 0)
			return -EBADMSG;
		*value = (uint32_t)enumerator.value;
		return 0;
	}
	return -ENOENT;
}

int btf_find_enumerator(const struct btf *btf, const char *enumeration,
			const char *name, uint32_t *value)
{
	struct btf_types *types = btf->types;
	struct btf_type type;
	uint32_t place;

	if (!find_enum(types, enumeration, &place) ||
	    !btf_types_at(types, place, &type))
		return -ENOENT;
	return find_enumerator(types, place, &type, name, value);
}

int btf_find_constant(const struct btf *btf, const char *name, uint32_t most,
		      uint32_t *value)
{
	struct btf_types *types = btf->types;
	int ret = -ENOENT;
	uint32_t place;

	for (uint32_t id = 1;
	     ret == -ENOENT && id <= most && btf_types_place(types, id, &place);
	     id++) {
		struct btf_type type;

		if (btf_types_at(types, place, &type) &&
		    btf_kind_of(&type) == BTF_ENUM && !type.name)
			ret = find_enumerator(types, place, &type, name, value);
	}
	return ret;
}
