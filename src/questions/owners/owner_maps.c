// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of the kernel that a process maps: buffers of perf, rings of io_uring
 * and of packet sockets, and graphics objects. /proc/PID/maps has the size of
 * each, and waits for the mmap_lock, so it is read in a worker, and only of
 * processes that have such a descriptor. What was set up and never mapped is
 * not seen: fdinfo of io_uring has sizes only since Linux 5.16, and not those
 * of rings in the program's own memory.
 *
 * Of graphics objects a driver's fdinfo says more (drm-usage-stats, Linux 6.5;
 * some drivers since 5.19): what is not mapped, too. Of the others only those
 * count that keep their objects in shared memory; what is mapped of the rest
 * may be the card's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"
#include "worker/patience.h"

#define CARDS "/dev/dri/"
#define DRM_MAJOR 226 /* Documentation/admin-guide/devices.txt */
#define MAX_INFO (64U << 10)

struct asking {
	const struct owner_mapper *mappers;
	const struct owner_sockets *sockets;
	const struct sysroot *root;
};

/* One process. */
struct look {
	const struct asking *asking;
	unsigned int pid;
	struct owner_maps *maps;
	struct owner_maps said; /* by drivers */
	struct string_list clients; /* that were seen */
	bool is_told, is_silent; /* a driver said something, or nothing */
};

/* ---- what is mapped ------------------------------------------------------ */

/* A line of /proc/PID/maps. */
struct map {
	uint64_t begin, end; /* addresses */
	const char *name;
};

/* Drivers whose objects are files of the kernel's tmpfs, by name or bus name.
 */
static bool is_in_shared_memory(const char *driver)
{
	static const char *const drivers[] = {
		"etnaviv", "i915", "lima",	 "msm",	 "panfrost", "panthor",
		"udl",	   "v3d",  "virtio_gpu", "vgem", "vkms",
	};

	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++) {
		if (strcmp(drivers[i], driver) == 0)
			return true;
	}
	return false;
}

/*
 * vgem and vkms have no device of a bus, but one with their name. Where it is of
 * the faux bus it has a driver all the same, "faux_driver" (seen in Linux 7.3).
 */
static bool card_is_in_shared_memory(const struct sysroot *root,
				     const char *card)
{
	static const char *const links[] = { "device/driver", "device" };

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		_cleanup_(freep) char *driver = NULL;
		char path[256];

		snprintf(path, sizeof(path), "/sys/class/drm/%.64s/%s", card,
			 links[i]);
		if (sysroot_link_name(root, path, &driver) == 0 &&
		    is_in_shared_memory(driver))
			return true;
	}
	return false;
}

/* The kernel takes a power of two of pages for each ring (Linux 5.1 to 6.12).
 */
static int64_t round_to_order(int64_t bytes)
{
	int64_t rounded = sysconf(_SC_PAGESIZE);

	while (rounded < bytes)
		rounded *= 2;
	return rounded;
}

/* What is mapped of others is addresses for what they receive. */
static bool is_packet_socket(const struct owner_sockets *sockets,
			     const char *name)
{
	static const char prefix[] = "socket:[";
	const struct owner_socket *socket;
	const char *at = name;
	uint64_t ino;

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return false;
	at += strlen(prefix);
	if (!number_scan(&at, UINT64_MAX, &ino))
		return false;
	socket = owner_sockets_find(sockets, ino);
	return socket && socket->protocol == OWNER_PACKET;
}

/*
 * In a mount namespace of his own any user has a /dev/dri, and a file without
 * contents there may have any size. So the kernel says what was mapped, but
 * not to all users: those see only their own processes.
 */
static bool is_card(const struct look *look, const struct map *map)
{
	struct statx status;
	char path[64];

	if (strncmp(map->name, CARDS, strlen(CARDS)) != 0)
		return false;
	if (!sysroot_is_live(look->asking->root))
		return true;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64,
		 look->pid, map->begin, map->end);
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &status) < 0)
		return errno == EPERM;
	return S_ISCHR(status.stx_mode) && status.stx_rdev_major == DRM_MAJOR;
}

