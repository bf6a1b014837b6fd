// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/redact.h"
#include "capture/redact_text.h"
#include "lib/cleanup.h"
#include "lib/json_in.h"
#include "test.h"

static void expect_path(struct redactor *redactor, const char *path,
			const char *expected)
{
	assert_string_equal(redact_path(redactor, path), expected);
}

static void paths_keep_what_every_host_has(void **state __attribute__((unused)))
{
	struct redactor *redactor = redactor_create();

	expect_path(redactor, "/", "/");
	expect_path(redactor, "/var/lib", "/var/lib");
	expect_path(redactor, "/dev/nvme0n1p2", "/dev/nvme0n1p2");
	expect_path(redactor, "/dev/sda1", "/dev/sda1");
	expect_path(redactor, "/dev/sdatabase", "/dev/file1");
	expect_path(redactor, "/srv/acme/acme.db", "/srv/file2/file3");
	expect_path(redactor, "/home/acme", "/home/file2");
	expect_path(redactor, "/srv/x y (deleted)", "/srv/file4 (deleted)");
	expect_path(redactor, "[SWAP]", "[SWAP]");
	expect_path(redactor, "/dev/mapper/vg-acme", "/dev/mapper/volume1");
	assert_string_equal(redact_name(redactor, REDACT_VOLUME, "vg-acme"),
			    "volume1");
	expect_path(redactor, "acme", "file2");
	redactor_destroy(redactor);
}

static void cgroups_keep_their_kind(void **state __attribute__((unused)))
{
	static const char id[] = "0123456789abcdef0123456789abcdef"
				 "0123456789abcdef0123456789abcdef";
	struct redactor *redactor = redactor_create();
	char path[128];

	expect_path(redactor, "/system.slice/acme.service",
		    "/system.slice/file1.service");
	snprintf(path, sizeof(path), "/system.slice/docker-%s.scope", id);
	expect_path(redactor, path,
		    "/system.slice/docker-000000000001"
		    "0000000000000000000000000000000000000000000000000000"
		    ".scope");
	/* The same container, as bufstat calls it. */
	expect_path(redactor, "docker:0123456789ab", "docker:000000000001");
	expect_path(redactor, "docker:ba9876543210", "docker:000000000002");
	redactor_destroy(redactor);
}

static void processes_are_not_threads(void **state __attribute__((unused)))
{
	struct redactor *redactor = redactor_create();

	assert_string_equal(redact_process(redactor, "acmed"), "process1");
	assert_string_equal(redact_process(redactor, "kworker/u8:3"),
			    "kworker/u8:3");
	assert_string_equal(redact_process(redactor, "not traced"),
			    "not traced");
	assert_string_equal(redact_process(redactor, "acmed"), "process1");
	redactor_destroy(redactor);
}

static void expect_text(const char *path, const char *text,
			const char *expected)
{
	struct redactor *redactor = redactor_create();
	char *copy = strdup(text);
	size_t size = strlen(copy);

	assert_int_equal(redact_file(redactor, path, &copy, &size), 0);
	assert_string_equal(copy, expected);
	assert_int_equal(size, strlen(expected));
	free(copy);
	redactor_destroy(redactor);
}

