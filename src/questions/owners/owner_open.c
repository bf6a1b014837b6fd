// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is in memory and has no path, and the processes that have it open:
 * files, BPF maps, what waits in sockets and pipes, and what the kernel gives
 * them to map.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "filesystems/fdinfo.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "memory/memory_details.h"
#include "names/pid_namespace.h"
#include "owners/owner_open.h"
#include "worker/patience.h"

/* So many pipes and Unix sockets are asked together. */
#define QUEUES_AT_ONCE 1024

static void pass_deinit(struct nameless_pass *pass)
{
	for (size_t i = 0; i < pass->count; i++)
		free(pass->files[i].name);
	free(pass->files);
	free(pass->queues);
	free(pass->mappers);
	free(pass->maps);
	owner_sockets_deinit(&pass->sockets);
}

/* A memfd in huge pages is in another filesystem, and of another head. */
static int find_memfds(struct nameless_pass *pass)
{
	_cleanup_(closep) int fd = memfd_create("bufstat", MFD_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	pass->memfds = status.st_dev;
	return 0;
}

/* Whether a descriptor is of a file on a tmpfs that is mounted. */
static bool is_on_tmpfs(const struct nameless_pass *pass, unsigned int pid,
			const char *fd)
{
	_cleanup_(freep) char *info = NULL;
	const struct mounted *mounted;
	const struct mount_id *mount;
	char process[16];
	uint64_t id;

	snprintf(process, sizeof(process), "%u", pid);
	if (fdinfo_read(pass->root, process, fd, &info) < 0 ||
	    !number_of_line(info, "mnt_id:", UINT64_MAX, &id))
		return false;
	mount = all_mounts_find_id(pass->mounts, id);
	mounted = mount ? all_mounts_find(pass->mounts, mount->major,
					  mount->minor) :
			  NULL;
	return mounted && owner_is_tmpfs(mounted);
}

/* Cuts a word off the end of a text. */
static bool cut_off(char *text, const char *word)
{
	size_t length = strlen(text), word_length = strlen(word);

	if (length <= word_length ||
	    strcmp(text + length - word_length, word) != 0)
		return false;
	text[length - word_length] = '\0';
	return true;
}

static int nameless_add(struct nameless_pass *pass, const struct nameless *file,
			char *name)
{
	if (!name ||
	    array_make_room(&pass->files, pass->count, &pass->capacity) < 0) {
		free(name);
		return -ENOMEM;
	}
	pass->files[pass->count] = *file;
	pass->files[pass->count++].name = name;
	return 0;
}

static int add_map_part(struct nameless_pass *pass, struct nameless *map,
			enum nameless_kind kind, int64_t bytes,
			const char *name)
{
	if (!pass->lists[kind] || !bytes)
		return 0;
	map->kind = kind;
	map->bytes = bytes;
	return nameless_add(pass, map, strdup(name));
}

/*
 * Sets the numbers of the maps that processes have open and of @pins. Returns 0
 * or -ENOMEM; the caller frees them.
 */
static int set_known(const struct nameless_pass *pass,
		     const struct owner_pins *pins,
		     struct owner_pins_wanted *wanted)
{
	size_t count = pass->map_count;
	uint32_t *known = calloc(count + pins->count + 1, sizeof(*known));

	if (!known)
		return -ENOMEM;
	if (count)
		memcpy(known, pass->maps, count * sizeof(*known));
	for (size_t i = 0; i < pins->count; i++)
		known[count++] = pins->pins[i].map.id;
	if (count)
		qsort(known, count, sizeof(*known), owner_map_compare);
	free(wanted->known);
	wanted->known = known;
	wanted->known_count = count;
	return 0;
}

static int add_listed(struct nameless_pass *pass, const struct owner_pins *pins,
		      enum nameless_kind kind, enum nameless_kind per_cpu)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < pins->count; i++) {
		const struct owner_pin *pin = &pins->pins[i];
		struct nameless map = { .ino = pin->map.id };

		ret = add_map_part(pass, &map, kind, pin->map.vmalloc_bytes,
				   pin->name);
		if (!ret)
			ret = add_map_part(pass, &map, per_cpu,
					   pin->map.per_cpu_bytes, pin->name);
	}
	pass->unasked[kind] = pass->unasked[per_cpu] = pins->is_cut_short;
	return ret;
}