static void add_map(struct look *look, const struct map *map)
{
	const struct asking *asking = look->asking;
	const char *name = map->name;
	const int64_t bytes = (int64_t)(map->end - map->begin);
	int64_t *maps = look->maps->bytes;

	if (strcmp(name, "anon_inode:[perf_event]") == 0)
		maps[OWNER_MAP_PERF] += bytes;
	else if (strcmp(name, "anon_inode:[io_uring]") == 0)
		maps[OWNER_MAP_IO_URING] += round_to_order(bytes);
	else if (is_packet_socket(asking->sockets, name))
		maps[OWNER_MAP_PACKET] += bytes;
	else if (is_card(look, map) &&
		 card_is_in_shared_memory(asking->root, name + strlen(CARDS)))
		maps[OWNER_MAP_GRAPHICS] += bytes;
}

/* "7f0-7f8 rw-s 00000000 00:0e 1058    anon_inode:[perf_event]" */
static void parse_map(struct look *look, char *line)
{
	struct map map;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n",
		   &map.begin, &map.end, &at) == 2 &&
	    at && map.end > map.begin && map.end - map.begin <= INT64_MAX / 4) {
		map.name = line + at;
		add_map(look, &map);
	}
}

static int read_maps(struct look *look)
{
	const struct sysroot *root = look->asking->root;
	_cleanup_(closefp) FILE *file = NULL;
	_cleanup_(freep) char *line = NULL;
	_cleanup_(closep) int fd = -1;
	char path[64];
	size_t room = 0;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", look->pid);
	fd = sysroot_open(root, path, O_RDONLY);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file)
		return fd < 0 ? fd : -ENOMEM;
	steal_fd(&fd);
	while (!ret && getline(&line, &room, file) > 0) {
		parse_map(look, line);
		ret = patience_walk(root->patience);
	}
	return ret ?: ferror(file) ? -EIO : 0;
}

/* ---- what a driver says of it -------------------------------------------- */

/* What is on the card or was taken from memory at the boot. */
static bool is_region_of_memory(const char *region)
{
	static const char *const others[] = { "vram",	  "local", "stolen",
					      "gds",	  "gws",   "oa",
					      "doorbell", "mmio" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strncmp(region, others[i], strlen(others[i])) == 0)
			return false;
	}
	return true;
}

/*
 * "drm-resident-system0: 1024 KiB", after the prefix; bytes without a unit.
 * drm-total-cycles- counts no memory.
 */
static int64_t region_bytes(const char *line)
{
	const char *at = strchr(line, ':');
	uint64_t number;

	if (!at || !is_region_of_memory(line) ||
	    strncmp(line, "cycles-", strlen("cycles-")) == 0)
		return 0;
	at++;
	at += strspn(at, " \t");
	if (!number_scan(&at, INT64_MAX >> 21, &number))
		return 0;
	at += strspn(at, " \t");
	if (strncmp(at, "KiB", 3) == 0)
		number <<= 10;
	else if (strncmp(at, "MiB", 3) == 0)
		number <<= 20;
	return (int64_t)number;
}

/*
 * What a client has of memory, by the first of these keys that its driver has;
 * -1 if it has none. drm-memory is an older name of drm-resident.
 */
static int64_t client_bytes(const char *info)
{
	static const char *const keys[] = { "drm-resident-", "drm-memory-",
					    "drm-total-" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const size_t length = strlen(keys[i]);
		int64_t bytes = -1;

		for (const char *line = info; line; line = strchr(line, '\n')) {
			line += *line == '\n';
			if (strncmp(line, keys[i], length) == 0)
				bytes = (bytes < 0 ? 0 : bytes) +
					region_bytes(line + length);
		}
		if (bytes >= 0)
			return bytes;
	}
	return -1;
}

/* Whether the client was seen; adds it. Copies of a descriptor are of one. */
static int is_new_client(struct string_list *clients, const char *info)
{
	const char *card = value_of_line(info, "drm-pdev:");
	const char *client = value_of_line(info, "drm-client-id:");
	_cleanup_(freep) char *both = NULL;

	if (!client)
		return 1;
	if (asprintf(&both, "%.*s %.*s", card ? (int)strcspn(card, "\n") : 0,
		     card ?: "", (int)strcspn(client, "\n"), client) < 0) {
		both = NULL;
		return -ENOMEM;
	}
	if (string_list_has(clients, both))
		return 0;
	return string_list_add(clients, both) ?: 1;
}

