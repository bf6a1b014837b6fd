// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page pools, from which network devices take the pages that packets arrive in.
 * The kernel tells by generic netlink how much each has, of the devices of this
 * network namespace (Documentation/netlink/specs/netdev.yaml, Linux 6.8). It
 * waits for the lock of all network settings, so a worker asks.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/netlink.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"

/* Of linux/netdev.h, which older headers lack. */
#define FAMILY "netdev"
#define PAGE_POOL_GET 5
#define POOL_IFINDEX 2
#define POOL_INFLIGHT_MEM 5
/* Memory of another device (DMABUF), or of a program (IO_URING). */
#define POOL_DMABUF 7
#define POOL_IO_URING 8

/* Whether an attribute is whole; sets *@length to how far the next one is. */
static bool attribute_is_whole(const struct nlattr *at, size_t size,
			       size_t *length)
{
	if (size < NLA_HDRLEN || at->nla_len < NLA_HDRLEN || at->nla_len > size)
		return false;
	*length = NLA_ALIGN(at->nla_len);
	return true;
}

/* The value of an attribute, with its size; NULL if it is not there. */
static const void *find_attribute(const struct nlattr *at, size_t size,
				  uint16_t type, size_t *value_size)
{
	size_t length;

	while (attribute_is_whole(at, size, &length)) {
		if ((at->nla_type & NLA_TYPE_MASK) == type) {
			*value_size = at->nla_len - (size_t)NLA_HDRLEN;
			return (const char *)at + NLA_HDRLEN;
		}
		if (length >= size)
			break;
		size -= length;
		at = (const void *)((const char *)at + length);
	}
	return NULL;
}

/* An unsigned number of 4 or 8 bytes; 0 if it is not there. */
static uint64_t number_of(const struct nlattr *at, size_t size, uint16_t type)
{
	size_t length;
	const void *value = find_attribute(at, size, type, &length);
	uint32_t shorter = 0;
	uint64_t number = 0;

	if (value && length == sizeof(number))
		memcpy(&number, value, sizeof(number));
	if (!value || length != sizeof(shorter))
		return number;
	memcpy(&shorter, value, sizeof(shorter));
	return shorter;
}

static void take_family(struct owner_pools *pools,
			const struct nlattr *attributes, size_t size)
{
	size_t length;
	const char *name = find_attribute(attributes, size,
					  CTRL_ATTR_FAMILY_NAME, &length);

	if (name && length == sizeof(FAMILY) &&
	    memcmp(name, FAMILY, sizeof(FAMILY)) == 0) {
		const void *id = find_attribute(attributes, size,
						CTRL_ATTR_FAMILY_ID, &length);

		if (id && length == sizeof(pools->family))
			memcpy(&pools->family, id, sizeof(pools->family));
	}
}

static void take_pool(struct owner_pools *pools,
		      const struct nlattr *attributes, size_t size)
{
	const uint64_t bytes = number_of(attributes, size, POOL_INFLIGHT_MEM);
	const uint32_t index =
		(uint32_t)number_of(attributes, size, POOL_IFINDEX);
	size_t length, i;

	if (!bytes || bytes > INT64_MAX / OWNER_POOLS ||
	    find_attribute(attributes, size, POOL_DMABUF, &length) ||
	    find_attribute(attributes, size, POOL_IO_URING, &length))
		return;
	for (i = 0; i < pools->count && pools->devices[i].index != index; i++)
		;
	if (i == OWNER_POOLS) {
		pools->left_out++;
		return;
	}
	if (i == pools->count)
		pools->devices[pools->count++].index = index;
	pools->devices[i].bytes += (int64_t)bytes;
}

int owner_pools_take(void *data, const struct nlmsghdr *header)
{
	const void *attributes = (const char *)NLMSG_DATA(header) + GENL_HDRLEN;
	const size_t size = less(header->nlmsg_len, NLMSG_LENGTH(GENL_HDRLEN));
	struct owner_pools *pools = data;

	if (header->nlmsg_type == GENL_ID_CTRL)
		take_family(pools, attributes, size);
	else if (header->nlmsg_type == pools->family)
		take_pool(pools, attributes, size);
	return 0;
}

/* Asks for all of a kind. Returns 0 or a negative errno. */
static int ask_all(struct owner_pools *pools, uint16_t family, uint8_t command)
{
	const struct {
		struct nlmsghdr header;
		struct genlmsghdr generic;
	} message = {
		.header = {
			.nlmsg_len = sizeof(message),
			.nlmsg_type = family,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.generic = { .cmd = command, .version = 1 },
	};

	return netlink_dump(NETLINK_GENERIC, &message, sizeof(message),
			    owner_pools_take, pools);
}

/*
 * All families are listed: whoever asks for one that is not there makes the
 * kernel look for a module. Returns -EOPNOTSUPP where nobody tells.
 */
static int read_pools(struct owner_pools *pools)
{
	int ret = ask_all(pools, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);

	if (!ret && !pools->family)
		ret = -EOPNOTSUPP;
	if (!ret)
		ret = ask_all(pools, pools->family, PAGE_POOL_GET);
	for (size_t i = 0; !ret && i < pools->count; i++) {
		struct owner_pool *device = &pools->devices[i];

		if (!if_indextoname(device->index, device->name))
			*device->name = '\0';
	}
	return ret;
}

static size_t answer_pools(const void *data, size_t index, void *answer)
{
	struct owner_pools *pools = answer;

	(void)data;
	(void)index;
	pools->error = -read_pools(pools);
	return sizeof(*pools);
}

static int take_devices(struct memory_owner_list *list,
			const struct owner_pools *pools)
{
	int ret = 0;

	list->unread = pools->left_out;
	for (size_t i = 0; !ret && i < pools->count; i++) {
		const struct owner_pool *device = &pools->devices[i];

		ret = memory_owner_add(list,
				       strdup(*device->name ?
						      device->name :
						      "a device that is gone"),
				       device->bytes, 0);
	}
	return ret;
}

int owners_of_page_pools(struct memory_owners *owners, struct owner_host *host)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEADS, MEMORY_OWNER_PAGE_POOL);
	struct ask question = {
		.answer = answer_pools,
		.answer_size = sizeof(struct owner_pools),
		.kept = -1,
		.what = "network devices",
		.stuck_on = "network devices",
		.patience = host->root->patience,
	};
	struct asked *asked = NULL;
	const struct owner_pools *pools;
	char why[ASK_WHY];
	int ret = 0;

	if (!list)
		return 0;
	/* A tree has no such list. */
	if (!sysroot_is_live(host->root)) {
		list->asked = false;
		return 0;
	}
	pools = ask_one(&question, &asked, &ret, NULL);
	if (pools && pools->error)
		list->uncounted = pools->error == EOPNOTSUPP;
	if (pools && pools->error && !list->uncounted)
		memory_owner_list_fail(list, "network devices: %s",
				       strerror(pools->error));
	if (pools && !pools->error)
		ret = take_devices(list, pools);
	if (!pools && !ret)
		memory_owner_list_fail(list, "network devices: %s",
				       asked_why(asked, 0, why));
	asked_destroy(asked);
	return ret == -ENOMEM ? ret : memory_owner_list_cut(list, owners->top);
}
