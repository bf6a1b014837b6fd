/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks the kernel for all that it has of a kind, by netlink. It may wait for a
 * lock of the kernel's, so only a worker may ask.
 */
#ifndef BUFSTAT_NETLINK_H
#define BUFSTAT_NETLINK_H

#include <stddef.h>

struct nlmsghdr;

/* Takes a message of the answer. Returns 0 or a negative errno. */
typedef int netlink_take_fn(void *data, const struct nlmsghdr *header);

/*
 * Sends @request, of @size bytes, which begins with a header for NLM_F_DUMP,
 * and takes the answer. Returns 0 or a negative errno: the kernel's, that of
 * @take, or -EAGAIN if nothing comes for a while.
 */
int netlink_dump(int protocol, const void *request, size_t size,
		 netlink_take_fn *take, void *data);

/*
 * Takes one datagram of an answer. Returns 1 if more will come, 0 at the end,
 * or a negative errno.
 */
int netlink_datagram(const void *datagram, size_t size, netlink_take_fn *take,
		     void *data);

#endif
