// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/netlink.h>
#include <linux/packet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/netlink.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"
#include "worker/ask.h"

#define MAX_FILE (1U << 20)
#define PCI "/sys/bus/pci/devices"
#define ATOMIC_POOLS "/sys/kernel/debug/dma_pools"

/* Whoever asks without it makes the kernel load it. */
static bool diag_is_loaded(const struct sysroot *root)
{
	return sysroot_is_live(root) &&
	       sysroot_exists(root, "/sys/module/af_packet_diag");
}

static int64_t rings_of(const struct nlmsghdr *header)
{
	const struct packet_diag_msg *message = NLMSG_DATA(header);
	int left = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof(*message)));
	int64_t bytes = 0;

	for (const struct rtattr *attribute = (const void *)(message + 1);
	     RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		struct packet_diag_ring ring;

		if ((attribute->rta_type != PACKET_DIAG_RX_RING &&
		     attribute->rta_type != PACKET_DIAG_TX_RING) ||
		    RTA_PAYLOAD(attribute) < sizeof(ring))
			continue;
		memcpy(&ring, RTA_DATA(attribute), sizeof(ring));
		bytes += (int64_t)ring.pdr_block_size * ring.pdr_block_nr;
	}
	return bytes;
}

static int add_socket(void *bytes, const struct nlmsghdr *header)
{
	if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    header->nlmsg_len < NLMSG_LENGTH(sizeof(struct packet_diag_msg)))
		return -EIO;
	*(int64_t *)bytes += rings_of(header);
	return 0;
}

/* Sums the rings of this network namespace. Returns 0 or a negative errno. */
static int ask_rings(int64_t *bytes)
{
	static const struct {
		struct nlmsghdr header;
		struct packet_diag_req request;
	} message = {
		.header = {
			.nlmsg_len = sizeof(message),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.request = {
			.sdiag_family = AF_PACKET,
			.pdiag_show = PACKET_SHOW_RING_CFG,
		},
	};

	*bytes = 0;
	return netlink_dump(NETLINK_SOCK_DIAG, &message, sizeof(message),
			    add_socket, bytes);
}

static size_t ask_in_worker(const void *data, size_t index, void *answer)
{
	int64_t *bytes = answer;
	int ret = ask_rings(bytes);

	(void)data;
	(void)index;
	if (ret < 0)
		*bytes = ret;
	return sizeof(*bytes);
}

/*
 * The kernel waits for each socket's rings, which a sender holds until the
 * network card is done. Sets *@bytes, and returns whether they are known.
 */
static bool ask_sockets(int64_t *bytes)
{
	struct ask question = {
		.answer = ask_in_worker,
		.answer_size = sizeof(*bytes),
		.kept = -1,
		.what = "packet sockets",
		.stuck_on = "packet sockets",
		.is_common = true,
	};
	struct asked *asked;
	const int64_t *answer;
	int ret;

	answer = ask_one(&question, &asked, &ret, NULL);
	if (answer)
		*bytes = *answer;
	asked_destroy(asked);
	return answer && *bytes >= 0;
}

/* /proc/net/packet has a line for each socket, after the headings. */
static int read_packet(struct memory_reading *reading,
		       const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	int64_t sockets = -1, bytes = 0;
	int ret = sysroot_read(root, memory_field_path(MEMORY_PACKET_SOCKETS),
			       MAX_FILE, &text, NULL);

	if (ret < 0)
		return only_enomem(ret);
	for (const char *c = text; *c; c++)
		sockets += *c == '\n';
	if (sockets < 0)
		return 0;
	memory_set(&reading->fields, MEMORY_PACKET_SOCKETS, sockets);
	if (!sockets || (diag_is_loaded(root) && ask_sockets(&bytes)))
		memory_set(&reading->fields, MEMORY_PACKET_RINGS,
			   bytes / (int64_t)reading->page_size);
	return 0;
}

/*
 * "TCP: inuse 18 orphan 0 tw 0 alloc 18 mem 130", and UDP alike: pages, of all
 * network namespaces.
 */
static int read_sockets(struct memory_reading *reading,
			const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	int64_t pages = 0;
	char *rest;
	int ret = sysroot_read(root, memory_field_path(MEMORY_SOCKET_BUFFERS),
			       MAX_FILE, &text, NULL);

	if (ret < 0)
		return only_enomem(ret);
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *at = strstr(line, " mem ");
		uint64_t number;

		if (!at || (strncmp(line, "TCP:", 4) != 0 &&
			    strncmp(line, "UDP:", 4) != 0))
			continue;
		at += strlen(" mem ");
		if (!number_scan(&at, MEMORY_MOST_PAGES, &number))
			return 0;
		pages += (int64_t)number;
	}
	memory_set(&reading->fields, MEMORY_SOCKET_BUFFERS, pages);
	return 0;
}

/*
 * "poolinfo - 0.1", then "NAME used blocks size pages" for each pool
 * (mm/dmapool.c). What it calls pages is of the pool's size if that is larger.
 */