static int add_client(struct look *look, const char *info)
{
	const int64_t bytes = client_bytes(info);
	const char *driver = value_of_line(info, "drm-driver:");
	char name[32] = "";
	int ret;

	if (bytes < 0 || !driver) {
		look->is_silent = true;
		return 0;
	}
	look->is_told = true;
	ret = is_new_client(&look->clients, info);
	if (ret <= 0)
		return ret;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(driver, "\n"),
		 driver);
	look->said.bytes[is_in_shared_memory(name) ? OWNER_MAP_GRAPHICS :
						     OWNER_MAP_GRAPHICS_PAGES] +=
		bytes;
	return 0;
}

static int read_clients(struct look *look)
{
	const struct sysroot *root = look->asking->root;
	_cleanup_(string_list_deinit) struct string_list fds = { 0 };
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/fd", look->pid);
	ret = sysroot_list(root, path, &fds);
	for (size_t i = 0; !ret && i < fds.count; i++) {
		_cleanup_(freep) char *link = NULL, *info = NULL;

		snprintf(path, sizeof(path), "/proc/%u/fd/%.16s", look->pid,
			 fds.strings[i]);
		if (sysroot_link(root, path, &link) < 0 ||
		    strncmp(link, CARDS, strlen(CARDS)) != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%u/fdinfo/%.16s", look->pid,
			 fds.strings[i]);
		if (sysroot_read(root, path, MAX_INFO, &info, NULL) == 0)
			ret = add_client(look, info);
	}
	return ret;
}

/* What a driver says has what is mapped in it, too. */
static void take_said(struct look *look)
{
	int64_t *maps = look->maps->bytes;
	const int64_t *said = look->said.bytes;

	maps[OWNER_MAP_GRAPHICS_PAGES] = said[OWNER_MAP_GRAPHICS_PAGES];
	if (look->is_told && !look->is_silent)
		maps[OWNER_MAP_GRAPHICS] = said[OWNER_MAP_GRAPHICS];
	else
		maps[OWNER_MAP_GRAPHICS] = greater(maps[OWNER_MAP_GRAPHICS],
						   said[OWNER_MAP_GRAPHICS]);
}

/* ---- a process ----------------------------------------------------------- */

void owner_maps_read(struct owner_maps *maps, const struct owner_mapper *mapper,
		     const struct owner_sockets *sockets,
		     const struct sysroot *root)
{
	const struct asking asking = { mapper, sockets, root };
	struct look look = { .asking = &asking,
			     .pid = mapper->pid,
			     .maps = maps };

	maps->error = mapper->has_graphics ? read_clients(&look) : 0;
	if (!maps->error)
		maps->error = read_maps(&look);
	take_said(&look);
	string_list_deinit(&look.clients);
}

static size_t answer_maps(const void *data, size_t index, void *answer)
{
	const struct asking *asking = data;

	owner_maps_read(answer, &asking->mappers[index], asking->sockets,
			asking->root);
	return sizeof(struct owner_maps);
}

/* A driver may wait for its card, and nothing ends that. */
static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct asking *asking = data;
	const struct owner_mapper *mapper = &asking->mappers[index];

	*text = '\0';
	if (mapper->has_graphics)
		snprintf(text, STUCK_OBJECT, "graphics of process %u",
			 mapper->pid);
}

int owner_maps_ask(struct owner_mapper *mappers, size_t count,
		   const struct owner_sockets *sockets,
		   const struct sysroot *root)
{
	const struct asking asking = { mappers, sockets, root };
	const struct ask question = {
		.answer = answer_maps,
		.data = &asking,
		.count = count,
		.answer_size = sizeof(struct owner_maps),
		.kept = -1,
		.what = "what processes map",
		.object = object_of,
		.patience = root->patience,
	};
	struct asked *asked = NULL;
	int ret = count ? ask(&question, &asked, NULL) : 0;

	for (size_t i = 0; asked && i < count; i++) {
		const struct owner_maps *maps = asked_answer(asked, i);

		if (maps)
			mappers[i].maps = *maps;
		else
			mappers[i].maps.error = asked_error(asked, i);
	}
	asked_destroy(asked);
	return only_enomem(ret);
}
