// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/elf_core.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/whole.h"

/* Bytes. A machine of 8,192 processors has 3 MiB of notes. */
#define MAX_NOTES (16U << 20)
#define MAX_SEGMENTS (1U << 20)

static const char note_name[] = "VMCOREINFO";

int elf_core_pread(int fd, void *buffer, size_t size, uint64_t offset)
{
	long got = offset > INT64_MAX - size ?
			   -EFAULT :
			   pread_whole(fd, buffer, size, offset);

	return got < 0 ? (int)got : (size_t)got < size ? -EFAULT : 0;
}

static int cut_off(struct error *err, int ret, const char *what)
{
	if (ret == -EFAULT)
		return error_set(err, EBADMSG, "cut off in its %s", what);
	return error_set(err, -ret, "reading its %s: %s", what, strerror(-ret));
}

static int read_header(int fd, Elf64_Ehdr *header, struct error *err)
{
	int ret = elf_core_pread(fd, header, sizeof(*header), 0);

	if (ret < 0)
		return cut_off(err, ret, "header");
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return error_set(err, EBADMSG, "not an ELF file");
	if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELF_OWN_BYTE_ORDER)
		return error_set(err, ERROR_UNUSABLE,
				 "a dump with 32 bits or the other byte order; "
				 "only those of x86-64 and arm64 can be read");
	if (header->e_type != ET_CORE)
		return error_set(err, EBADMSG, "an ELF file, but no dump");
	if (header->e_phentsize != sizeof(Elf64_Phdr))
		return error_set(err, EBADMSG, "program headers of %u bytes",
				 header->e_phentsize);
	return 0;
}

/* If there are 65,535 or more, the first section header has the number. */
static int count_headers(int fd, const Elf64_Ehdr *header, size_t *count,
			 struct error *err)
{
	Elf64_Shdr section;
	int ret;

	*count = header->e_phnum;
	if (header->e_phnum == PN_XNUM) {
		ret = elf_core_pread(fd, &section, sizeof(section),
				     header->e_shoff);
		if (ret < 0)
			return cut_off(err, ret, "section header");
		*count = section.sh_info;
	}
	if (!*count || *count > MAX_SEGMENTS)
		return error_set(err, EBADMSG, "%zu program headers", *count);
	return 0;
}

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* Looks for VMCOREINFO among the notes of one segment. */
static int parse_notes(struct elf_core *core, const char *notes, size_t size)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		size_t name_size, text_size, whole;
		Elf64_Nhdr note;

		memcpy(&note, notes, sizeof(note));
		name_size = aligned(note.n_namesz);
		text_size = note.n_descsz;
		whole = sizeof(note) + name_size + aligned(text_size);
		/* The last note's padding may be missing. */
		if (sizeof(note) + name_size + text_size > size)
			return 0;
		if (note.n_namesz == sizeof(note_name) &&
		    memcmp(notes + sizeof(note), note_name,
			   sizeof(note_name)) == 0) {
			core->vmcoreinfo = strndup(
				notes + sizeof(note) + name_size, text_size);
			return core->vmcoreinfo ? 0 : -ENOMEM;
		}
		if (whole > size)
			return 0;
		notes += whole;
		size -= whole;
	}
	return 0;
}

static int read_notes(struct elf_core *core, const Elf64_Phdr *header,
		      struct error *err)
{
	_cleanup_(freep) char *notes = NULL;
	int ret;

	if (core->vmcoreinfo || !header->p_filesz)
		return 0;
	if (header->p_filesz > MAX_NOTES)
		return error_set(err, EBADMSG, "%llu bytes of notes",
				 (unsigned long long)header->p_filesz);
	notes = malloc(header->p_filesz);
	if (!notes)
		return error_errno(err, ENOMEM, NULL, NULL);
	ret = elf_core_pread(core->fd, notes, header->p_filesz,
			     header->p_offset);
	if (ret < 0)
		return cut_off(err, ret, "notes");
	ret = parse_notes(core, notes, header->p_filesz);
	return ret < 0 ? error_errno(err, -ret, NULL, NULL) : 0;
}

static int add_header(struct elf_core *core, const Elf64_Phdr *header,
		      struct error *err)
{
	if (header->p_type == PT_NOTE)
		return read_notes(core, header, err);
	if (header->p_type == PT_LOAD && header->p_filesz)
		core->segments[core->count++] = (struct elf_segment){
			.address = header->p_vaddr,
			.physical = header->p_paddr,
			.offset = header->p_offset,
			.size = header->p_filesz,
		};
	return 0;
}

int elf_core_init(struct elf_core *core, int fd, struct error *err)
{
	_cleanup_(freep) Elf64_Phdr *headers = NULL;
	Elf64_Ehdr header;
	size_t count = 0;
	int ret;

	*core = (struct elf_core){ .fd = fd };
	ret = read_header(fd, &header, err);
	if (!ret)
		ret = count_headers(fd, &header, &count, err);
	if (ret < 0)
		return ret;
	core->machine = header.e_machine;

	headers = malloc(count * sizeof(*headers));
	core->segments = malloc(count * sizeof(*core->segments));
	if (!headers || !core->segments)
		return error_errno(err, ENOMEM, NULL, NULL);
	ret = elf_core_pread(fd, headers, count * sizeof(*headers),
			     header.e_phoff);
	if (ret < 0)
		return cut_off(err, ret, "program headers");
	for (size_t i = 0; !ret && i < count; i++)
		ret = add_header(core, &headers[i], err);
	return ret;
}

void elf_core_deinit(struct elf_core *core)
{
	free(core->segments);
	free(core->vmcoreinfo);
	*core = (struct elf_core){ .fd = -1 };
}

static bool find_in(const struct elf_segment *segment, bool physical,
		    uint64_t address, size_t size, uint64_t *offset)
{
	uint64_t begin = physical ? segment->physical : segment->address;
	uint64_t within = address - begin;

	return address >= begin && within <= segment->size &&
	       size <= segment->size - within &&
	       !__builtin_add_overflow(segment->offset, within, offset);
}

bool elf_core_find(struct elf_core *core, bool physical, uint64_t address,
		   size_t size, uint64_t *offset)
{
	if (core->last < core->count &&
	    find_in(&core->segments[core->last], physical, address, size,
		    offset))
		return true;
	for (size_t i = 0; i < core->count; i++) {
		if (!find_in(&core->segments[i], physical, address, size,
			     offset))
			continue;
		core->last = i;
		return true;
	}
	return false;
}
