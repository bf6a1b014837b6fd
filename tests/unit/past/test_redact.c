// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/redact.h"
#include "capture/redact_json.h"
#include "capture/redact_text.h"
#include "lib/cleanup.h"
#include "lib/json_in.h"
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "names_fixture.h"
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
	static const char *const threads[] = { "kworker/u8:3",	 "kswapd0",
					       "md127_raid1",	 "loop12",
					       "jbd2/vda1-8",	 "rcu_gp",
					       "rcu_tasks_kthre" };
	static const char *const programs[] = { "mdadm-acme", "loopacme",
						"rcu_acme", "bufstat-acme",
						"writebackacme" };
	struct redactor *redactor = redactor_create();

	assert_string_equal(redact_process(redactor, "acmed"), "process1");
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_string_equal(redact_process(redactor, threads[i]),
				    threads[i]);
	for (size_t i = 0; i < COUNT_OF(programs); i++)
		assert_int_equal(strncmp(redact_process(redactor, programs[i]),
					 "process", strlen("process")),
				 0);
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
		    "bufstat: source: /proc/kcore: no\n"
		    "bufstat: /srv/my acme: Input/output error (on /acme)\n",
		    "bufstat: worker: /srv/file1: answered after 1.0ms\n"
		    "bufstat: source: /proc/kcore: no\n"
		    "bufstat: /srv/file2: Input/output error (on /file1)\n");
	expect_text("/proc/12/comm", "acmed\n", "process1\n");
	expect_text("/proc/meminfo", "MemTotal: 1 kB\n", "MemTotal: 1 kB\n");
}

static void expect_json(const struct redaction *redaction, const char *text,
			const char *expected)
{
	char *copy = strdup(text);
	size_t size = strlen(copy);

	assert_int_equal(redact_json(redaction, &copy, &size), 0);
	assert_string_equal(copy, expected);
	assert_int_equal(size, strlen(expected));
	free(copy);
}

/* Whatever the names have in them, it is the same document but for these. */
static void json_stays_json(void **state __attribute__((unused)))
{
	static const char text[] =
		"{\"source\":\"module\",\"names\":[{\"name\":\"acme\","
		"\"mountpoints\":[\"/srv/\\\"a\\\\\",\"[SWAP]\"]},"
		"{\"name\":\"sda1\"}],"
		"\"filesystems\":[{\"name\":\"/srv/\\u20ac\\udcff\"}],"
		"\"filled\":[{\"command\":\"a\\nb\",\"cgroup\":\"/acme\"}],"
		"\"reading\":{\"files\":{\"source\":\"kcore\",\"rows\":[{"
		"\"maj:min\":\"8:1\",\"source\":\"nfs:/acme\","
		"\"users\":[\"a\\nb(12)\"]}]},\"owners\":{\"lists\":["
		"{\"kind\":\"slab\",\"largest\":[{\"name\":\"dentry\"}]},"
		"{\"kind\":\"process\",\"largest\":[{\"name\":\"a\\nb\"}]},"
		"{\"kind\":\"tcp_socket\",\"largest\":[{\"name\":\"a\\nb\"}]},"
		"{\"kind\":\"cgroup\",\"largest\":[{\"name\":\"/acme\"}]}]}},"
		"\"reason\":\"no \\\"a\\\" in /srv/acme: gone\","
		"\"none\":null,\"n\":[1,-2.5e+1,true,{},[]]}";
	struct redactor *redactor = redactor_create();
	const struct redaction redaction = { .redactor = redactor };
	size_t whole = strlen(text);

	expect_json(&redaction, text,
		    "{\"source\":\"module\",\"names\":[{\"name\":\"volume1\","
		    "\"mountpoints\":[\"/srv/file1\",\"[SWAP]\"]},"
		    "{\"name\":\"sda1\"}],"
		    "\"filesystems\":[{\"name\":\"/srv/file2\"}],"
		    "\"filled\":[{\"command\":\"process1\","
		    "\"cgroup\":\"/file3\"}],"
		    "\"reading\":{\"files\":{\"source\":\"kcore\",\"rows\":[{"
		    "\"maj:min\":\"8:1\",\"source\":\"-\","
		    "\"users\":[\"process1(12)\"]}]},\"owners\":{\"lists\":["
		    "{\"kind\":\"slab\",\"largest\":[{\"name\":\"dentry\"}]},"
		    "{\"kind\":\"process\","
		    "\"largest\":[{\"name\":\"process1\"}]},"
		    "{\"kind\":\"tcp_socket\","
		    "\"largest\":[{\"name\":\"process1\"}]},"
		    "{\"kind\":\"cgroup\",\"largest\":[{\"name\":\"/file3\"}]}"
		    "]}},\"reason\":\"no \\\"a\\\" in /srv/file3: gone\","
		    "\"none\":null,\"n\":[1,-2.5e+1,true,{},[]]}");
	/* What is cut short is no document. */
	for (size_t i = 0; i < whole; i++) {
		char *part = strndup(text, i);
		size_t size = i;

		assert_int_equal(redact_json(&redaction, &part, &size),
				 -EBADMSG);
		assert_int_equal(size, i);
		free(part);
	}
	redactor_destroy(redactor);
}

