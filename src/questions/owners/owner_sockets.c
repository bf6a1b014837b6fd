// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What waits in the queues of TCP and UDP sockets, by inode: /proc/PID/net has
 * the sockets of that process's network namespace. sock_diag would know more,
 * but makes the kernel load a module. Of Unix sockets it is not there
 * (owner_queues.c), nor of packet sockets (owner_maps.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/net.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/patience.h"

/*
 * "sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid
 * timeout inode", the first line being these headings. Queues are hexadecimal
 * bytes: of TCP those of the data, of UDP all that they take. Of a socket that
 * listens they are connections.
 */
static bool parse_inet(const char *line, struct owner_socket *socket)
{
	uint64_t sent, received;
	unsigned int state;

	if (sscanf(line,
		   "%*s %*s %*s %x %" SCNx64 ":%" SCNx64
		   " %*s %*s %*s %*s %" SCNu64,
		   &state, &sent, &received, &socket->ino) != 4 ||
	    sent > UINT32_MAX || received > UINT32_MAX || !(sent + received) ||
	    state == TCP_LISTEN)
		return false;
	socket->bytes = (int64_t)(sent + received);
	return true;
}

/* "Num RefCount Protocol Flags Type St Inode Path". */
static bool parse_unix(const char *line, struct owner_socket *socket)
{
	unsigned int flags;

	return sscanf(line, "%*s %*s %*s %x %*s %*s %" SCNu64, &flags,
		      &socket->ino) == 2 &&
	       !(flags & __SO_ACCEPTCON);
}

/* "sk RefCnt Type Proto Iface R Rmem User Inode". */
static bool parse_packet(const char *line, struct owner_socket *socket)
{
	return sscanf(line, "%*s %*d %*d %*x %*d %*d %*u %*u %" SCNu64,
		      &socket->ino) == 1;
}

static const struct table {
	const char *name;
	enum owner_protocol protocol;
	bool (*parse)(const char *line, struct owner_socket *socket);
} tables[] = {
	{ "tcp", OWNER_TCP, parse_inet },
	{ "tcp6", OWNER_TCP, parse_inet },
	{ "udp", OWNER_UDP, parse_inet },
	{ "udp6", OWNER_UDP, parse_inet },
	{ "unix", OWNER_UNIX, parse_unix },
	{ "packet", OWNER_PACKET, parse_packet },
};

static int add_line(struct owner_sockets *sockets, const char *line,
		    const struct table *table)
{
	struct owner_socket socket = { .protocol = table->protocol };

	if (!table->parse(line, &socket) || !socket.ino)
		return 0;
	if (array_make_room(&sockets->sockets, sockets->count,
			    &sockets->capacity) < 0)
		return -ENOMEM;
	sockets->sockets[sockets->count++] = socket;
	return 0;
}

/* Line by line: a host that is short of memory may have a million sockets. */
static int add_lines(struct owner_sockets *sockets, FILE *file,
		     const struct table *table, struct patience *patience)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	while (!ret && getline(&line, &room, file) > 0)
		ret = patience_walk(patience) ?: add_line(sockets, line, table);
	free(line);
	return ret ?: ferror(file) ? -EIO : 0;
}

static int add_file(struct owner_sockets *sockets, const struct sysroot *root,
		    const char *pid, const struct table *table)
{
	_cleanup_(closefp) FILE *file = NULL;
	_cleanup_(closep) int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.16s/net/%s", pid, table->name);
	fd = sysroot_open(root, path, O_RDONLY);
	/* The process has ended, or the kernel has no such sockets. */
	if (fd == -ENOENT || fd == -ESRCH || fd == -EINVAL)
		return 0;
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file)
		return fd < 0 ? fd : -ENOMEM;
	steal_fd(&fd);
	return add_lines(sockets, file, table, root->patience);
}

static int by_ino(const void *left, const void *right)
{
	const struct owner_socket *a = left, *b = right;

	return (a->ino > b->ino) - (a->ino < b->ino);
}

int owner_sockets_add(struct owner_sockets *sockets, const struct sysroot *root,
		      const char *pid)
{
	_cleanup_(freep) char *namespace = NULL;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%.16s/ns/net", pid);
	ret = sysroot_link_name(root, path, &namespace);
	if (ret < 0)
		return only_enomem(ret);
	if (string_list_has(&sockets->namespaces, namespace))
		return 0;
	ret = string_list_add(&sockets->namespaces, namespace);
	for (size_t i = 0; !ret && i < sizeof(tables) / sizeof(*tables); i++)
		ret = add_file(sockets, root, pid, &tables[i]);
	if (sockets->count)
		qsort(sockets->sockets, sockets->count,
		      sizeof(*sockets->sockets), by_ino);
	/* Whoever walks over processes sees that the time is over, too. */
	if (ret < 0 && ret != -ENOMEM && ret != -ETIMEDOUT)
		sockets->failed = ret;
	return only_enomem(ret);
}

const struct owner_socket *
owner_sockets_find(const struct owner_sockets *sockets, uint64_t ino)
{
	const struct owner_socket wanted = { .ino = ino };

	return sockets->count ?
		       bsearch(&wanted, sockets->sockets, sockets->count,
			       sizeof(wanted), by_ino) :
		       NULL;
}

void owner_sockets_deinit(struct owner_sockets *sockets)
{
	string_list_deinit(&sockets->namespaces);
	free(sockets->sockets);
	*sockets = (struct owner_sockets){ 0 };
}
