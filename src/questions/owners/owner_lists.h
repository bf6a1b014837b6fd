/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of owners. Each function fills the lists of its kind that were
 * asked for, and returns 0 or -ENOMEM.
 */
#ifndef BUFSTAT_OWNER_LISTS_H
#define BUFSTAT_OWNER_LISTS_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "filesystems/all_mounts.h"
#include "lib/string_list.h"
#include "memory/memory_owners.h"

struct fs_target;
struct mounted;
struct nlmsghdr;
struct patience;
struct stat;
struct statfs;
struct sysroot;

#define OWNERS_ONLY_LIVE "tmpfs: only the running host can be asked"

/* Where owners are looked for, and what several lists read of it. */
struct owner_host {
	const struct sysroot *root;
	struct all_mounts mounts; /* owner_mounts() */
	bool has_mounts;
};

/*
 * The filesystems that are mounted in any namespace, owned by @host. The first
 * call reads /proc of every process; later ones return the same, as of then.
 * Says in @list, which may be NULL, that some could not be read. NULL: out of
 * memory.
 */
const struct all_mounts *owner_mounts(struct owner_host *host,
				      struct memory_owner_list *list);

/*
 * Bounds reads of the kernel's memory, which know of no walks, but of a time
 * limit: @walk is one for @root, if it has none.
 */
void owner_hurry(struct sysroot *root, struct patience *walk);

/* The list of this head and kind if it was asked for; else NULL. */
struct memory_owner_list *owner_list(struct memory_owners *owners,
				     enum memory_head_id head,
				     enum memory_owner_kind kind);

/* Says why a file could not be read, in a list; @ret is a negative errno. */
void owner_list_refuse(struct memory_owner_list *list, const char *path,
		       int ret);

/*
 * Opens the mount at @index, which is of a filesystem in memory; returns the
 * descriptor, which the caller closes with fs_target_deinit(), or -1.
 */
int owner_open_mount(struct fs_target *target, const struct all_mounts *mounts,
		     size_t index, struct statfs *status);

/* Without the first root, which has the system's own files. */
bool owner_is_tmpfs(const struct mounted *mounted);

/* One pass over /proc/PID/status, which takes no mmap_lock. */
int owners_of_processes(struct memory_owners *owners,
			const struct sysroot *root);

/*
 * Replaces the figures of the list of programs, which is whole and sorted, by
 * their Pss_Anon (Linux 5.4), and cuts it. Asks only as many as may be among
 * the largest.
 */
int owners_by_pss(struct memory_owners *owners, const struct sysroot *root);

int owners_of_slab(struct memory_owners *owners, struct owner_host *host);
int owners_of_vmalloc(struct memory_owners *owners, struct owner_host *host);
int owners_of_sites(struct memory_owners *owners, struct owner_host *host);
int owners_of_zram(struct memory_owners *owners, struct owner_host *host);

/* These look at the running host only. */
int owners_of_tmpfs(struct memory_owners *owners, struct owner_host *host);
int owners_of_tmpfs_files(struct memory_owners *owners,
			  struct owner_host *host);
/*
 * Memfds, deleted files on tmpfs, BPF maps, what waits in sockets and pipes,
 * and what processes map of the kernel's memory: those that some process has
 * open. Of a head, all lists or none are asked for.
 */
int owners_of_nameless(struct memory_owners *owners, struct owner_host *host);
int owners_of_hugetlbfs(struct memory_owners *owners, struct owner_host *host);

/* A descriptor of a process. */
struct owner_place {
	unsigned int pid;
	int fd; /* its number there */
	uint64_t number; /* of the BPF map, or the inode */
};

/*
 * Returns a copy of the descriptor, of whatever file it is by now, or a
 * negative errno. Waits for a process that begins another program, so only a
 * worker may call it.
 */
int owner_copy(const struct owner_place *place);

/* Bytes of a BPF map, without what is in slab: 0 if that is all. */
struct owner_bpf_map {
	uint32_t id;
	int64_t vmalloc_bytes;
	int64_t per_cpu_bytes; /* 0 where it is not known of how many processors
				*/
};

/*
 * Whether the descriptor of a process is a BPF map. There may be @processors
 * (memory_read_processors()).
 */
bool owner_bpf_map(const struct sysroot *root, const char *pid, const char *fd,
		   unsigned int processors, struct owner_bpf_map *map);

/* What bpf(2) says of a descriptor, in @size bytes; false: it does not. */
bool owner_bpf_info(int fd, void *info, size_t size);

/*
 * Replaces the names of owners by those of the maps at @places, one for each,
 * where the map is still there and has one. Returns 0 or -ENOMEM.
 */
int owner_bpf_names(struct memory_owner_list *list,
		    const struct owner_place *places,
		    const struct sysroot *root);

/* A walk over a filesystem that answers from memory. */
struct owner_walk {
	struct patience *patience;
	/*
	 * Called for each regular file with an O_PATH descriptor. Whatever it
	 * returns below zero ends the walk.
	 */
	int (*visit)(void *data, int fd, const char *path,
		     const struct stat *status);
	void *data;
	size_t unread; /* directories, and names that may have to wait */
};

/*
 * Visits what is below the directory @at, which is @path. Returns 0,
 * -ETIMEDOUT if patience_walk() ended it, -ENOMEM, or what a visit returned.
 */
int owner_walk(struct owner_walk *walk, int at, const char *path);

#define OWNER_PINS 256

