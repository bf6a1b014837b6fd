// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "capture/redact.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/monotonic.h"
#include "lib/sentence.h"

#define DELETED " (deleted)"

static const char *const words[REDACT_KINDS] = {
	[REDACT_FILE] = "file",	    [REDACT_PROCESS] = "process",
	[REDACT_VOLUME] = "volume", [REDACT_ID] = "id",
	[REDACT_CONTAINER] = "",
};

struct redactor {
	struct entry {
		enum redact_kind kind; /* REDACT_KINDS: a whole path */
		char *name; /* and after its NUL */
		const char *word;
	} * entries;
	size_t count;
	size_t room;
	/* Of entries, plus 1, by the hash of the name; 0: none. */
	size_t *places;
	size_t place_count; /* a power of two, more than twice the entries */
	unsigned int used[REDACT_KINDS]; /* words */
	uint64_t seed; /* of the hash: no capture knows which names meet */
};

struct redactor *redactor_create(void)
{
	struct redactor *redactor = calloc(1, sizeof(*redactor));

	if (redactor && getrandom(&redactor->seed, sizeof(redactor->seed),
				  GRND_NONBLOCK) < 0)
		redactor->seed = (uint64_t)monotonic_ns();
	return redactor;
}

void redactor_destroy(struct redactor *redactor)
{
	if (!redactor)
		return;
	for (size_t i = 0; i < redactor->count; i++)
		free(redactor->entries[i].name);
	free(redactor->entries);
	free(redactor->places);
	free(redactor);
}

static size_t hash(const struct redactor *redactor, enum redact_kind kind,
		   const char *name)
{
	uint64_t sum = redactor->seed ^ kind;

	/* FNV-1a; the last characters have to change all bits, too. */
	for (; *name; name++) {
		sum = (sum ^ (unsigned char)*name) * 1099511628211U;
		sum ^= sum >> 32;
	}
	return (size_t)sum;
}

/* The place of the name, or the empty one where it belongs. */
static size_t *place_of(const struct redactor *redactor, enum redact_kind kind,
			const char *name)
{
	size_t mask = redactor->place_count - 1;
	size_t at = hash(redactor, kind, name) & mask;

	for (;; at = (at + 1) & mask) {
		size_t *place = &redactor->places[at];
		const struct entry *entry;

		if (!*place)
			return place;
		entry = &redactor->entries[*place - 1];
		if (entry->kind == kind && strcmp(entry->name, name) == 0)
			return place;
	}
}

static const char *find(const struct redactor *redactor, enum redact_kind kind,
			const char *name)
{
	size_t place = redactor->place_count ? *place_of(redactor, kind, name) :
					       0;

	return place ? redactor->entries[place - 1].word : NULL;
}

/* Makes room for one more place. */
static int make_places(struct redactor *redactor)
{
	size_t count = redactor->place_count ? redactor->place_count * 2 : 256;
	size_t *places;

	if (redactor->count * 2 + 2 < redactor->place_count)
		return 0;
	places = calloc(count, sizeof(*places));
	if (!places)
		return -ENOMEM;
	free(redactor->places);
	redactor->places = places;
	redactor->place_count = count;
	for (size_t i = 0; i < redactor->count; i++)
		*place_of(redactor, redactor->entries[i].kind,
			  redactor->entries[i].name) = i + 1;
	return 0;
}

static const char *add(struct redactor *redactor, enum redact_kind kind,
		       const char *name, const char *word)
{
	const size_t length = strlen(name) + 1, size = strlen(word) + 1;
	char *both = malloc(length + size);

	if (!both || make_places(redactor) < 0 ||
	    array_make_room(&redactor->entries, redactor->count,
			    &redactor->room) < 0) {
		free(both);
		return NULL;
	}
	memcpy(both, name, length);
	memcpy(both + length, word, size);
	redactor->entries[redactor->count++] =
		(struct entry){ kind, both, both + length };
	*place_of(redactor, kind, both) = redactor->count;
	return both + length;
}

