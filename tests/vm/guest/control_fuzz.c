// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_fuzz ROUNDS DIRECTORY: calls /dev/bufstat as no sane program would.
 * The module may only answer as <bufstat/filesystems.h> documents, and may not
 * write outside the structures. Prints what is wrong. Exit status 1: something
 * is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

static int control;
static int wrong;
static uint64_t state = 0x9e3779b97f4a7c15;

/* xorshift64*: the same on every machine. */
static uint64_t random_number(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1d;
}

static void complain(const char *what, int error)
{
	printf("%s: %s\n", what, error ? strerrorname_np(error) : "success");
	wrong = 1;
}

static void expect(const char *what, int error, unsigned long command,
		   const void *argument)
{
	int got = ioctl(control, command, argument) < 0 ? errno : 0;

	if (got != error)
		complain(what, got);
}

/* The descriptors, and the expected answer for each. */
enum { DESCRIPTORS = 40 };

static struct {
	const char *name;
	int fd;
	int error;
} descriptors[DESCRIPTORS];
static size_t descriptor_count;

static void add(const char *name, int fd, int error)
{
	if (fd < 0 && error != EBADF) {
		printf("# not here: %s: %s\n", name, strerrorname_np(errno));
		return;
	}
	descriptors[descriptor_count].name = name;
	descriptors[descriptor_count].fd = fd;
	descriptors[descriptor_count++].error = error;
}

static void add_strange(void)
{
	sigset_t none;
	int pair[2];

	sigemptyset(&none);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	add("socket", pair[0], EOPNOTSUPP);
	add("network socket", socket(AF_INET, SOCK_DGRAM, 0), EOPNOTSUPP);
	if (pipe(pair) < 0)
		exit(2);
	add("pipe, reading", pair[0], EOPNOTSUPP);
	add("pipe, writing", pair[1], EOPNOTSUPP);
	add("eventfd", eventfd(0, 0), EOPNOTSUPP);
	add("epoll", epoll_create1(0), EOPNOTSUPP);
	add("timerfd", timerfd_create(CLOCK_MONOTONIC, 0), EOPNOTSUPP);
	add("signalfd", signalfd(-1, &none, 0), EOPNOTSUPP);
	add("pidfd", (int)syscall(SYS_pidfd_open, getpid(), 0), EOPNOTSUPP);
	add("namespace", open("/proc/self/ns/mnt", O_RDONLY), EOPNOTSUPP);
	add("hugetlb memfd", memfd_create("huge", MFD_HUGETLB), EOPNOTSUPP);
	add("minus one", -1, EBADF);
	add("closed", 9999, EBADF);
	add("largest", INT_MAX, EBADF);
	add("smallest", INT_MIN, EBADF);
}

static void add_files(const char *directory)
{
	char path[PATH_MAX];
	int fd;

	add("itself", control, 0);
	add("memfd", memfd_create("fuzz", 0), 0);
	add("root, O_PATH", open("/", O_PATH), 0);
	add("directory", open("/proc", O_RDONLY | O_DIRECTORY), 0);
	add("file of proc", open("/proc/self/stat", O_RDONLY), 0);
	add("file, O_PATH", open("/init", O_PATH), 0);
	add("block device", open("/dev/vda", O_RDONLY), 0);
	add("block device, O_PATH", open("/dev/vda", O_PATH), 0);
	add("character device", open("/dev/null", O_RDWR), 0);
	add("symlink, O_PATH", open("/proc/self/exe", O_PATH | O_NOFOLLOW), 0);
	add("no name", open(directory, O_TMPFILE | O_RDWR, 0600), 0);
	snprintf(path, sizeof(path), "%s/deleted", directory);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	unlink(path);
	add("deleted", fd, 0);
	snprintf(path, sizeof(path), "%s/fifo", directory);
	mkfifo(path, 0600);
	add("fifo, O_PATH", open(path, O_PATH), 0);
	unlink(path);
}

static struct bufstat_filesystem filesystem_request(int fd)
{
	return (struct bufstat_filesystem){
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = fd,
	};
}

static struct bufstat_files files_request(int fd, void *rows,
					  unsigned int rooms)
{
	return (struct bufstat_files){
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = fd,
		.capacity = rooms,
		.rows = (uintptr_t)rows,
	};
}