/* Those that are pinned and, besides, those that nobody has. */
static int find_others(struct nameless_pass *pass,
		       struct owner_pins_wanted *wanted,
		       struct owner_pins *pins)
{
	struct error err = { 0 };
	char text[ERROR_TEXT_SIZE];
	int ret = set_known(pass, pins, wanted) ?:
						  owner_pins_find(pins, wanted);

	if (!ret) {
		pass->pins_failed = -pins->error;
		ret = add_listed(pass, pins, BPF_PIN, BPF_PIN_PER_CPU);
	}
	if (!ret)
		ret = set_known(pass, pins, wanted);
	if (ret < 0)
		return ret;
	ret = owner_others_find(pins, wanted, &err);
	if (ret == -ENOMEM)
		return ret;
	if (ret < 0)
		snprintf(pass->others_failed, sizeof(pass->others_failed), "%s",
			 error_text(&err, text));
	return add_listed(pass, pins, BPF_OTHER, BPF_OTHER_PER_CPU);
}

/* Those that no process has open. */
static int add_pins(struct nameless_pass *pass)
{
	_cleanup_(freep) struct owner_pins *pins = calloc(1, sizeof(*pins));
	struct owner_pins_wanted wanted = {
		.root = pass->root,
		.processors = pass->processors,
	};
	int ret = pins ? find_others(pass, &wanted, pins) : -ENOMEM;

	free(wanted.known);
	return ret;
}

static int add_map(struct nameless_pass *pass, const char *fd, unsigned int pid)
{
	struct nameless map = { .pid = pid, .fd = atoi(fd) };
	struct owner_bpf_map found;
	char process[16], name[16];

	snprintf(process, sizeof(process), "%u", pid);
	if (!owner_bpf_map(pass->root, process, fd, pass->processors, &found))
		return 0;
	if (array_make_room(&pass->maps, pass->map_count, &pass->map_capacity) <
	    0)
		return -ENOMEM;
	pass->maps[pass->map_count++] = found.id;
	map.ino = found.id;
	snprintf(name, sizeof(name), "id %u", found.id);
	return add_map_part(pass, &map, BPF_MAP, found.vmalloc_bytes, name) ?:
		       add_map_part(pass, &map, BPF_PER_CPU,
				    found.per_cpu_bytes, name);
}

/* Returns -ETIMEDOUT if the time is over: some may not have been asked. */
static int ask_queues(struct nameless_pass *pass)
{
	unsigned int refused[KINDS] = { 0 }; /* the last process */
	int ret = owner_queues_ask(pass->queues, pass->queue_count,
				   pass->root->patience);

	for (size_t i = 0; !ret && i < pass->queue_count; i++) {
		const struct owner_queue *queue = &pass->queues[i];
		const struct nameless unread = {
			.kind = queue->is_pipe ? PIPE : UNIX_SOCKET,
			.ino = queue->place.number,
			.bytes = queue->bytes,
			.pid = queue->place.pid,
		};

		if (queue->bytes == -ENOSYS)
			pass->queues_failed = -ENOSYS;
		else if (queue->bytes < 0 && refused[unread.kind] != unread.pid)
			pass->unasked[unread.kind]++;
		if (queue->bytes < 0)
			refused[unread.kind] = unread.pid;
		else if (queue->bytes)
			ret = nameless_add(pass, &unread, strdup("queue"));
	}
	pass->queue_count = 0;
	return ret ?: patience_walk(pass->root->patience);
}

static int add_queue(struct nameless_pass *pass,
		     const struct owner_queue *queue)
{
	if (pass->queues_failed)
		return 0;
	if (array_make_room(&pass->queues, pass->queue_count,
			    &pass->queue_capacity) < 0)
		return -ENOMEM;
	pass->queues[pass->queue_count++] = *queue;
	return pass->queue_count < QUEUES_AT_ONCE ? 0 : ask_queues(pass);
}

