// SPDX-License-Identifier: GPL-2.0-or-later
/* The few types that the tracer needs, made of this kernel's, and of damaged
 * ones. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/btf.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "seeds.h"
#include "test.h"
#include "trace/fill_object.h"
#include "trace/small_btf.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
#define LARGE (64U << 20)

/* Members that the programs read, and one of a struct that they do not name. */
static const struct {
	const char *in, *member;
	bool is_there;
} cases[] = {
	{ "address_space", "host", true },
	{ "inode", "i_sb", true },
	{ "inode", "i_ino", true },
	{ "super_block", "s_dev", true },
	{ "task_struct", "tgid", true },
	{ "task_struct", "comm", true },
	{ "kmem_cache", "object_size", false },
};

static char *read_small(int fd, size_t *size)
{
	struct stat stat;
	char *data;

	assert_int_equal(fstat(fd, &stat), 0);
	*size = (size_t)stat.st_size;
	data = malloc(*size);
	assert_int_equal(pread(fd, data, *size, 0), (ssize_t)*size);
	return data;
}

static void same_places(void **state __attribute__((unused)))
{
	_cleanup_(freep) char *whole = NULL, *small = NULL;
	struct sysroot root = { .fd = -1 };
	struct btf whole_btf, small_btf;
	size_t whole_size, small_size;
	struct error err;
	int fd;

	assert_int_equal(sysroot_init(&root, "/", NULL), 0);
	if (sysroot_read(&root, KERNEL_TYPES, LARGE, &whole, &whole_size) < 0) {
		sysroot_deinit(&root);
		SKIP_BECAUSE("no " KERNEL_TYPES);
	}
	fd = small_btf_open(&root, fill_object);
	assert_true(fd >= 0);
	small = read_small(fd, &small_size);
	assert_true(small_size < whole_size / 8);
	assert_int_equal(btf_init(&whole_btf, whole, whole_size, &err), 0);
	assert_int_equal(btf_init(&small_btf, small, small_size, &err), 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct btf_struct in = { .name = cases[i].in }, other = in;
		uint32_t offset[2], size[2];

		btf_find_structs(&whole_btf, &in, 1);
		btf_find_structs(&small_btf, &other, 1);
		assert_int_equal(other.id != 0, cases[i].is_there);
		if (!cases[i].is_there)
			continue;
		assert_int_equal(in.size, other.size);
		assert_int_equal(btf_find_member(&whole_btf, &in,
						 cases[i].member, &offset[0],
						 &size[0]),
				 0);
		assert_int_equal(btf_find_member(&small_btf, &other,
						 cases[i].member, &offset[1],
						 &size[1]),
				 0);
		assert_int_equal(offset[0], offset[1]);
		assert_int_equal(size[0], size[1]);
	}
	assert_int_equal(btf_failed(&small_btf, &err), 0);
	btf_deinit(&whole_btf);
	btf_deinit(&small_btf);
	close(fd);
	sysroot_deinit(&root);
}

static void write_types(const char *path, const char *data, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* Each byte wrong in turn, and each length: nothing is read past the end. */
static void damaged(void **state __attribute__((unused)))
{
	static const char *const parts[] = { "/sys", "/sys/kernel",
					     "/sys/kernel/btf" };
	char directory[] = "/tmp/small-btf-XXXXXX", path[64];
	_cleanup_(freep) char *data = NULL;
	struct sysroot root = { .fd = -1 };
	size_t size, made = 0, refused = 0;

	data = seed_read_btf("btf/debian-6.12", &size);
	assert_non_null(mkdtemp(directory));
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		snprintf(path, sizeof(path), "%s%s", directory, parts[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s" KERNEL_TYPES, directory);
	assert_int_equal(sysroot_init(&root, directory, NULL), 0);
	for (size_t i = 0; i < 2 * size; i += i < 200 ? 1 : 17) {
		const size_t at = i / 2;
		int fd;

		data[at] ^= (char)(i % 2 ? 0 : 0xff);
		write_types(path, data, i % 2 ? at : size);
		data[at] ^= (char)(i % 2 ? 0 : 0xff);
		fd = small_btf_open(&root, fill_object);
		if (fd >= 0)
			made++;
		else
			refused++;
		closep(&fd);
	}
	assert_true(made && refused);
	sysroot_deinit(&root);
	assert_int_equal(unlink(path), 0);
	for (size_t i = COUNT_OF(parts); i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", directory, parts[i]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_places),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