static void try_descriptors(void)
{
	static struct bufstat_file rows[3];

	for (size_t i = 0; i < descriptor_count; i++) {
		struct bufstat_filesystem fs =
			filesystem_request(descriptors[i].fd);
		struct bufstat_files files =
			files_request(descriptors[i].fd, rows, 3);

		expect(descriptors[i].name, descriptors[i].error,
		       BUFSTAT_IOC_FILESYSTEM, &fs);
		expect(descriptors[i].name, descriptors[i].error,
		       BUFSTAT_IOC_FILES, &files);
		files = files_request(descriptors[i].fd, rows, 3);
		files.flags = BUFSTAT_FILES_ONE;
		expect(descriptors[i].name, descriptors[i].error,
		       BUFSTAT_IOC_FILES, &files);
		if (!descriptors[i].error && files.count > 1)
			complain("more than the one file", 0);
	}
}

static void try_fields(void)
{
	static struct bufstat_file rows[1];
	struct bufstat_filesystem good = filesystem_request(0), fs;
	struct bufstat_files files, fine = files_request(0, rows, 1);
	int root = open("/", O_PATH);

	good.fd = fine.fd = root;
	for (unsigned int version = 0; version < 5; version++) {
		fs = good;
		fs.version = version;
		expect("version", version == 1 ? 0 : EINVAL,
		       BUFSTAT_IOC_FILESYSTEM, &fs);
	}
	for (int bit = 0; bit < 32; bit++) {
		fs = good;
		fs.flags = 1U << bit;
		expect("flag", EINVAL, BUFSTAT_IOC_FILESYSTEM, &fs);
		files = fine;
		files.flags = 1U << bit;
		expect("flag", files.flags == BUFSTAT_FILES_ONE ? 0 : EINVAL,
		       BUFSTAT_IOC_FILES, &files);
	}
	for (size_t i = 0; i < sizeof(fs.reserved); i++) {
		fs = good;
		((char *)fs.reserved)[i] = 1;
		expect("reserved", EINVAL, BUFSTAT_IOC_FILESYSTEM, &fs);
		files = fine;
		((char *)files.reserved)[i] = 1;
		expect("reserved", EINVAL, BUFSTAT_IOC_FILES, &files);
	}
	files = fine;
	files.capacity = 0;
	expect("no room", EINVAL, BUFSTAT_IOC_FILES, &files);
	files.capacity = BUFSTAT_FILES_MAX + 1;
	expect("too much room", EINVAL, BUFSTAT_IOC_FILES, &files);
	files.capacity = UINT_MAX;
	expect("far too much room", EINVAL, BUFSTAT_IOC_FILES, &files);
	close(root);
}

static void try_commands(void)
{
	struct bufstat_version version = { 0 };
	char room[16384] = { 0 };

	expect("version", 0, BUFSTAT_IOC_VERSION, &version);
	if (version.version != BUFSTAT_FILESYSTEMS_VERSION)
		complain("version of the module", 0);
	for (unsigned int number = 0; number < 256; number++) {
		expect("unknown command", ENOTTY, _IOWR(0xBF, number, char[7]),
		       room);
		expect("other type", ENOTTY, _IO(0xBE, number), room);
	}
	expect("another size", ENOTTY,
	       _IOC(_IOC_READ | _IOC_WRITE, 0xBF, 1, 192), room);
	expect("another direction", ENOTTY,
	       _IOC(_IOC_READ, 0xBF, 1, sizeof(struct bufstat_filesystem)),
	       room);
}

static void try_held(void)
{
	struct bufstat_held held = { .version = BUFSTAT_FILESYSTEMS_VERSION };
	const struct bufstat_held good = held;

	expect("held", 0, BUFSTAT_IOC_HELD, &held);
	if (memcmp(&held, &good, sizeof(held)) != 0)
		complain("held: something is", 0);
	for (size_t i = 0; i < sizeof(held); i++) {
		held = good;
		((char *)&held)[i] ^= 4;
		expect("held: not zero", EINVAL, BUFSTAT_IOC_HELD, &held);
	}
	expect("held: bad pointer", EFAULT, BUFSTAT_IOC_HELD, (void *)8);
}

static void *guarded(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 2 * page, page);
	/* The last byte is the last one of the mapping. */
	memset(pages, 0, 2 * page);
	return pages + 2 * page - size;
}

