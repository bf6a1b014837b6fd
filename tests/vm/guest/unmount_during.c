// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unmount_during PATH USEC: asks /dev/bufstat about the filesystem mounted
 * there. USEC later another thread unmounts it lazily and closes the
 * descriptor, so that only the request still holds the filesystem. Prints
 * "during" if that happened before the answer came, else "after".
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

static const char *path;
static useconds_t delay_us;
static sem_t begun;
static atomic_bool answered;
static int mounted;

static void *unmount(void *during)
{
	sem_wait(&begun);
	usleep(delay_us);
	if (umount2(path, MNT_DETACH) < 0)
		err(1, "umount2: %s", path);
	close(mounted);
	*(bool *)during = !answered;
	return NULL;
}

int main(int argc, char **argv)
{
	struct bufstat_filesystem request = {
		.version = BUFSTAT_FILESYSTEMS_VERSION,
	};
	bool during = false;
	pthread_t thread;
	int control;

	if (argc != 3)
		errx(1, "usage: unmount_during PATH USEC");
	path = argv[1];
	delay_us = (useconds_t)strtoul(argv[2], NULL, 10);
	control = open("/dev/" BUFSTAT_DEVICE, O_RDONLY | O_CLOEXEC);
	mounted = open(path, O_PATH | O_CLOEXEC);
	if (control < 0 || mounted < 0)
		err(1, "%s", path);
	sem_init(&begun, 0, 0);
	pthread_create(&thread, NULL, unmount, &during);

	request.fd = mounted;
	sem_post(&begun);
	if (ioctl(control, BUFSTAT_IOC_FILESYSTEM, &request) < 0)
		err(1, "%s", path);
	answered = true;
	pthread_join(thread, NULL);
	puts(during ? "during" : "after");
	return 0;
}