static void files_have_their_forms(void **state __attribute__((unused)))
{
	expect_text("/proc/self/mountinfo",
		    "22 27 0:21 / /proc rw - proc proc rw\n"
		    "30 27 8:1 /ac\\040me /srv/ac\\040me rw shared:1 - ext4 "
		    "/dev/mapper/vg-acme rw\n"
		    "31 27 0:50 / /mnt/z rw - zfs acme rw\n",
		    "22 27 0:21 / /proc rw - proc proc rw\n"
		    "30 27 8:1 /file1 /srv/file1 rw shared:1 - ext4 "
		    "/dev/mapper/volume1 rw\n"
		    "31 27 0:50 / /mnt/file2 rw - zfs volume2 rw\n");
	expect_text(
		"/proc/swaps",
		"Filename\tType\n/dev/dm-1  partition\t10\n/acme file\t1\n",
		"Filename\tType\n/dev/dm-1  partition\t10\n/file1 file\t1\n");
	expect_text("/proc/version", "Linux version 6.1 (me@acme) #1\n",
		    "Linux version 6.1 \n");
	expect_text("/run/blkid/blkid.tab",
		    "<device DEVNO=\"0x0801\" LABEL=\"acme\" UUID=\"a-b\" "
		    "TYPE=\"ext4\">/dev/mapper/acme</device>\n",
		    "<device DEVNO=\"0x0801\" LABEL=\"volume1\" UUID=\"id1\" "
		    "TYPE=\"ext4\">/dev/mapper/volume1</device>\n");
	expect_text("/run/udev/data/b8:1",
		    "I:1\nE:DM_NAME=acme\nE:ID_FS_TYPE=ext4\n"
		    "E:ID_FS_UUID_ENC=a-b\nE:ID_FS_LABEL=acme\n"
		    "E:ID_PART_ENTRY_UUID=c\nE:ID_PART_ENTRY_NAME=acme\n",
		    "I:1\nE:DM_NAME=volume1\nE:ID_FS_TYPE=ext4\n"
		    "E:ID_FS_UUID_ENC=id1\nE:ID_FS_LABEL=volume1\n"
		    "E:ID_PART_ENTRY_UUID=id2\nE:ID_PART_ENTRY_NAME=volume1\n");
	expect_text("/sys/devices/block/dm-0/dm/name", "acme\n", "volume1\n");
	expect_text("/bufstat/debug",
		    "bufstat: worker: /srv/acme: answered after 1.0ms\n"
		    "bufstat: source: /proc/kcore: no\n",
		    "bufstat: worker: /srv/file1: answered after 1.0ms\n"
		    "bufstat: source: /proc/kcore: no\n");
	expect_text("/proc/12/comm", "acmed\n", "process1\n");
	expect_text("/proc/meminfo", "MemTotal: 1 kB\n", "MemTotal: 1 kB\n");
}

/* Whatever the names have in them, it is the same document but for these. */
static void json_stays_json(void **state __attribute__((unused)))
{
	static const char text[] =
		"{\"source\":\"module\",\"names\":[{\"name\":\"acme\","
		"\"mountpoints\":[\"/srv/\\\"a\\\\\",\"[SWAP]\"]}],"
		"\"filesystems\":[{\"name\":\"/srv/\\u20ac\\udcff\"}],"
		"\"command\":\"a\\nb\",\"users\":[\"a\\nb(12)\"],\"lists\":["
		"{\"kind\":\"slab\",\"largest\":[{\"name\":\"dentry\"}]},"
		"{\"kind\":\"process\",\"largest\":[{\"name\":\"a\\nb\"}]},"
		"{\"kind\":\"cgroup\",\"largest\":[{\"name\":\"/acme\"}]}],"
		"\"reason\":\"no \\\"a\\\" in /srv/acme: gone\","
		"\"command_line\":\"\",\"none\":null,\"n\":[1,-2.5,true]}";
	static const char expected[] =
		"{\"source\":\"module\",\"names\":[{\"name\":\"volume1\","
		"\"mountpoints\":[\"/srv/file1\",\"[SWAP]\"]}],"
		"\"filesystems\":[{\"name\":\"/srv/file2\"}],"
		"\"command\":\"process1\",\"users\":[\"process1(12)\"],"
		"\"lists\":["
		"{\"kind\":\"slab\",\"largest\":[{\"name\":\"dentry\"}]},"
		"{\"kind\":\"process\",\"largest\":[{\"name\":\"process1\"}]},"
		"{\"kind\":\"cgroup\",\"largest\":[{\"name\":\"/file3\"}]}],"
		"\"reason\":\"no \\\"a\\\" in /srv/file3: gone\","
		"\"command_line\":\"\",\"none\":null,\"n\":[1,-2.5,true]}";
	struct json_in *document;

	expect_text("/bufstat/reading.json", text, expected);
	assert_int_equal(json_in_open(strdup(expected), &document), 0);
	json_in_close(document);
	/* What is cut short is no reason to crash. */
	for (size_t i = 0; i < sizeof(text); i++) {
		struct redactor *redactor = redactor_create();
		char *part = strndup(text, i);
		size_t size = i;

		assert_int_equal(redact_json(redactor, &part, &size), 0);
		free(part);
		redactor_destroy(redactor);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_keep_what_every_host_has),
		cmocka_unit_test(cgroups_keep_their_kind),
		cmocka_unit_test(processes_are_not_threads),
		cmocka_unit_test(files_have_their_forms),
		cmocka_unit_test(json_stays_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