/* What it maps is asked at the end. */
static int add_mapper(struct nameless_pass *pass, unsigned int pid,
		      bool has_graphics)
{
	struct owner_mapper *last =
		pass->mapper_count ? &pass->mappers[pass->mapper_count - 1] :
				     NULL;

	if (!pass->lists[MAPPED + OWNER_MAP_PERF] &&
	    !(has_graphics && pass->lists[MAPPED + OWNER_MAP_GRAPHICS]))
		return 0;
	if (last && last->pid == pid) {
		last->has_graphics |= has_graphics;
		return 0;
	}
	if (array_make_room(&pass->mappers, pass->mapper_count,
			    &pass->mapper_capacity) < 0)
		return -ENOMEM;
	pass->mappers[pass->mapper_count++] = (struct owner_mapper){
		.pid = pid,
		.has_graphics = has_graphics,
	};
	return 0;
}

/* Returns -ETIMEDOUT if the time is over: some may not have been asked. */
static int ask_mappers(struct nameless_pass *pass)
{
	int ret = owner_maps_ask(pass->mappers, pass->mapper_count,
				 &pass->sockets, pass->root);

	for (size_t i = 0; !ret && i < pass->mapper_count; i++) {
		const struct owner_mapper *mapper = &pass->mappers[i];
		struct nameless mapped = {
			.pid = mapper->pid,
			.ino = mapper->pid,
		};

		for (enum owner_map map = 0; !ret && map < OWNER_MAPS; map++) {
			mapped.kind = MAPPED + map;
			mapped.bytes = mapper->maps.bytes[map];
			pass->unasked[mapped.kind] +=
				mapper->maps.error &&
				sysroot_hides(mapper->maps.error);
			if (mapped.bytes && pass->lists[mapped.kind])
				ret = nameless_add(pass, &mapped,
						   strdup("maps"));
		}
	}
	return ret ?: patience_walk(pass->root->patience);
}

static int add_socket(struct nameless_pass *pass, const char *ino,
		      const char *fd, unsigned int pid)
{
	const struct owner_socket *found;
	struct nameless socket = { .pid = pid };

	if (!number_scan(&ino, UINT64_MAX, &socket.ino))
		return 0;
	found = owner_sockets_find(&pass->sockets, socket.ino);
	if (!found)
		return 0;
	if (found->protocol == OWNER_UNIX)
		return add_queue(
			pass, &(struct owner_queue){
				      .place = { pid, atoi(fd), socket.ino } });
	if (found->protocol == OWNER_PACKET)
		return add_mapper(pass, pid, false);
	socket.kind = found->protocol == OWNER_TCP ? TCP : UDP;
	socket.bytes = found->bytes;
	return nameless_add(pass, &socket, strdup("sockets"));
}

/* The mode of the link says which end it is. */
static int add_pipe(struct nameless_pass *pass, int dir, const char *ino,
		    const char *fd, unsigned int pid)
{
	struct owner_queue pipe = { .place = { .pid = pid, .fd = atoi(fd) },
				    .is_pipe = true };
	struct stat status;

	if (!number_scan(&ino, UINT64_MAX, &pipe.place.number) ||
	    fstatat(dir, fd, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !(status.st_mode & S_IRUSR))
		return 0;
	return add_queue(pass, &pipe);
}

/*
 * Only a file in memory is looked at any closer than its link, so nothing here
 * asks a server or waits for a disk.
 */
static int add_descriptor(struct nameless_pass *pass, int dir, const char *fd,
			  unsigned int pid)
{
	static const char prefix[] = "/memfd:", sockets[] = "socket:[",
			  pipes[] = "pipe:[", cards[] = "/dev/dri/";
	struct nameless file = { .pid = pid };
	char link[PATH_MAX];
	ssize_t length = readlinkat(dir, fd, link, sizeof(link) - 1);
	bool is_memfd, is_deleted;
	struct stat status;

	if (length <= 0)
		return 0;
	link[length] = '\0';
	if (strcmp(link, "anon_inode:bpf-map") == 0)
		return add_map(pass, fd, pid);
	if (strcmp(link, "anon_inode:[perf_event]") == 0 ||
	    strcmp(link, "anon_inode:[io_uring]") == 0)
		return add_mapper(pass, pid, false);
	if (strncmp(link, cards, strlen(cards)) == 0)
		return add_mapper(pass, pid, true);
	if (strncmp(link, sockets, strlen(sockets)) == 0)
		return add_socket(pass, link + strlen(sockets), fd, pid);
	if (pass->lists[PIPE] && strncmp(link, pipes, strlen(pipes)) == 0)
		return add_pipe(pass, dir, link + strlen(pipes), fd, pid);
	if (!pass->lists[MEMFD])
		return 0;
	is_memfd = strncmp(link, prefix, strlen(prefix)) == 0;
	is_deleted = cut_off(link, " (deleted)");
	if (!is_memfd &&
	    (!is_deleted || *link != '/' || !is_on_tmpfs(pass, pid, fd)))
		return 0;
	if (fstatat(dir, fd, &status, 0) < 0 || !status.st_blocks ||
	    status.st_nlink || !S_ISREG(status.st_mode) ||
	    (is_memfd && status.st_dev != pass->memfds))
		return 0;
	file.kind = is_memfd ? MEMFD : DELETED;
	file.ino = status.st_ino;
	file.device = status.st_dev;
	file.bytes = (int64_t)status.st_blocks * 512;
	return nameless_add(pass, &file,
			    strdup(is_memfd ? link + strlen(prefix) : link));
}

/* Returns -ETIMEDOUT if the time is over before its end. */
static int add_process(struct nameless_pass *pass, const char *name)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	const char *fd;
	char path[64];
	uint64_t pid;
	int ret = 0;

	if (!number_parse(name, UINT_MAX, &pid))
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/fd", name);
	dir = sysroot_opendir(pass->root, path);
	/* One that has ended has none open. */
	if (!dir)
		pass->unread += errno != ENOENT && errno != ESRCH;
	if (dir && pass->lists[TCP])
		ret = owner_sockets_add(&pass->sockets, pass->root, name);
	while (dir && !ret && sysroot_next_name(dir, &fd) > 0) {
		ret = patience_walk(pass->root->patience);
		if (!ret)
			ret = add_descriptor(pass, dirfd(dir), fd,
					     (unsigned int)pid);
	}
	return ret;
}