static void try_pointers(void)
{
	static const uintptr_t bad[] = { 0,
					 1,
					 8,
					 4095,
					 0xffff888000000000,
					 0xffffffff81000000,
					 UINTPTR_MAX,
					 UINTPTR_MAX - 100,
					 0x7ffffffff000,
					 0x7fffffffeff8,
					 0x800000000000 };
	struct bufstat_filesystem *fs = guarded(sizeof(*fs));
	struct bufstat_files files;
	struct bufstat_file *rows = guarded(sizeof(*rows));
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int root = open("/", O_PATH);
	char *page;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		expect("bad pointer", EFAULT, BUFSTAT_IOC_FILESYSTEM,
		       (void *)bad[i]);
		expect("bad pointer", EFAULT, BUFSTAT_IOC_FILES,
		       (void *)bad[i]);
		expect("bad pointer", EFAULT, BUFSTAT_IOC_VERSION,
		       (void *)bad[i]);
		files = files_request(root, (void *)bad[i], 3);
		expect("bad rows", EFAULT, BUFSTAT_IOC_FILES, &files);
	}
	*fs = filesystem_request(root);
	expect("at the end of memory", 0, BUFSTAT_IOC_FILESYSTEM, fs);
	expect("over the end of memory", EFAULT, BUFSTAT_IOC_FILESYSTEM,
	       (char *)fs + 8);
	files = files_request(root, rows, 1);
	expect("rows at the end of memory", 0, BUFSTAT_IOC_FILES, &files);
	files = files_request(root, rows, 2);
	expect("rows over the end of memory", EFAULT, BUFSTAT_IOC_FILES,
	       &files);
	page = guarded(page_size);
	*(struct bufstat_filesystem *)page = filesystem_request(root);
	mprotect(page, page_size, PROT_READ);
	expect("read-only memory", EFAULT, BUFSTAT_IOC_FILESYSTEM, page);
	close(root);
}

/* Every byte is part of the answer: none is unwritten or kernel memory. */
static void try_padding(void)
{
	struct bufstat_file *rows = malloc(2 * sizeof(*rows));
	struct bufstat_filesystem fs = filesystem_request(0);
	struct bufstat_files files;

	fs.fd = open("/", O_PATH);
	memset(rows, 0xa5, 2 * sizeof(*rows));
	files = files_request(fs.fd, rows, 1);
	expect("rows", 0, BUFSTAT_IOC_FILES, &files);
	for (size_t i = 0; i < sizeof(*rows); i++) {
		if (((unsigned char *)(rows + 1))[i] != 0xa5)
			complain("written beside the rows", 0);
	}
	for (size_t i = strlen((char *)rows->path); i < sizeof(rows->path);
	     i++) {
		if (rows->path[i])
			complain("after the path", 0);
	}
	expect("answer", 0, BUFSTAT_IOC_FILESYSTEM, &fs);
	for (size_t i = strlen((char *)fs.type); i < sizeof(fs.type); i++) {
		if (fs.type[i])
			complain("after the type", 0);
	}
	close(fs.fd);
	free(rows);
}

