// SPDX-License-Identifier: GPL-2.0-or-later
/* What generic netlink says of page pools, message by message. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>

#include "lib/netlink.h"
#include "owners/owner_lists.h"
#include "test.h"

/* What comes in one datagram. */
static _Alignas(struct nlmsghdr) char data[4096];
static size_t size;

static struct nlmsghdr *begin(uint16_t type)
{
	struct nlmsghdr *header = (void *)(data + size);

	memset(header, 0, sizeof(*header));
	header->nlmsg_type = type;
	header->nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	size += NLMSG_ALIGN(header->nlmsg_len);
	return header;
}

static void add(struct nlmsghdr *header, uint16_t type, const void *value,
		size_t length)
{
	struct nlattr *attribute = (void *)(data + size);

	attribute->nla_type = type;
	attribute->nla_len = (uint16_t)(NLA_HDRLEN + length);
	memcpy(attribute + 1, value, length);
	size += NLA_ALIGN(attribute->nla_len);
	header->nlmsg_len = (uint32_t)(data + size - (char *)header);
}

static void end(int error)
{
	struct nlmsghdr *header = begin(NLMSG_DONE);

	header->nlmsg_len = NLMSG_LENGTH(sizeof(error));
	memcpy(NLMSG_DATA(header), &error, sizeof(error));
}

static void add_family(const char *name, uint16_t id)
{
	struct nlmsghdr *header = begin(GENL_ID_CTRL);

	add(header, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	add(header, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
}

/* A number of the kernel's has 4 bytes if that is enough (nla_put_uint()). */
static void add_pool(uint32_t index, uint64_t bytes)
{
	struct nlmsghdr *header = begin(30);
	const uint32_t id = 7, shorter = (uint32_t)bytes;

	add(header, 1, &id, sizeof(id));
	if (index)
		add(header, 2, &index, sizeof(index));
	if (bytes == shorter)
		add(header, 5, &shorter, sizeof(shorter));
	else
		add(header, 5, &bytes, sizeof(bytes));
}

static int take(struct owner_pools *pools)
{
	int ret = netlink_datagram(data, size, owner_pools_take, pools);

	size = 0;
	return ret;
}

static void what_pools_have(void **state __attribute__((unused)))
{
	static struct owner_pools pools;
	struct nlmsghdr *header;

	add_family("nlctrl", 16);
	add_family("netdev2", 29);
	assert_int_equal(take(&pools), 1);
	assert_int_equal(pools.family, 0);
	add_family("netdev", 30);
	end(0);
	assert_int_equal(take(&pools), 0);
	assert_int_equal(pools.family, 30);

	add_pool(2, 4096);
	add_pool(3, UINT64_C(5) << 30);
	assert_int_equal(take(&pools), 1);
	/* Each queue of a device has one; the last is of no device any more. */
	add_pool(2, 8192);
	add_pool(0, 12288);
	add_pool(4, 0);
	/* Of memory of a graphics card. */
	header = begin(30);
	add(header, 2, "\5\0\0", 4);
	add(header, 5, "\0\20\0", 4);
	add(header, 7, "\1\0\0", 4);
	end(0);
	assert_int_equal(take(&pools), 0);
	assert_int_equal(pools.count, 3);
	assert_int_equal(pools.devices[0].bytes, 12288);
	assert_int_equal(pools.devices[1].index, 3);
	assert_int_equal(pools.devices[1].bytes, INT64_C(5) << 30);
	assert_int_equal(pools.devices[2].index, 0);
	assert_int_equal(pools.devices[2].bytes, 12288);
	for (uint32_t index = 10; index < 10 + OWNER_POOLS; index++) {
		add_pool(index, 4096);
		assert_int_equal(take(&pools), 1);
	}
	assert_int_equal(pools.count, OWNER_POOLS);
	assert_int_equal(pools.left_out, 3);
}

static void what_is_no_answer(void **state __attribute__((unused)))
{
	static struct owner_pools pools;
	const int error = -EOPNOTSUPP;
	struct nlmsghdr *header;

	/* The family has no such command before Linux 6.8. */
	header = begin(NLMSG_ERROR);
	add(header, 1, "", 1);
	memcpy(NLMSG_DATA(header), &error, sizeof(error));
	assert_int_equal(take(&pools), -EOPNOTSUPP);
	end(-ENODEV);
	assert_int_equal(take(&pools), -ENODEV);
	/* Cut off, and of another size than is said. */
	pools.family = 30;
	add_pool(2, 4096);
	size -= 4;
	assert_int_equal(take(&pools), 1);
	header = begin(30);
	add(header, 5, "1234", 4);
	((struct nlattr *)((char *)NLMSG_DATA(header) + GENL_HDRLEN))->nla_len =
		200;
	assert_int_equal(take(&pools), 1);
	header = begin(30);
	add(header, 5, "12", 2);
	assert_int_equal(take(&pools), 1);
	header = begin(30);
	header->nlmsg_len = NLMSG_HDRLEN;
	assert_int_equal(take(&pools), 1);
	assert_int_equal(pools.count, 0);
	header = begin(NLMSG_DONE);
	header->nlmsg_len = NLMSG_HDRLEN;
	assert_int_equal(take(&pools), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_pools_have),
		cmocka_unit_test(what_is_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
