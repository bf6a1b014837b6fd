// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lib/error.h"
#include "lib/library.h"

/*
 * Every library that may be loaded: what needs it, how much, what for, the
 * packages of Debian and Fedora that have it, and its file. If a second file is
 * named, it is tried after the first. Both packages of bufstat recommend these,
 * or require them. tests/unit/base/test_library.c compares.
 */
#define LIBRARIES(LIBRARY)                                                     \
	LIBRARY(BLKID, "blocks", "recommended",                                \
		"what is on a device whose type nothing else tells",           \
		"libblkid1", "libblkid", ONE("libblkid.so.1"))                 \
	LIBRARY(BPF, "who", "required", "which process fills which cache",     \
		"libbpf1", "libbpf", ONE("libbpf.so.1"))                       \
	LIBRARY(EXT2FS, "blocks", "recommended",                               \
		"what the cached blocks of ext4 are", "libext2fs2",            \
		"e2fsprogs-libs", ONE("libext2fs.so.2"))                       \
	/* Of 0.5.5, and of 0.5.0 to 0.5.4; both have the same functions. */   \
	LIBRARY(KDUMPFILE, "vmcore", "recommended",                            \
		"dumps in other formats than ELF",                             \
		"libkdumpfile12 or libkdumpfile10", "libkdumpfile",            \
		TWO("libkdumpfile.so.12", "libkdumpfile.so.10"))               \
	LIBRARY(KMOD, "module", "recommended", "the kernel module",            \
		"libkmod2", "kmod-libs", ONE("libkmod.so.2"))                  \
	LIBRARY(NCURSESW, "top", "recommended", "the screen", "libncursesw6",  \
		"ncurses-libs", ONE("libncursesw.so.6"))                       \
	LIBRARY(SMARTCOLS, "table", "required", "tables other than free's",    \
		"libsmartcols1", "libsmartcols", ONE("libsmartcols.so.1"))     \
	LIBRARY(TRACEEVENT, "path", "recommended",                             \
		"the ways of calls through the kernel", "libtraceevent1",      \
		"libtraceevent", ONE("libtraceevent.so.1"))

enum { MAX_FILES = 2 };

static const struct library {
	const char *packages;
	const char *files[MAX_FILES];
} libraries[LIBRARY_COUNT] = {
#define ONE(file)                                                              \
	{                                                                      \
		file                                                           \
	}
#define TWO(first, second)                                                     \
	{                                                                      \
		first, second                                                  \
	}
#define LIBRARY(id, feature, priority, what_for, debian, fedora, files)        \
	[LIBRARY_##id] = { debian " or " fedora, files },
	LIBRARIES(LIBRARY)
#undef LIBRARY
#undef TWO
#undef ONE
};

/*
 * The same in the program's file, for tools that make packages:
 * https://systemd.io/ELF_DLOPEN_METADATA says what a note has.
 */
#define VENDOR "FDO"
#define DLOPEN_NOTE 0x407c0c0a
#define ONE(file) "\"" file "\""
#define TWO(first, second) ONE(first) "," ONE(second)
#define NOTE_TEXT(feature, priority, what_for, files)                          \
	"[{\"feature\":\"" feature "\",\"description\":\"" what_for            \
	"\",\"priority\":\"" priority "\",\"soname\":[" files "]}]"
#define LIBRARY(id, feature, priority, what_for, debian, fedora, files)        \
	static const struct {                                                  \
		uint32_t name_size, text_size, type;                           \
		char name[sizeof(VENDOR)];                                     \
		char text[sizeof(                                              \
			NOTE_TEXT(feature, priority, what_for, files))];       \
	} note_##id                                                            \
		__attribute__((used, section(".note.dlopen"), aligned(4))) = { \
			sizeof(VENDOR), sizeof(note_##id.text), DLOPEN_NOTE,   \
			VENDOR, NOTE_TEXT(feature, priority, what_for, files)  \
		};
LIBRARIES(LIBRARY)
#undef LIBRARY

static int load(enum library_id id, void **handle, struct error *err)
{
	const struct library *library = &libraries[id];

	errno = 0;
	for (size_t i = 0; i < MAX_FILES && library->files[i]; i++) {
		*handle = dlopen(library->files[i],
				 RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		if (*handle)
			return 0;
	}
	if (errno == EMFILE || errno == ENFILE)
		return error_doing(err, errno, "loading a library", NULL, "%s",
				   dlerror());
	return error_remedy(err,
			    error_doing(err, ENOENT, "loading a library", NULL,
					"%s", dlerror()),
			    "install %s", library->packages);
}

int library_open(enum library_id id, const struct library_symbol *symbols,
		 size_t count, void **handle, struct error *err)
{
	int ret = load(id, handle, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(*handle, symbols[i].name);

		if (!symbol) {
			error_doing(err, ENOENT, "loading a library", NULL,
				    "%s", dlerror());
			dlclose(*handle);
			*handle = NULL;
			return -ENOENT;
		}
		memcpy(symbols[i].place, &symbol, sizeof(symbol));
	}
	return 0;
}
