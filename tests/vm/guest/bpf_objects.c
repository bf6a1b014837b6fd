// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf_objects: prints how many programs, maps and links of BPF there are. */
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned int count(enum bpf_cmd next)
{
	union bpf_attr attr = { .start_id = 0 };
	unsigned int found = 0;

	while (syscall(SYS_bpf, next, &attr, sizeof(attr)) == 0) {
		attr.start_id = attr.next_id;
		found++;
	}
	if (errno != ENOENT)
		err(1, "bpf");
	return found;
}

int main(void)
{
	printf("programs %u, maps %u, links %u\n", count(BPF_PROG_GET_NEXT_ID),
	       count(BPF_MAP_GET_NEXT_ID), count(BPF_LINK_GET_NEXT_ID));
	return 0;
}
