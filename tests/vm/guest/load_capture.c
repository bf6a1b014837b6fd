// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_capture KERNEL INITRAMFS COMMAND-LINE: loads the kernel that starts when
 * this one panics. Exit status 77: this kernel cannot.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initramfs;

	if (argc != 4)
		return 2;
	kernel = open(argv[1], O_RDONLY);
	initramfs = open(argv[2], O_RDONLY);
	if (kernel >= 0 && initramfs >= 0 &&
	    syscall(SYS_kexec_file_load, kernel, initramfs, strlen(argv[3]) + 1,
		    argv[3], KEXEC_FILE_ON_CRASH) == 0)
		return 0;
	perror("load_capture");
	return errno == ENOSYS ? 77 : 1;
}
