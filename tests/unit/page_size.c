// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fixtures are of hosts with pages of 4 KiB, and so is the host that the
 * unit tests see, on every processor.
 */
#include <dlfcn.h>
#include <unistd.h>

long sysconf(int name)
{
	long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");

	if (name == _SC_PAGESIZE)
		return 4096;
	return real ? real(name) : -1;
}
