/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of owners. Each function fills the lists of its kind that were
 * asked for, and returns 0 or -ENOMEM.
 */
#ifndef BUFSTAT_OWNER_LISTS_H
#define BUFSTAT_OWNER_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/string_list.h"
#include "memory/memory_owners.h"

struct all_mounts;
struct fs_target;
struct mounted;
struct patience;
struct statfs;
struct sysroot;

#define OWNERS_ONLY_LIVE "tmpfs: only the running host can be asked"

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

int owners_of_slab(struct memory_owners *owners, const struct sysroot *root);
int owners_of_vmalloc(struct memory_owners *owners, const struct sysroot *root);
int owners_of_sites(struct memory_owners *owners, const struct sysroot *root);
int owners_of_zram(struct memory_owners *owners, const struct sysroot *root);

/* These look at the running host only. */
int owners_of_tmpfs(struct memory_owners *owners, const struct sysroot *root);
int owners_of_tmpfs_files(struct memory_owners *owners,
			  const struct sysroot *root);
/*
 * Memfds, deleted files on tmpfs, BPF maps, and what waits in sockets and
 * pipes: those that some process has open. Of the first two, and of the last
 * ones, all lists or none are asked for.
 */
int owners_of_nameless(struct memory_owners *owners,
		       const struct sysroot *root);
int owners_of_hugetlbfs(struct memory_owners *owners,
			const struct sysroot *root);

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

/*
 * Whether the descriptor of a process is a BPF map whose size is known: *@bytes
 * that its owner is charged for, not in slab. Sets *@id to the map's number.
 */
bool owner_bpf_map(const struct sysroot *root, const char *pid, const char *fd,
		   uint32_t *id, int64_t *bytes);

/*
 * Replaces the names of owners by those of the maps at @places, one for each,
 * where the map is still there and has one. Returns 0 or -ENOMEM.
 */
int owner_bpf_names(struct memory_owner_list *list,
		    const struct owner_place *places,
		    const struct sysroot *root);

#define OWNER_SOCKET_UNIX (-1)

/* A socket that has anything in its queues, or any Unix socket. */
struct owner_socket {
	uint64_t ino;
	int64_t bytes; /* or OWNER_SOCKET_UNIX: owner_queues_ask() knows */
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
/* 0: it has nothing in its queues, or is no such socket. */
int64_t owner_sockets_bytes(const struct owner_sockets *sockets, uint64_t ino);
void owner_sockets_deinit(struct owner_sockets *sockets);

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

int owners_of_sysv(struct memory_owners *owners, const struct sysroot *root);
int owners_of_cgroups(struct memory_owners *owners, const struct sysroot *root);

#endif
