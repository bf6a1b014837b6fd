// SPDX-License-Identifier: GPL-2.0-or-later
/* Actions whose way through the kernel differs from that of read(2). */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "repro/actions.h"
#include "repro/experiment.h"
#include "repro/stop.h"

#define CHUNK (1U << 20)
#define ALIGNMENT 4096
#define PIPE 65536
#define PACKETS 16

static const char *path_of(const struct experiment *experiment)
{
	return experiment->file ? experiment->file : experiment->node;
}

/* ---- O_DIRECT ------------------------------------------------------------ */

/* Reads everything, @shift bytes beside what the device's blocks ask for. */
static int read_directly(struct experiment *experiment, unsigned int shift,
			 struct error *err)
{
	const char *path = path_of(experiment);
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	_cleanup_(freep) void *buffer = NULL;
	const uint64_t total = experiment_bytes(experiment);
	int ret;

	if (fd < 0)
		return error_errno(err, errno, "opening for direct reading",
				   path);
	ret = posix_memalign(&buffer, ALIGNMENT, CHUNK + ALIGNMENT);
	if (ret)
		return error_errno(err, ret, "reading directly", path);
	for (uint64_t done = 0; done < total; done += CHUNK) {
		const uint64_t left = total - done;
		const size_t wanted = left < CHUNK ? (size_t)left : CHUNK;

		if (pread(fd, (char *)buffer + shift, wanted - shift,
			  (off_t)(done + shift)) < 0)
			return -errno;
		ret = stop_check(experiment->stop, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int act_pread_direct(struct experiment *experiment, struct error *err)
{
	int ret = read_directly(experiment, 0, err);

	return ret < 0 ? error_errno(err, -ret, "reading directly",
				     path_of(experiment)) :
			 0;
}

int act_pread_unaligned(struct experiment *experiment, struct error *err)
{
	int ret = read_directly(experiment, 1, err);

	/* Block devices, ext4 and XFS refuse it; btrfs reads in another way. */
	return ret < 0 && ret != -EINVAL ?
		       error_errno(err, -ret, "reading directly",
				   path_of(experiment)) :
		       0;
}

/* ---- from one descriptor to another --------------------------------------- */

struct move {
	int from; /* opened again, so that its offset is 0 */
	int null;
	int pipe[2];
};

static void move_deinit(struct move *move)
{
	closep(&move->from);
	closep(&move->null);
	closep(&move->pipe[0]);
	closep(&move->pipe[1]);
}

static int move_init(struct move *move, const char *path)
{
	*move = (struct move){ -1, -1, { -1, -1 } };
	move->from = open(path, O_RDONLY | O_CLOEXEC);
	move->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (move->from < 0 || move->null < 0 ||
	    pipe2(move->pipe, O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

static ssize_t by_sendfile(const struct move *move)
{
	return sendfile(move->null, move->from, NULL, CHUNK);
}

static ssize_t by_splice(const struct move *move)
{
	ssize_t got = splice(move->from, NULL, move->pipe[1], NULL, PIPE, 0);

	for (ssize_t left = got; left > 0;) {
		ssize_t put = splice(move->pipe[0], NULL, move->null, NULL,
				     (size_t)left, 0);

		if (put <= 0)
			return put;
		left -= put;
	}
	return got;
}

static int move_all(struct experiment *experiment,
		    ssize_t (*some)(const struct move *move), const char *doing,
		    struct error *err)
{
	_cleanup_(move_deinit) struct move move;
	const uint64_t total = experiment_bytes(experiment);
	int ret = move_init(&move, path_of(experiment));

	for (uint64_t done = 0; !ret && done < total;) {
		ssize_t got = some(&move);

		if (got <= 0)
			ret = got < 0 ? -errno : -EIO;
		else
			done += (uint64_t)got;
		if (!ret && stop_check(experiment->stop, err) < 0)
			return -EINTR;
	}
	return ret < 0 ? error_errno(err, -ret, doing, path_of(experiment)) : 0;
}

int act_sendfile(struct experiment *experiment, struct error *err)
{
	return move_all(experiment, by_sendfile, "sending", err);
}

int act_splice(struct experiment *experiment, struct error *err)
{
	return move_all(experiment, by_splice, "splicing", err);
}

/* ---- packets ------------------------------------------------------------- */

static int raise_loopback(int socket)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	return ioctl(socket, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}

/* Connects a socket to itself. */
static int connect_to_self(int socket)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);

	if (bind(socket, (struct sockaddr *)&address, size) < 0 ||
	    getsockname(socket, (struct sockaddr *)&address, &size) < 0 ||
	    connect(socket, (struct sockaddr *)&address, size) < 0)
		return -errno;
	return 0;
}

int act_udp(struct experiment *experiment __attribute__((unused)),
	    struct error *err)
{
	_cleanup_(closep) int fd = -1;
	char packet[64] = "";
	int ret = unshare(CLONE_NEWNET) < 0 ? -errno : 0;

	if (!ret) {
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		ret = fd < 0 ? -errno : raise_loopback(fd);
	}
	if (!ret)
		ret = connect_to_self(fd);
	for (int i = 0; !ret && i < PACKETS; i++) {
		if (send(fd, packet, sizeof(packet), 0) < 0 ||
		    recv(fd, packet, sizeof(packet), 0) < 0)
			ret = -errno;
	}
	return ret < 0 ? error_errno(err, -ret, "sending", "packets") : 0;
}