const char *redact_name(struct redactor *redactor, enum redact_kind kind,
			const char *name)
{
	const char *known = find(redactor, kind, name);
	unsigned int number;
	char word[32];

	if (known || !*name)
		return known ? known : "";
	number = ++redactor->used[kind];
	if (kind == REDACT_CONTAINER)
		snprintf(word, sizeof(word), "%0*x", (int)strlen(name), number);
	else
		snprintf(word, sizeof(word), "%s%u", words[kind], number);
	return add(redactor, kind, name, word);
}

/* ---- what every host has ------------------------------------------------- */

/* "sda1", "dm-0", "nvme0n1p2": the kernel gives them. */
static bool is_device(const char *name)
{
	static const char *const types[] = {
		"sd",	"hd",	"vd",  "xvd",  "nvme", "mmcblk",
		"loop", "dm-",	"md",  "sr",   "ram",  "zram",
		"nbd",	"pmem", "rbd", "drbd", "dasd", "bcache",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		size_t length = strlen(types[i]);
		const char *rest = name + length;

		if (strncmp(name, types[i], length) != 0)
			continue;
		/* Letters of a disk, then numbers of partitions and the like. */
		if (types[i][length - 1] == 'd' && length <= 3)
			rest += strspn(rest, "abcdefghijklmnopqrstuvwxyz") <=
						3 ?
					strspn(rest,
					       "abcdefghijklmnopqrstuvwxyz") :
					0;
		if (!rest[strspn(rest, "0123456789npbc")])
			return true;
	}
	return false;
}

static bool is_usual(const char *component)
{
	static const char *const usual[] = {
		"bin",	      "boot",	       "cache",
		"data",	      "dev",	       "disk",
		"efi",	      "etc",	       "fs",
		"home",	      "lib",	       "lib64",
		"local",      "log",	       "mapper",
		"media",      "mnt",	       "modules",
		"opt",	      "proc",	       "root",
		"run",	      "sbin",	       "self",
		"share",      "shm",	       "srv",
		"sys",	      "tmp",	       "usr",
		"var",	      "cgroup",	       "memory",
		"unified",    "user",	       "lock",
		"block",      "devices",       "kernel",
		"pts",	      "mqueue",	       "hugepages",
		"fd",	      "init.scope",    "system.slice",
		"user.slice", "machine.slice", "kubepods.slice",
		"docker",     "containers",
	};

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		if (strcmp(component, usual[i]) == 0)
			return true;
	}
	return is_device(component) ||
	       !component[strspn(component, "0123456789.")];
}

/* A program may begin with the same letters, but not with such a name. */
static bool is_kernel_thread(const char *name)
{
	/* With "/" at the end anything may follow, else a number or nothing. */
	static const char *const threads[] = {
		"kworker/",
		"jbd2/",
		"ksoftirqd/",
		"migration/",
		"xfsaild/",
		"kswapd",
		"kcompactd",
		"kdamond.",
		"loop",
		"md",
		"khugepaged",
		"kthreadd",
		"ext4lazyinit",
		"writeback",
		"btrfs-transacti",
		"btrfs-cleaner",
		"rcu_gp",
		"rcu_par_gp",
		"rcu_sched",
		"rcu_preempt",
		"rcu_bh",
		"rcu_tasks_kthre",
		"rcu_tasks_rude_",
		"rcu_tasks_trace",
		"nfsd",
		"bufstat",
		"bufstat-disk",
		"bufstat-trace",
	};

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		size_t length = strlen(threads[i]);
		const char *rest = name + length;

		if (strncmp(name, threads[i], length) != 0)
			continue;
		rest += strspn(rest, "0123456789");
		/* "md127_raid1" */
		if (threads[i][length - 1] == '/' || !*rest ||
		    strncmp(rest, "_raid", strlen("_raid")) == 0)
			return true;
	}
	return false;
}

/* What is written about a thread has the name of a device: it has no other. */
const char *redact_process(struct redactor *redactor, const char *name)
{
	static const char *const ours[] = {
		"(others)",
		"not traced",
		"(unattributed)",
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		if (strcmp(name, ours[i]) == 0)
			return ours[i];
	}
	if (!is_kernel_thread(name))
		return redact_name(redactor, REDACT_PROCESS, name);
	if (find(redactor, REDACT_KINDS, name))
		return find(redactor, REDACT_KINDS, name);
	return add(redactor, REDACT_KINDS, name, name);
}

