/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of libbpf (1.0 or later) that the tracer calls. The library is
 * loaded on demand, and libbpf.c declares them, because not every distribution
 * that builds bufstat has it.
 */
#ifndef BUFSTAT_LIBBPF_H
#define BUFSTAT_LIBBPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_object;
struct bpf_program;
struct btf;
struct error;

/* struct bpf_object_open_opts, as far as it is used. */
struct libbpf_options {
	size_t size; /* of this struct */
	const char *name;
	bool relaxed_maps;
	const char *pin_directory;
	uint32_t unused;
	const char *config;
	const char *types; /* a file: the kernel's types, for relocations */
};

/* Those that return a pointer return NULL with errno set, others -errno. */
struct libbpf {
	void *handle; /* of the loaded library, or NULL */
	void *(*set_print)(void *print); /* NULL: it prints nothing */
	struct bpf_object *(*open)(const void *bytes, size_t size,
				   const struct libbpf_options *options);
	int (*load)(struct bpf_object *object);
	void (*close)(struct bpf_object *object);
	struct bpf_program *(*find_program)(const struct bpf_object *object,
					    const char *name);
	int (*set_autoload)(struct bpf_program *program, bool loads);
	int (*program_fd)(const struct bpf_program *program);
	int (*find_map_fd)(const struct bpf_object *object, const char *name);
	int (*attach)(const char *name, int program); /* a descriptor */
	int (*lookup)(int map, const void *key, void *value);
	int (*update)(int map, const void *key, const void *value,
		      uint64_t flags);
	int (*lookup_batch)(int map, void *from, void *to, void *keys,
			    void *values, uint32_t *count, const void *options);
	int (*remove)(int map, const void *key);
	int (*info)(int fd, void *info, uint32_t *size);
	struct btf *(*load_btf)(void); /* of the kernel */
	void (*free_btf)(struct btf *btf);
	int (*find_type)(const struct btf *btf, const char *name,
			 uint32_t kind); /* an id: BTF_KIND_* of linux/btf.h */
};

/*
 * Loads the library, which then prints nothing. Returns 0 or -ENOENT. The
 * caller deinits @libbpf in either case.
 */
int libbpf_init(struct libbpf *libbpf, struct error *err);
void libbpf_deinit(struct libbpf *libbpf);

#endif