#ifdef __x86_64__
/* The 32-bit system call, whose pointers are below 4 GiB. */
static int call32(int number, int fd, unsigned int command, void *argument)
{
	int result;

	asm volatile("int $0x80"
		     : "=a"(result)
		     : "0"(number), "b"(fd), "c"(command), "d"(argument)
		     : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static int ioctl32(int fd, unsigned int command, void *argument)
{
	return call32(54, fd, command, argument);
}

/* A kernel without them answers ENOSYS or kills the process. */
static bool has_32_bit_calls(void)
{
	int status;
	pid_t child = fork();

	/* getpid */
	if (child == 0)
		_exit(call32(20, 0, 0, NULL) < 0);
	return waitpid(child, &status, 0) == child && status == 0;
}

static void try_32_bits(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *low = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct bufstat_filesystem *fs = (void *)low;
	struct bufstat_files *files = (void *)(low + page);
	struct bufstat_filesystem other;
	int result;

	if (!has_32_bit_calls()) {
		puts("# not here: 32-bit system calls");
		return;
	}
	*fs = other = filesystem_request(open("/", O_PATH));
	*files = files_request(fs->fd, low + 2 * page, 2);
	result = ioctl32(control, BUFSTAT_IOC_FILESYSTEM, fs);
	if (result < 0)
		complain("32 bits", -result);
	expect("64 bits", 0, BUFSTAT_IOC_FILESYSTEM, &other);
	if (fs->pages != other.pages ||
	    strcmp((char *)fs->type, (char *)other.type))
		complain("32 bits: another answer", 0);
	result = ioctl32(control, BUFSTAT_IOC_FILES, files);
	if (result < 0 || !files->count)
		complain("32 bits, files", -result);
	if (ioctl32(control, BUFSTAT_IOC_FILES, (void *)8) != -EFAULT)
		complain("32 bits, bad pointer", 0);
}
#else
static void try_32_bits(void)
{
}
#endif

static bool is_documented(int error)
{
	static const int errors[] = { 0,	  EBADF, EFAULT, EINVAL,
				      EOPNOTSUPP, EINTR, ENOMEM, ENOTTY };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		if (error == errors[i])
			return true;
	}
	return false;
}

static int any_descriptor(void)
{
	return descriptors[random_number() % descriptor_count].fd;
}

/* Valid requests with some bytes changed, so that some checks are passed. */
static void try_random(long rounds)
{
	static struct bufstat_file rows[BUFSTAT_FILES_MAX];
	union {
		struct bufstat_filesystem fs;
		struct bufstat_files files;
		unsigned char bytes[256];
	} request;
	static const unsigned long commands[] = { BUFSTAT_IOC_FILESYSTEM,
						  BUFSTAT_IOC_FILES };
	/* A random address could be this program's own memory. */
	void *nowhere = mmap(NULL, sizeof(rows), PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	while (rounds--) {
		unsigned long command = commands[random_number() % 2];
		int changes = (int)(random_number() % 3);
		int error;

		memset(&request, 0, sizeof(request));
		if (command == BUFSTAT_IOC_FILES)
			request.files = files_request(
				any_descriptor(), rows,
				1 + (unsigned int)random_number() % 4);
		else
			request.fs = filesystem_request(any_descriptor());
		while (changes--)
			request.bytes[random_number() % 48] =
				(unsigned char)random_number();
		if (command == BUFSTAT_IOC_FILES)
			request.files.rows = (uintptr_t)(random_number() % 8 ?
								 (void *)rows :
								 nowhere);
		error = ioctl(control, command, &request) < 0 ? errno : 0;
		if (!is_documented(error))
			complain("a random request", error);
	}
}

/* Closes the descriptor about which another thread is asking. */
static void *close_and_open(void *stop)
{
	int fd;

	while (!*(volatile int *)stop) {
		fd = open("/", O_PATH);
		dup2(fd, 500);
		usleep(100);
		close(500);
		close(fd);
	}
	return NULL;
}

static void try_closing(void)
{
	long asked = 0, answered = 0;
	time_t end = time(NULL) + 3;
	int stop = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, close_and_open, &stop);
	for (; time(NULL) < end; asked++) {
		struct bufstat_filesystem fs = filesystem_request(500);
		int error = ioctl(control, BUFSTAT_IOC_FILESYSTEM, &fs) < 0 ?
				    errno :
				    0;

		if (error && error != EBADF)
			complain("closed meanwhile", error);
		answered += !error;
	}
	stop = 1;
	pthread_join(thread, NULL);
	if (!answered || answered == asked)
		complain("closed meanwhile: no race", 0);
}

/* Several callers ask about one filesystem and are killed at any moment. */
static void try_killing(void)
{
	for (int round = 0; round < 50; round++) {
		pid_t children[4];

		for (int i = 0; i < 4; i++) {
			children[i] = fork();
			if (children[i])
				continue;
			for (;;) {
				struct bufstat_filesystem fs =
					filesystem_request(any_descriptor());

				ioctl(control, BUFSTAT_IOC_FILESYSTEM, &fs);
			}
		}
		usleep(20000);
		for (int i = 0; i < 4; i++)
			kill(children[i], SIGKILL);
		while (wait(NULL) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	control = open("/dev/" BUFSTAT_DEVICE, O_RDWR);
	if (argc != 3 || control < 0)
		return 2;
	add_strange();
	add_files(argv[2]);
	try_commands();
	try_held();
	try_descriptors();
	try_fields();
	try_pointers();
	try_padding();
	try_32_bits();
	try_random(atol(argv[1]));
	try_closing();
	try_killing();
	return wrong;
}
