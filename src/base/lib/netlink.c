// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/netlink.h"

/* The errno after the header of such a message, if it is whole. */
static int error_of(const struct nlmsghdr *header)
{
	int error;

	if (header->nlmsg_len < NLMSG_LENGTH(sizeof(error)))
		return -EIO;
	memcpy(&error, NLMSG_DATA(header), sizeof(error));
	return error;
}

int netlink_datagram(const void *datagram, size_t size, netlink_take_fn *take,
		     void *data)
{
	for (const struct nlmsghdr *header = datagram; NLMSG_OK(header, size);
	     header = NLMSG_NEXT(header, size)) {
		int ret;

		/* What is left would be less than nothing. */
		if (NLMSG_ALIGN(header->nlmsg_len) > size)
			return -EIO;

		/* What went wrong after the first message is in the last. */
		if (header->nlmsg_type == NLMSG_DONE)
			return error_of(header) < 0 ? error_of(header) : 0;
		if (header->nlmsg_type == NLMSG_ERROR)
			return error_of(header) < 0 ? error_of(header) : -EIO;
		ret = take(data, header);
		if (ret < 0)
			return ret;
	}
	return 1;
}

static int send_request(int protocol, const void *request, size_t size)
{
	const struct timeval patience = { .tv_usec = 200000 };
	_cleanup_(closep) int fd =
		socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, protocol);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) < 0 ||
	    send(fd, request, size, 0) < 0)
		return -errno;
	return steal_fd(&fd);
}

int netlink_dump(int protocol, const void *request, size_t size,
		 netlink_take_fn *take, void *data)
{
	_cleanup_(closep) int fd = send_request(protocol, request, size);
	_Alignas(struct nlmsghdr) char datagram[32768];
	int ret = fd < 0 ? fd : 1;

	while (ret > 0) {
		ssize_t got = recv(fd, datagram, sizeof(datagram), 0);

		ret = got < 0 ? -errno :
				netlink_datagram(datagram, (size_t)got, take,
						 data);
	}
	return ret;
}
