// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel/btf_types.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "trace/small_btf.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
/* Bytes. That of Debian's kernels has 3.5 to 5.5 million. */
#define MAX_SIZE (64U << 20)
#define MAX_NAMES 512

/* All types of one BTF, each at types.places[id]. */
struct source {
	struct btf_types types;
	const char *strings; /* the last ends with a NUL */
};

/* Types are written in the order of their new ids, which begin at 1. */
struct making {
	struct source object, kernel;
	const char *names[MAX_NAMES]; /* those in the object */
	size_t names_count;
	uint32_t *new_ids; /* by the kernel's id; 0: not wanted so far */
	uint32_t *old_ids; /* by the new id */
	uint32_t count; /* of the new ids, void included */
	FILE *types, *strings; /* streams in memory */
};

/* What follows a type: words, of which some are ids of types or names. */
static const struct {
	unsigned char words; /* or what each element has of them */
	unsigned char ids, names; /* bits */
	bool refers; /* the type's own last word is an id, too */
	bool is_looked_for; /* by its name */
} kinds[BTF_KINDS] = {
	[BTF_INT] = { .words = 1 },
	[BTF_ARRAY] = { .words = 3, .ids = 1 << 0 | 1 << 1 },
	[BTF_STRUCT] = { 3, 1 << 1, 1 << 0, .is_looked_for = true },
	[BTF_UNION] = { 3, 1 << 1, 1 << 0, .is_looked_for = true },
	[BTF_ENUM] = { 2, 0, 1 << 0, .is_looked_for = true },
	[BTF_ENUM64] = { 3, 0, 1 << 0, .is_looked_for = true },
	[BTF_TYPEDEF] = { .refers = true, .is_looked_for = true },
	[BTF_VOLATILE] = { .refers = true },
	[BTF_CONST] = { .refers = true },
	[BTF_RESTRICT] = { .refers = true },
	[BTF_TYPE_TAG] = { .refers = true },
};

/* Returns false if @data is no whole BTF. */
static bool source_read(struct source *source, const char *data, size_t size)
{
	struct btf_types *types = &source->types;

	if (btf_types_init(types, data, size, NULL) < 0)
		return false;
	while (btf_types_next(types))
		;
	source->strings = data + types->strings;
	return !types->failed && types->strings_size &&
	       !source->strings[types->strings_size - 1];
}

static const char *source_text(const struct source *source, uint32_t at)
{
	return at < source->types.strings_size ? source->strings + at : "";
}

/* Sets *@type. Returns its name if libbpf may look for it, else NULL. */
static const char *source_name(struct source *source, uint32_t id,
			       struct btf_type *type)
{
	if (!btf_types_at(&source->types, source->types.places[id], type) ||
	    !kinds[btf_kind_of(type)].is_looked_for || !type->name)
		return NULL;
	return source_text(source, type->name);
}

/* Reads the section .BTF of @object. */
static bool read_object(struct source *source, const unsigned char *object)
{
	const Elf64_Ehdr *file = (const void *)object;
	const Elf64_Shdr *section = (const void *)(object + file->e_shoff);
	const char *names =
		(const char *)object + section[file->e_shstrndx].sh_offset;

	for (unsigned int i = 0; i < file->e_shnum; i++, section++) {
		if (strcmp(names + section->sh_name, ".BTF") == 0)
			return source_read(source,
					   (const char *)object +
						   section->sh_offset,
					   section->sh_size);
	}
	return false;
}

static bool object_names(struct source *object, const char **names,
			 size_t *count)
{
	for (uint32_t id = 1; id < object->types.count; id++) {
		struct btf_type type;
		const char *name = source_name(object, id, &type);

		if (name && *count == MAX_NAMES)
			return false;
		if (name)
			names[(*count)++] = name;
	}
	return *count;
}

/* Another layout of a type is called TYPE___ANYTHING in the object. */
static bool is_named(const struct making *making, const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < making->names_count; i++) {
		const char *other = making->names[i];

		if (*other == *name && strncmp(other, name, length) == 0 &&
		    (!other[length] || strncmp(other + length, "___", 3) == 0))
			return true;
	}
	return false;
}

/* Returns the new id of the kernel's type @id, which is written later. */
static uint32_t take(struct making *making, uint32_t id)
{
	if (!id || id >= making->kernel.types.count)
		return 0;
	if (!making->new_ids[id]) {
		making->old_ids[making->count] = id;
		making->new_ids[id] = making->count++;
	}
	return making->new_ids[id];
}