/* What nobody has described is replaced whole, and so is a word that is none. */
static void unknown_strings_are_replaced(void **state __attribute__((unused)))
{
	struct redactor *redactor = redactor_create();
	const struct redaction redaction = { .redactor = redactor };

	expect_json(&redaction,
		    "{\"new\":\"/srv/acme\",\"list\":[\"acme\",{\"a\":\"b\"}],"
		    "\"path\":\"/acme\",\"reading\":{\"devices\":{"
		    "\"source\":\"acme\",\"rows\":[{\"new\":\"acme\","
		    "\"pages\":1}]},\"owners\":{\"lists\":[{\"kind\":\"acme\","
		    "\"largest\":[{\"name\":\"acme\"}]}]}}}",
		    "{\"new\":\"redacted\","
		    "\"list\":[\"redacted\",{\"a\":\"redacted\"}],"
		    "\"path\":\"redacted\",\"reading\":{\"devices\":{"
		    "\"source\":\"redacted\",\"rows\":[{\"new\":\"redacted\","
		    "\"pages\":1}]},\"owners\":{\"lists\":["
		    "{\"kind\":\"redacted\","
		    "\"largest\":[{\"name\":\"redacted\"}]}]}}}");
	redactor_destroy(redactor);
}

/* Without paths, but with the names of processes and mount points. */
static void paths_are_left_out(void **state __attribute__((unused)))
{
	const struct redaction redaction = { .lacks_paths = true };

	expect_json(&redaction,
		    "{\"new\":\"acme\",\"filled\":[{\"command\":\"cp\","
		    "\"cgroup\":\"/acme\",\"on_behalf_of\":null}],"
		    "\"reading\":{\"files\":{\"rows\":[{\"path\":\"/acme\","
		    "\"users\":[\"cp(1)\"]}]},\"owners\":{\"lists\":["
		    "{\"kind\":\"tmpfs_file\",\"largest\":[{\"name\":\"/t\"}]},"
		    "{\"kind\":\"hugetlbfs\",\"largest\":[{\"name\":\"/h\"}]},"
		    "{\"kind\":\"process\",\"largest\":[{\"name\":\"cp\"}]}]},"
		    "\"cgroups\":{\"list\":[{\"cgroup\":\"/\"},"
		    "{\"cgroup\":\"/acme\"}]}}}",
		    "{\"new\":\"acme\",\"filled\":[{\"command\":\"cp\","
		    "\"cgroup\":null,\"on_behalf_of\":null}],"
		    "\"reading\":{\"files\":{\"rows\":[{\"path\":null,"
		    "\"users\":[\"cp(1)\"]}]},\"owners\":{\"lists\":["
		    "{\"kind\":\"tmpfs_file\",\"largest\":[{\"name\":\"-\"}]},"
		    "{\"kind\":\"hugetlbfs\",\"largest\":[{\"name\":\"-\"}]},"
		    "{\"kind\":\"process\",\"largest\":[{\"name\":\"cp\"}]}]},"
		    "\"cgroups\":{\"list\":[{\"cgroup\":\"/\"},"
		    "{\"cgroup\":\"/#1\"}]}}}");
}

/* ---- canaries ------------------------------------------------------------ */

struct canaries {
	struct json_out json;
	unsigned int count;
};

/* Bufstat's own words, in which only a path is a name. */
static bool is_message(const char *key)
{
	return key && (strcmp(key, "refused") == 0 || strcmp(key, "why") == 0 ||
		       strcmp(key, "failed_source") == 0);
}