/* ---- paths --------------------------------------------------------------- */

#define SHORT_ID 12
#define LONG_ID 64

/* The length of hexadecimal digits at @text if they are an id, or 0. */
static size_t id_length(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length == SHORT_ID || length == LONG_ID ? length : 0;
}

/* The runtime's name in front of an id, with what separates them, or 0. */
static size_t runtime_length(const char *component)
{
	static const char *const runtimes[] = {
		"",	   "docker-", "libpod-",	 "crio-", "containerd-",
		"docker:", "podman:", "cri-containerd-", "crio:", "containerd:",
	};

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		size_t length = strlen(runtimes[i]);

		if (strncmp(component, runtimes[i], length) == 0 &&
		    id_length(component + length))
			return length;
	}
	return SIZE_MAX;
}

/* The long id begins with the short one, before and after. */
static void put_id(struct redactor *redactor, struct sentence *out,
		   const char *id)
{
	_cleanup_(freep) char *name = strndup(id, SHORT_ID);
	const char *word =
		name ? redact_name(redactor, REDACT_CONTAINER, name) : NULL;

	out->failed |= !word;
	say(out, "%s", word ?: "");
	for (size_t i = SHORT_ID; i < id_length(id); i++)
		say(out, "0");
}

/* "restic.service" is a service, whatever its name. */
static size_t unit_length(const char *component)
{
	static const char *const units[] = { ".service", ".scope", ".slice",
					     ".mount", ".socket" };
	size_t length = strlen(component);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t size = strlen(units[i]);

		if (length > size &&
		    strcmp(component + length - size, units[i]) == 0)
			return size;
	}
	return 0;
}

static void put_component(struct redactor *redactor, struct sentence *out,
			  enum redact_kind kind, const char *component)
{
	size_t unit = unit_length(component);
	size_t name_length = strlen(component) - unit;
	size_t runtime = runtime_length(component);
	_cleanup_(freep) char *name = NULL;
	const char *word;

	if (runtime != SIZE_MAX) {
		say(out, "%.*s", (int)runtime, component);
		put_id(redactor, out, component + runtime);
		say(out, "%s", component + name_length);
		return;
	}
	name = strndup(component, name_length);
	word = name ? redact_name(redactor, kind, name) : NULL;
	out->failed |= !word;
	say(out, "%s%s", word ?: "", component + name_length);
}

static void put_path(struct redactor *redactor, struct sentence *out,
		     const char *path)
{
	size_t length = strlen(path), deleted = strlen(DELETED);
	bool is_deleted = length > deleted &&
			  strcmp(path + length - deleted, DELETED) == 0;
	const char *end = path + length - (is_deleted ? deleted : 0);
	enum redact_kind kind = REDACT_FILE;

	while (path < end) {
		size_t size = strcspn(path, "/");
		_cleanup_(freep) char *component = NULL;

		if (path + size > end)
			size = (size_t)(end - path);
		component = strndup(path, size);
		if (!component) {
			out->failed = true;
			return;
		}
		if (!size || is_usual(component))
			say(out, "%s", component);
		else
			put_component(redactor, out, kind, component);
		kind = strcmp(component, "mapper") == 0 ? REDACT_VOLUME :
							  REDACT_FILE;
		path += size;
		if (path < end)
			say(out, "%c", *path++);
	}
	if (is_deleted)
		say(out, DELETED);
}

const char *redact_path(struct redactor *redactor, const char *path)
{
	const char *known = find(redactor, REDACT_KINDS, path);
	_cleanup_(freep) char *word = NULL;
	struct sentence out;

	if (known)
		return known;
	/* "[SWAP]", and "-" for what is not known, are no names. */
	if (!*path || *path == '[' || strcmp(path, "-") == 0)
		return add(redactor, REDACT_KINDS, path, path);
	sentence_begin(&out);
	put_path(redactor, &out, path);
	return sentence_end(&out, &word) < 0 ?
		       NULL :
		       add(redactor, REDACT_KINDS, path, word);
}