/* BPF maps that no process has open, the largest. All zero is empty. */
struct owner_pins {
	size_t count;
	bool is_cut_short; /* there may be others */
	int error; /* errno: why one could not be opened; or 0 */
	struct owner_pin {
		struct owner_bpf_map map;
		/*
		 * Its path, which ends in "..." if it is longer. Of others
		 * "NAME of the program NAME (NUMBER)", or "NAME (id NUMBER)".
		 */
		char name[256];
	} pins[OWNER_PINS];
};

struct owner_pins_wanted {
	const struct sysroot *root;
	unsigned int processors; /* as of owner_bpf_map() */
	/* Maps that others have, sorted, owned: they are left out. */
	uint32_t *known;
	size_t known_count;
};

bool owner_map_is_known(const struct owner_pins_wanted *wanted, uint32_t map);
int owner_map_compare(const void *left, const void *right); /* for qsort(3) */

/* Adds the map unless it is there. Where there is no room, the largest stay. */
void owner_pins_add(struct owner_pins *pins, const struct owner_pin *pin);

/*
 * Finds the BPF maps that are pinned where this mount namespace has a bpffs. A
 * worker looks for them, until walks end. Returns 0 or -ENOMEM.
 */
int owner_pins_find(struct owner_pins *pins,
		    const struct owner_pins_wanted *wanted);

/*
 * Finds those that no process and no bpffs has, of any namespace. Returns 0, or
 * a negative errno with @err set: it has to be root, who can read the kernel's
 * memory.
 */
int owner_others_find(struct owner_pins *others,
		      const struct owner_pins_wanted *wanted,
		      struct error *err);

enum owner_protocol { OWNER_TCP, OWNER_UDP, OWNER_UNIX, OWNER_PACKET };

/* A socket that has anything in its queues, any Unix or packet socket. */
struct owner_socket {
	uint64_t ino;
	enum owner_protocol protocol;
	/* 0 of the last two: owner_queues_ask() or owner_maps_ask() knows. */
	int64_t bytes;
};

/* All zero is empty. */
struct owner_sockets {
	struct string_list namespaces; /* of the network, that were read */
	struct owner_socket *sockets; /* by inode */
	size_t count, capacity;
	int failed; /* a negative errno: some are not known; or 0 */
};

/*
 * Adds the sockets of the process's network namespace, unless they are there.
 * Returns 0 or -ENOMEM; the caller deinits @sockets.
 */
int owner_sockets_add(struct owner_sockets *sockets, const struct sysroot *root,
		      const char *pid);
/* NULL: it has nothing in its queues, or is no such socket. */
const struct owner_socket *
owner_sockets_find(const struct owner_sockets *sockets, uint64_t ino);
void owner_sockets_deinit(struct owner_sockets *sockets);

enum owner_map {
	OWNER_MAP_PERF,
	OWNER_MAP_IO_URING,
	OWNER_MAP_PACKET,
	OWNER_MAP_GRAPHICS, /* objects in shared memory */
	OWNER_MAP_GRAPHICS_PAGES, /* whose driver takes pages itself */
	OWNER_MAPS
};

/* What a process maps of the kernel's memory, in bytes. */
struct owner_maps {
	int64_t bytes[OWNER_MAPS];
	int error; /* a negative errno, or 0 */
};

/* A process that has a descriptor of such memory. */
struct owner_mapper {
	unsigned int pid;
	bool has_graphics;
	struct owner_maps maps; /* owner_maps_ask() sets it */
};

/*
 * Adds to @maps, which is empty. Waits for the mmap_lock and for drivers, so
 * only a worker may call it.
 */
void owner_maps_read(struct owner_maps *maps, const struct owner_mapper *mapper,
		     const struct owner_sockets *sockets,
		     const struct sysroot *root);

/*
 * Asks what each maps. Of sockets, only rings of packet sockets are such
 * memory. Returns 0 or -ENOMEM.
 */
int owner_maps_ask(struct owner_mapper *mappers, size_t count,
		   const struct owner_sockets *sockets,
		   const struct sysroot *root);

/* A pipe that a process can read, or a Unix socket. */
struct owner_queue {
	struct owner_place place;
	bool is_pipe;
	/* Unread, of datagrams only the first; or a negative errno. */
	int64_t bytes;
};

/*
 * Sets the bytes of each; 0 if the process has ended or closed it, or nobody
 * got to it before the end of walks (patience.h). Returns 0 or -ENOMEM.
 */
int owner_queues_ask(struct owner_queue *queues, size_t count,
		     struct patience *patience);

/* Pages that network devices have in their pools (Linux 6.8). */
int owners_of_page_pools(struct memory_owners *owners, struct owner_host *host);

/* The largest hosts have some hundreds of devices. */
enum { OWNER_POOLS = 512 };

struct owner_pool {
	uint32_t index; /* 0: the device is gone, and its pages are not back */
	char name[IF_NAMESIZE];
	int64_t bytes;
};

/* What the kernel says of page pools. All zero is nothing. */
struct owner_pools {
	int error; /* an errno, or 0 */
	uint16_t family; /* of the messages; 0: the kernel has none */
	size_t count;
	size_t left_out; /* pools of further devices */
	struct owner_pool devices[OWNER_POOLS];
};

/* Adds what a message of generic netlink says (netlink_take_fn). */
int owner_pools_take(void *data, const struct nlmsghdr *header);

/* Pages that graphics drivers keep for reuse, where no head has them. */
int owners_of_graphics_pool(struct memory_owners *owners,
			    struct owner_host *host);

/*
 * Pages of XFS' metadata, which are in no device's cache. Reads the kernel's
 * memory, so it needs root.
 */
int owners_of_xfs(struct memory_owners *owners, struct owner_host *host);

int owners_of_sysv(struct memory_owners *owners, struct owner_host *host);
int owners_of_cgroups(struct memory_owners *owners, struct owner_host *host);

#endif
