// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames BIT...: prints how many page frames have all of these flags, by
 * /proc/kpageflags (KPF_* in linux/kernel-page-flags.h). The file is as long as
 * memory reaches.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static uint64_t flags[8192];
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	unsigned long long count = 0;
	uint64_t wanted = 0;
	ssize_t size;

	for (int i = 1; i < argc; i++)
		wanted |= 1ULL << atoi(argv[i]);
	if (fd < 0)
		err(1, "/proc/kpageflags");
	while ((size = read(fd, flags, sizeof(flags))) > 0) {
		for (size_t i = 0; i < (size_t)size / sizeof(flags[0]); i++)
			count += (flags[i] & wanted) == wanted;
	}
	if (size < 0)
		err(1, "/proc/kpageflags");
	printf("%llu\n", count);
	return 0;
}
