// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filesystems PATH...: prints /dev/bufstat's answer for each path's filesystem.
 * filesystems -m: for the internal tmpfs.
 * filesystems -a: for all mounted filesystems, each once, and the internal
 * tmpfs; then "total PAGES".
 * filesystems -n N PATH|-m...: the N files with the most pages of each.
 *
 * A refusal is a line "- ERRNO PATH". Files that should have a row but have
 * none are a line "missed COUNT". After either the exit status is 1. Other
 * lines are MAJOR:MINOR TYPE PAGES INODES WITH_PAGES DIRTY WRITEBACK UNCOUNTED
 * ABOUT HOLDS LONGEST_HOLD_NS WALK_NS UNEVICTABLE PATH, or for a file INODE
 * PAGES SIZE LINKS ABOUT PATH.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

static int control;
static unsigned long long total;
static int refused;

static int open_path(const char *path)
{
	return strcmp(path, "-m") == 0 ? memfd_create("asked", 0) :
					 open(path, O_PATH | O_CLOEXEC);
}

static void refuse(const char *path)
{
	printf("- %s %s\n", strerrorname_np(errno), path);
	refused = 1;
}

static void ask(const char *path)
{
	struct bufstat_filesystem fs = {
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = open_path(path),
	};

	if (ioctl(control, BUFSTAT_IOC_FILESYSTEM, &fs) < 0) {
		refuse(path);
	} else {
		printf("%u:%u %s %llu %llu %llu %llu %llu %llu %u %llu %llu %llu %llu %s\n",
		       fs.major, fs.minor, fs.type, fs.pages, fs.inodes,
		       fs.with_pages, fs.dirty_pages, fs.writeback_pages,
		       fs.uncounted_inodes, fs.about, fs.holds,
		       fs.longest_hold_ns, fs.walk_ns, fs.unevictable_pages,
		       path);
		total += fs.pages;
	}
	close(fs.fd);
}

/* Asks once about a filesystem mounted twice, never if it has no page cache. */
static void ask_all(void)
{
	static char seen[1000][16], line[4096], number[16], path[4096];
	FILE *mounts = fopen("/proc/self/mountinfo", "r");
	size_t count = 0, i;

	while (mounts && fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %*s %15s %*s %4095s", number, path) != 2)
			continue;
		for (i = 0; i < count && strcmp(seen[i], number) != 0; i++)
			;
		if (i < count || count == 1000 || strstr(line, " - hugetlbfs "))
			continue;
		strcpy(seen[count++], number);
		ask(path);
	}
	ask("-m");
	printf("total %llu\n", total);
}

static void list(const char *path, unsigned int count)
{
	struct bufstat_file *rows = calloc(count, sizeof(*rows));
	struct bufstat_files files = {
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = open_path(path),
		.capacity = count,
		.rows = (unsigned long)rows,
	};

	if (ioctl(control, BUFSTAT_IOC_FILES, &files) < 0)
		refuse(path);
	for (unsigned int i = 0; i < files.count; i++)
		printf("%llu %llu %llu %u %u %s\n", rows[i].ino, rows[i].pages,
		       rows[i].size_bytes, rows[i].links,
		       rows[i].about &
			       (BUFSTAT_FILE_DELETED | BUFSTAT_FILE_HAS_PATH |
				BUFSTAT_FILE_HAS_NAME),
		       rows[i].path);
	if (files.missed) {
		printf("missed %llu\n", files.missed);
		refused = 1;
	}
	free(rows);
}

int main(int argc, char **argv)
{
	control = open("/dev/" BUFSTAT_DEVICE, O_RDONLY | O_CLOEXEC);
	if (control < 0) {
		perror("/dev/" BUFSTAT_DEVICE);
		return 2;
	}
	if (argc >= 4 && strcmp(argv[1], "-n") == 0) {
		for (int i = 3; i < argc; i++)
			list(argv[i], (unsigned int)atoi(argv[2]));
	} else if (argc == 2 && strcmp(argv[1], "-a") == 0) {
		ask_all();
	} else {
		for (int i = 1; i < argc; i++)
			ask(argv[i]);
	}
	return refused;
}