/* Writes the same document with a word of its own for each string. */
static void put_canaries(struct canaries *canaries, const char *key,
			 struct json_value value)
{
	struct json_value at = { 0 };
	char name[32];

	switch (json_in_kind(value)) {
	case JSON_STRING:
		/* A kind tells what the names after it are. */
		snprintf(name, sizeof(name), "%scanary-%u!",
			 is_message(key) ? "lost: /" : "", ++canaries->count);
		json_out_string(&canaries->json, key,
				key && strcmp(key, "kind") == 0 ?
					json_in_text(value) :
					name);
		break;
	case JSON_ARRAY:
		json_out_array(&canaries->json, key);
		while (json_in_each(value, &at))
			put_canaries(canaries, NULL, at);
		json_out_array_end(&canaries->json);
		break;
	case JSON_OBJECT:
		json_out_object(&canaries->json, key);
		while (json_in_each(value, &at)) {
			const char *member = json_in_text(at);

			json_in_each(value, &at);
			put_canaries(canaries, member, at);
		}
		json_out_object_end(&canaries->json);
		break;
	default:
		json_out_null(&canaries->json, key);
	}
}

/* Keys whose strings every host has. */
static bool is_word(const char *key)
{
	static const char *const words[] = {
		"bufstat", "kernel", "boot_id", "taken_at",   "kname",
		"fstype",  "head",   "cache",	"of_meminfo",
	};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strcmp(key, words[i]) == 0)
			return true;
	}
	return false;
}

static void find_canaries(const char *path, const char *key, const char *list,
			  struct json_value value)
{
	struct json_value at = { 0 };

	switch (json_in_kind(value)) {
	case JSON_STRING:
		if (strstr(json_in_text(value), "canary") && !is_word(key) &&
		    strcmp(list, "zones") != 0 &&
		    strcmp(list, "unknown_lines") != 0 &&
		    strcmp(list, "kept") != 0)
			fail_msg("%s: %s %s: %s", path, list, key,
				 json_in_text(value));
		break;
	case JSON_ARRAY:
		while (json_in_each(value, &at))
			find_canaries(path, key, list, at);
		break;
	case JSON_OBJECT:
		while (json_in_each(value, &at)) {
			const char *member = json_in_text(at), *kept = member;

			json_in_each(value, &at);
			if (strcmp(member, "largest") == 0)
				kept = list;
			/* Owners that the kernel names. */
			if (strcmp(member, "kind") == 0 &&
			    strstr("slab caller sysv zram site",
				   json_in_text(at)))
				list = "kept";
			find_canaries(path, member,
				      json_in_kind(at) == JSON_STRING ? list :
									kept,
				      at);
		}
		break;
	default:
		break;
	}
}

static void no_canary_flies_out(void **state __attribute__((unused)))
{
	static const char *const hosts[] = {
		FIXTURE("debian-ext4"),
		FIXTURE("incident"),
		FIXTURE("no-module"),
	};
	struct canaries canaries = { 0 };

	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		struct redactor *redactor = redactor_create();
		const struct redaction redaction = { .redactor = redactor };
		struct sysroot root;
		struct json_in *in;
		char *text, *with = NULL;
		size_t size;
		FILE *out = open_memstream(&with, &size);

		open_fixture(&root, hosts[i]);
		assert_int_equal(sysroot_read(&root, "/bufstat/reading.json",
					      64U << 20, &text, NULL),
				 0);
		assert_int_equal(json_in_open(text, &in), 0);
		json_out_init(&canaries.json, out);
		put_canaries(&canaries, NULL, json_in_root(in));
		json_out_finish(&canaries.json);
		fclose(out);
		json_in_close(in);
		assert_int_equal(redact_json(&redaction, &with, &size), 0);
		assert_int_equal(json_in_open(with, &in), 0);
		find_canaries(hosts[i], "", "", json_in_root(in));
		json_in_close(in);
		sysroot_deinit(&root);
		redactor_destroy(redactor);
	}
	assert_true(canaries.count > 200);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_keep_what_every_host_has),
		cmocka_unit_test(cgroups_keep_their_kind),
		cmocka_unit_test(processes_are_not_threads),
		cmocka_unit_test(files_have_their_forms),
		cmocka_unit_test(json_stays_json),
		cmocka_unit_test(unknown_strings_are_replaced),
		cmocka_unit_test(paths_are_left_out),
		cmocka_unit_test(no_canary_flies_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