/* Returns where the new strings have this one of the kernel. */
static uint32_t take_text(struct making *making, uint32_t at)
{
	const char *text = source_text(&making->kernel, at);
	const long end = ftell(making->strings);

	if (!*text)
		return 0;
	fputs(text, making->strings);
	fputc('\0', making->strings);
	return (uint32_t)end;
}

static bool write_type(struct making *making, uint32_t id)
{
	struct btf_types *types = &making->kernel.types;
	const uint32_t place = types->places[id];
	struct btf_type type;
	enum btf_kind kind;
	const unsigned char *bytes;
	uint32_t count, words;

	if (!btf_types_at(types, place, &type))
		return false;
	kind = btf_kind_of(&type);
	if (kind >= BTF_FUNC && kind <= BTF_DATASEC)
		return false; /* no type holds one of these */
	words = kinds[kind].words;
	count = words * (btf_element_size(kind) ? btf_elements_of(&type) : 1);
	bytes = btf_types_after(types, place, 0, count * sizeof(uint32_t));
	if (!bytes)
		return false;
	type.name = take_text(making, type.name);
	if (kind == BTF_PTR)
		type.size = 0;
	else if (kinds[kind].refers)
		type.size = take(making, type.size);
	fwrite(&type, sizeof(type), 1, making->types);
	for (uint32_t i = 0; i < count; i++, bytes += sizeof(uint32_t)) {
		uint32_t word;

		memcpy(&word, bytes, sizeof(word));
		if (kinds[kind].ids >> i % words & 1)
			word = take(making, word);
		else if (kinds[kind].names >> i % words & 1)
			word = take_text(making, word);
		fwrite(&word, sizeof(word), 1, making->types);
	}
	return true;
}

static bool write_types(struct making *making)
{
	/* The first string is empty. */
	fputc('\0', making->strings);
	making->count = 1;
	for (uint32_t id = 1; id < making->kernel.types.count; id++) {
		struct btf_type type;
		const char *name = source_name(&making->kernel, id, &type);

		if (name && is_named(making, name))
			take(making, id);
	}
	for (uint32_t id = 1; id < making->count; id++) {
		if (!write_type(making, making->old_ids[id]))
			return false;
	}
	return true;
}

/* Writes struct btf_header and both sections. */
static bool write_file(int fd, const char *types, size_t types_size,
		       const char *strings, size_t strings_size)
{
	const uint32_t header[6] = {
		BTF_MAGIC | 1 << 16, /* version 1, no flags */
		sizeof(header),		0,
		(uint32_t)types_size,	(uint32_t)types_size,
		(uint32_t)strings_size,
	};
	const struct iovec parts[] = {
		{ (void *)header, sizeof(header) },
		{ (void *)types, types_size },
		{ (void *)strings, strings_size },
	};

	return writev(fd, parts, 3) ==
	       (ssize_t)(sizeof(header) + types_size + strings_size);
}

static bool make(struct making *making, int fd)
{
	const size_t count = making->kernel.types.count;
	_cleanup_(freep) uint32_t *new_ids = calloc(count, sizeof(*new_ids));
	_cleanup_(freep) uint32_t *old_ids = calloc(count, sizeof(*old_ids));
	_cleanup_(freep) char *types = NULL, *strings = NULL;
	size_t types_size, strings_size;
	bool made;

	making->new_ids = new_ids;
	making->old_ids = old_ids;
	making->types = open_memstream(&types, &types_size);
	making->strings = open_memstream(&strings, &strings_size);
	made = new_ids && old_ids && making->types && making->strings &&
	       write_types(making);
	if (making->types)
		made &= fclose(making->types) == 0;
	if (making->strings)
		made &= fclose(making->strings) == 0;
	return made && write_file(fd, types, types_size, strings, strings_size);
}

int small_btf_open(const struct sysroot *root, const unsigned char *object)
{
	_cleanup_(freep) char *data = NULL;
	struct making making = { 0 };
	int fd = memfd_create("bufstat-types", MFD_CLOEXEC);
	size_t size;

	if (fd < 0)
		return -1;
	if (!read_object(&making.object, object) ||
	    !object_names(&making.object, making.names, &making.names_count) ||
	    sysroot_read(root, KERNEL_TYPES, MAX_SIZE, &data, &size) < 0 ||
	    !source_read(&making.kernel, data, size) || !make(&making, fd)) {
		close(fd);
		fd = -1;
	}
	btf_types_deinit(&making.object.types);
	btf_types_deinit(&making.kernel.types);
	return fd;
}