static int by_file_and_pid(const void *left, const void *right)
{
	const struct nameless *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int read_processes(struct memory_owners *owners,
			  struct nameless_pass *pass,
			  const struct string_list *names)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < names->count; i++)
		ret = patience_walk(pass->root->patience) ?:
			      add_process(pass, names->strings[i]);
	if (!ret && pass->queue_count)
		ret = ask_queues(pass);
	if (!ret)
		ret = ask_mappers(pass);
	if (!ret && (pass->lists[BPF_PIN] || pass->lists[BPF_PIN_PER_CPU]))
		ret = add_pins(pass);
	if (ret == -ETIMEDOUT) {
		owners->is_cut_short = true;
		ret = 0;
	}
	if (pass->count)
		qsort(pass->files, pass->count, sizeof(*pass->files),
		      by_file_and_pid);
	return ret;
}

int owners_of_nameless(struct memory_owners *owners, struct owner_host *host)
{
	const struct sysroot *root = host->root;
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	_cleanup_(pass_deinit) struct nameless_pass pass = {
		.root = root,
		/* Whoever is refused would be in the log (Yama). */
		.queues_failed = is_first_root() ? 0 : -EPERM,
	};
	bool is_live = sysroot_is_live(root);
	int ret = 0;

	if (!nameless_choose_lists(&pass, owners))
		return 0;
	if (is_live)
		ret = find_memfds(&pass) ?: sysroot_list(root, "/proc", &names);
	if (!ret && is_live && pass.lists[DELETED]) {
		pass.mounts = owner_mounts(host, pass.lists[DELETED]);
		ret = pass.mounts ? 0 : -ENOMEM;
	}
	if (is_live && (pass.lists[BPF_MAP] || pass.lists[BPF_PER_CPU]))
		pass.processors = memory_read_processors(root);
	if (!ret && is_live)
		ret = read_processes(owners, &pass, &names);
	for (enum nameless_kind kind = 0; ret != -ENOMEM && kind < KINDS;
	     kind++) {
		if (!pass.lists[kind])
			continue;
		/* A tree has no list of these, as an older capture has none. */
		if (!is_live && kind >= BPF_MAP) {
			pass.lists[kind]->asked = false;
			continue;
		}
		if (!is_live)
			memory_owner_list_fail(pass.lists[kind],
					       OWNERS_ONLY_LIVE);
		else if (ret < 0)
			owner_list_refuse(pass.lists[kind], "/proc", ret);
		if (nameless_finish(owners, &pass, kind) < 0)
			ret = -ENOMEM;
	}
	return only_enomem(ret);
}
