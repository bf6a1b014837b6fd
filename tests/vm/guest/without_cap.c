// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * without_cap NUMBER COMMAND [ARGUMENT...]: runs the command without that
 * capability. It is dropped from the bounding set, so root does not regain it.
 */
#include <err.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(1, "usage: without_cap NUMBER COMMAND [ARGUMENT...]");
	if (prctl(PR_CAPBSET_DROP, strtoul(argv[1], NULL, 10), 0, 0, 0) < 0)
		err(1, "PR_CAPBSET_DROP %s", argv[1]);
	execvp(argv[2], argv + 2);
	err(1, "%s", argv[2]);
}