static int64_t pools_of_device(const char *text, int64_t page_size)
{
	int64_t bytes = 0;

	for (; *text; text += *text == '\n') {
		int64_t size, pages;

		if (sscanf(text, "%*s %*u %*u %ld %ld", &size, &pages) == 2 &&
		    size > 0 && size <= INT32_MAX && pages > 0 &&
		    pages <= INT32_MAX)
			bytes += pages * (size > page_size ? size : page_size);
		text += strcspn(text, "\n");
	}
	return bytes;
}

static int read_device_pools(const struct sysroot *root, int64_t page_size,
			     int64_t *bytes)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = only_enomem(sysroot_list(root, PCI, &names));

	for (size_t i = 0; !ret && i < names.count; i++) {
		_cleanup_(freep) char *text = NULL;
		char path[512];

		snprintf(path, sizeof(path), PCI "/%.255s/pools",
			 names.strings[i]);
		ret = only_enomem(
			sysroot_read(root, path, MAX_FILE, &text, NULL));
		if (!ret && text)
			*bytes += pools_of_device(text, page_size);
	}
	return ret;
}

/* What is kept for drivers that may not wait (kernel/dma/pool.c, 5.8). */
static int read_atomic_pools(const struct sysroot *root, int64_t *bytes)
{
	static const char *const names[] = {
		"pool_size_dma",
		"pool_size_dma32",
		"pool_size_kernel",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		_cleanup_(freep) char *text = NULL;
		uint64_t number;
		int ret = sysfs_attribute_if_any(root, ATOMIC_POOLS, names[i],
						 &text);

		if (ret < 0)
			return ret;
		if (text && number_parse(text, MEMORY_MOST_PAGES, &number))
			*bytes += (int64_t)number;
	}
	return 0;
}

static int read_dma_pools(struct memory_reading *reading,
			  const struct sysroot *root)
{
	const int64_t page_size = (int64_t)reading->page_size;
	int64_t bytes = 0;
	int ret = read_device_pools(root, page_size, &bytes);

	if (!ret)
		ret = read_atomic_pools(root, &bytes);
	if (bytes)
		memory_set(&reading->fields, MEMORY_DMA_POOLS,
			   bytes / page_size);
	return ret;
}

int memory_read_xfs_mounts(const struct sysroot *root, int64_t *mounts)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = sysroot_list(root, memory_field_path(MEMORY_XFS_MOUNTS),
			       &names);

	*mounts = 0;
	for (size_t i = 0; !ret && i < names.count; i++)
		*mounts += strcmp(names.strings[i], "stats") != 0 &&
			   strcmp(names.strings[i], "debug") != 0;
	return ret < 0 ? only_enomem(ret) : 1;
}

/*
 * XFS keeps its metadata in buffers of a block or more. No count has their
 * pages; how many there may be is in its slab cache, without a lock.
 */
static int read_xfs(struct memory_reading *reading, const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	const char *at;
	uint64_t number;
	int64_t mounts;
	int ret = memory_read_xfs_mounts(root, &mounts);

	if (ret > 0)
		memory_set(&reading->fields, MEMORY_XFS_MOUNTS, mounts);
	if (ret >= 0)
		ret = sysfs_attribute_if_any(root, "/sys/kernel/slab/xfs_buf",
					     "total_objects", &text);
	if (ret < 0 || !text)
		return ret;
	/* "462 N0=462" */
	at = text;
	if (number_scan(&at, MEMORY_MOST_PAGES, &number))
		memory_set(&reading->fields, MEMORY_XFS_BUFFERS,
			   (int64_t)number);
	return 0;
}

int memory_read_ttm_pool(const struct sysroot *root, int64_t *pages)
{
	_cleanup_(freep) char *text = NULL;
	const char *total;
	uint64_t number = 0;
	int ret;

	*pages = 0;
	if (!sysroot_exists(root, "/sys/module/ttm"))
		return 0;
	ret = sysroot_read(root, memory_field_path(MEMORY_TTM_POOL), MAX_FILE,
			   &text, NULL);
	if (ret < 0)
		return ret;
	/*
	 * "total\t:     4711 of  2022233", below the lines of each caching. A
	 * kernel that counts them has "total node0" and so on.
	 */
	total = strstr(text, "\ntotal");
	if (!total)
		return -EBADMSG;
	if (strncmp(total, "\ntotal node", strlen("\ntotal node")) == 0)
		return 0;
	total += strcspn(total, ":");
	total += strspn(total, ": ");
	if (!number_scan(&total, MEMORY_MOST_PAGES, &number))
		return -EBADMSG;
	*pages = (int64_t)number;
	return 1;
}

static int read_ttm_pool(struct memory_reading *reading,
			 const struct sysroot *root)
{
	int64_t pages;
	int ret = memory_read_ttm_pool(root, &pages);

	if (ret > 0)
		memory_set(&reading->fields, MEMORY_TTM_POOL, pages);
	return only_enomem(ret > 0 ? 0 : ret);
}

int memory_read_uncounted(struct memory_reading *reading,
			  const struct sysroot *root)
{
	int ret = read_packet(reading, root);

	if (!ret)
		ret = read_sockets(reading, root);
	if (!ret)
		ret = read_dma_pools(reading, root);
	if (!ret)
		ret = read_ttm_pool(reading, root);
	return ret ?: read_xfs(reading, root);
}
