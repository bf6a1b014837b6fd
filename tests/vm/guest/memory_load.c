// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory_load KIND NUMBER [FILE]: takes memory of one kind, prints "ready
 * PAGES" with the pages that it took for sure, and keeps them until it is
 * killed. The number is of MiB, but for forks.
 *
 *	anon		anonymous memory in small pages
 *	attributes	buffers of XFS: large extended attributes of FILE
 *	names		dentries of names that do not exist in FILE, a directory
 *	inodes		files without contents in FILE, a directory on tmpfs
 *	dense		anonymous memory that cannot be compressed, swapped out
 *	huge		anonymous memory in transparent huge pages
 *	memfd		a memfd
 *	mlock		anonymous memory, locked
 *	pool		huge pages of a pool
 *	tables		page tables
 *	pipes		data in pipes
 *	flight		data in pipes that only messages between sockets hold
 *	sockets		datagrams that wait in UDP sockets
 *	unix		data in Unix sockets
 *	ring		an AF_PACKET ring
 *	packet		the same, mapped
 *	perf		buffers of perf
 *	uring		rings of io_uring
 *	vgem		objects of vgem, in FILE, a device
 *	sparse		FILE without contents, mapped: it takes nothing
 *	pages		pages of FILE's page pool, a veth whose other end is in
 *			the network namespace "client", with 10.7.0.1 here
 *	bpf		an array of BPF
 *	percpu		an array of BPF with values for each processor
 *	pinned		an array of BPF with the name FILE, in a bpffs, not open
 *	held		the same, open
 *	program		an array of BPF that the program "count" has and, with
 *			any FILE, this process, too
 *	inner		an array of BPF that another map has, which is open
 *	forks		so many processes that do nothing
 *	shared		anonymous memory that five processes have
 *	splice		FILE's pages in pipes; FILE is then deleted
 *	swapped		anonymous memory, of which two thirds are swapped out,
 *			and then half of those read again
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <net/ethernet.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MIB (1024UL * 1024)
#define HUGE_SIZE_FILE "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"

static long page_size;
static char *memory;

/* In each page so many bytes are random. */
static void fill_bytes(char *at, size_t size, long bytes)
{
	static uint64_t state = 88172645463325252ULL;

	for (size_t page = 0; page < size; page += (size_t)page_size) {
		uint64_t *words = (uint64_t *)(at + page);

		for (long i = 0; i < bytes / 8; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			words[i] = state;
		}
	}
}

/* Half of it random, so that it can be compressed, but not to nothing. */
static void fill(char *at, size_t size)
{
	fill_bytes(at, size, page_size / 2);
}

static char *map(size_t size, int flags)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

static void *map_file(int fd, size_t size, off_t offset)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_POPULATE, fd, offset);

	if (at == MAP_FAILED)
		err(1, "mapping what the kernel gives");
	return at;
}

static size_t transparent_huge_page_size(void)
{
	FILE *file = fopen(HUGE_SIZE_FILE, "re");
	size_t size;

	if (!file || fscanf(file, "%zu", &size) != 1)
		err(1, HUGE_SIZE_FILE);
	fclose(file);
	return size;
}

/* A kernel without transparent huge pages (PREEMPT_RT) refuses to do without. */
static void advise(void *at, size_t size, int advice)
{
	if (madvise(at, size, advice) &&
	    !(advice == MADV_NOHUGEPAGE && errno == EINVAL))
		err(1, "madvise");
}

static unsigned long anonymous(size_t size, int flags, int advice)
{
	/* A transparent huge page needs an aligned place. */
	size_t align = advice == MADV_HUGEPAGE ? transparent_huge_page_size() :
						 1;

	memory = map(size + align - 1, flags);
	memory += -(uintptr_t)memory & (align - 1);
	if (advice)
		advise(memory, size, advice);
	fill(memory, size);
	return size / (size_t)page_size;
}

static unsigned long take_memfd(size_t size)
{
	int fd = memfd_create("load", 0);

	if (fd < 0 || ftruncate(fd, (off_t)size))
		err(1, "memfd");
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	fill(memory, size);
	return size / (size_t)page_size;
}

/*
 * Bytes of the entries of a table, one for each of some pages, and of the
 * memory that a table takes. On ppc64 this is so with a radix tree, as POWER9
 * has, and pages of 64 KiB. s390x gives each table a page since Linux 6.7, and
 * half of one before.
 */
#if defined(__s390x__)
#define TABLE_ENTRIES ((size_t)2048)
#define TABLE_SIZE ((size_t)page_size)
#elif defined(__powerpc64__)
#define TABLE_ENTRIES ((size_t)256)
#define TABLE_SIZE TABLE_ENTRIES
#else
#define TABLE_ENTRIES ((size_t)page_size)
#define TABLE_SIZE TABLE_ENTRIES
#endif

/*
 * Reading maps the page of zeros, so only page tables are allocated. Each has
 * an entry of 8 bytes in those of the next level.
 */
static unsigned long take_tables(size_t size)
{
	const size_t each = TABLE_ENTRIES / 8 * (size_t)page_size;
	const size_t count = size / TABLE_SIZE;
	volatile char *at = map(count * each, MAP_NORESERVE);

	advise((void *)at, count * each, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < count; i++)
		(void)at[i * each];
	return (size + count * 8) / (size_t)page_size;
}

static void more_files(void)
{
	struct rlimit limit = { 65536, 65536 };

	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		err(1, "RLIMIT_NOFILE");
}

static int new_pipe(int ends[2])
{
	if (pipe2(ends, O_NONBLOCK))
		err(1, "pipe");
	return fcntl(ends[1], F_SETPIPE_SZ, MIB);
}

/* Sends both ends by a socket, and closes them here. */
static void send_away(int by, const int ends[2])
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = { .header = { .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS,
				  .cmsg_len = CMSG_LEN(2 * sizeof(int)) } };
	struct iovec byte = { "x", 1 };
	struct msghdr message = { .msg_iov = &byte,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control.room) };

	memcpy(CMSG_DATA(&control.header), ends, 2 * sizeof(int));
	if (sendmsg(by, &message, 0) != 1)
		err(1, "sending a pipe");
	close(ends[0]);
	close(ends[1]);
}

static unsigned long take_pipes(size_t size, bool in_flight)
{
	char *data = malloc(MIB);
	int sockets[2];

	if (!data)
		err(1, "malloc");
	memset(data, 1, MIB);
	more_files();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		err(1, "socketpair");
	for (size_t done = 0; done < size; done += MIB) {
		int ends[2];

		if (new_pipe(ends) < (int)MIB ||
		    write(ends[1], data, MIB) != (ssize_t)MIB)
			err(1, "filling a pipe");
		if (in_flight)
			send_away(sockets[0], ends);
	}
	free(data);
	return size / (size_t)page_size;
}

static unsigned long take_splice(size_t size, const char *path)
{
	int fd = open(path, O_RDONLY);
	off_t at = 0;

	if (fd < 0)
		err(1, "%s", path);
	more_files();
	while ((size_t)at < size) {
		int ends[2];

		new_pipe(ends);
		while (splice(fd, &at, ends[1], NULL, MIB, SPLICE_F_NONBLOCK) >
		       0)
			;
	}
	close(fd);
	if (unlink(path))
		err(1, "%s", path);
	return size / (size_t)page_size;
}

static unsigned long take_sockets(size_t size)
{
	static char data[60000];
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int room = (int)(4 * MIB);
	int from = socket(AF_INET, SOCK_DGRAM, 0);

	memset(data, 1, sizeof(data));
	for (size_t done = 0; done < size;) {
		int fd = socket(AF_INET, SOCK_DGRAM, 0);
		socklen_t length = sizeof(to);

		to.sin_port = 0;
		if (fd < 0 ||
		    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
			       sizeof(room)) ||
		    bind(fd, (const void *)&to, sizeof(to)) ||
		    getsockname(fd, (void *)&to, &length))
			err(1, "UDP");
		/* The kernel takes twice as much as was asked for. */
		for (size_t i = 0; i < MIB; i += sizeof(data)) {
			if (sendto(from, data, sizeof(data), 0,
				   (const void *)&to, sizeof(to)) < 0)
				err(1, "sending");
			done += sizeof(data);
		}
	}
	return size / (size_t)page_size;
}

static unsigned long take_unix(size_t size)
{
	static char data[65536];
	const int room = (int)(4 * MIB);

	memset(data, 1, sizeof(data));
	more_files();
	for (size_t done = 0; done < size;) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
		    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUFFORCE, &room,
			       sizeof(room)))
			err(1, "Unix sockets");
		for (size_t i = 0; i < MIB; i += sizeof(data)) {
			if (send(ends[0], data, sizeof(data), MSG_DONTWAIT) !=
			    (ssize_t)sizeof(data))
				err(1, "sending");
			done += sizeof(data);
		}
	}
	return size / (size_t)page_size;
}

static unsigned long take_ring(size_t size, bool is_mapped)
{
	struct tpacket_req request = {
		.tp_block_size = MIB / 4,
		.tp_block_nr = (unsigned int)(size / (MIB / 4)),
		.tp_frame_size = 2048,
		.tp_frame_nr = (unsigned int)(size / 2048),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	if (fd < 0)
		err(77, "AF_PACKET");
	if (setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request,
		       sizeof(request)))
		err(1, "PACKET_RX_RING");
	if (is_mapped)
		map_file(fd, size, 0);
	return size / (size_t)page_size;
}

static unsigned long take_perf(size_t size)
{
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event),
		.config = PERF_COUNT_SW_DUMMY,
	};

	more_files();
	/* A power of two of pages each, and one that describes them. */
	for (size_t done = 0; done < size; done += MIB) {
		int fd =
			(int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);

		if (fd < 0)
			err(77, "perf_event_open");
		map_file(fd, MIB + (size_t)page_size, 0);
	}
	return size / (size_t)page_size;
}

static unsigned long take_uring(size_t size)
{
	/* So many entries of 64 bytes; those of answers take about as much. */
	const size_t entries = 8192;
	const size_t rings = entries * 64 * 2;

	more_files();
	for (size_t done = 0; done < size; done += rings) {
		struct io_uring_params params = { 0 };
		int fd = (int)syscall(SYS_io_uring_setup, entries, &params);

		if (fd < 0)
			err(77, "io_uring_setup");
		map_file(fd, params.cq_off.cqes + params.cq_entries * 16,
			 IORING_OFF_SQ_RING);
		map_file(fd, params.sq_entries * 64, IORING_OFF_SQES);
	}
	return size / (size_t)page_size;
}

/* Of drm/drm_mode.h, which comes with libdrm. */
struct drm_mode_create_dumb {
	uint32_t height, width, bpp, flags, handle, pitch;
	uint64_t size;
};

struct drm_mode_map_dumb {
	uint32_t handle, pad;
	uint64_t offset;
};

#define DRM_IOCTL_MODE_CREATE_DUMB _IOWR('d', 0xb2, struct drm_mode_create_dumb)
#define DRM_IOCTL_MODE_MAP_DUMB _IOWR('d', 0xb3, struct drm_mode_map_dumb)

static unsigned long take_vgem(size_t size, const char *card)
{
	int fd = open(card, O_RDWR);

	if (fd < 0)
		err(1, "%s", card);
	for (size_t done = 0; done < size; done += MIB) {
		struct drm_mode_create_dumb object = {
			.width = 1024,
			.height = 256,
			.bpp = 32,
		};
		struct drm_mode_map_dumb where = { 0 };

		if (ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &object))
			err(1, "an object of %s", card);
		where.handle = object.handle;
		if (ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &where))
			err(1, "where to map it");
		memset(map_file(fd, MIB, (off_t)where.offset), 1, MIB);
	}
	return size / (size_t)page_size;
}

static unsigned long take_sparse(size_t size, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)size) ||
	    mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		err(1, "%s", path);
	return 0;
}

static int create_map(size_t size, unsigned int type)
{
	union bpf_attr map = {
		.map_type = type,
		.key_size = 4,
		.value_size = (unsigned int)page_size,
		.max_entries = (unsigned int)(size / (size_t)page_size),
		.map_name = "events",
	};
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	int fd;

	setrlimit(RLIMIT_MEMLOCK, &limit);
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map));
	if (fd < 0)
		err(1, "BPF_MAP_CREATE");
	return fd;
}

static unsigned long take_bpf(size_t size, unsigned int type)
{
	create_map(size, type);
	return size / (size_t)page_size;
}

static unsigned long take_pinned(size_t size, const char *path, bool is_held)
{
	const int fd = create_map(size, BPF_MAP_TYPE_ARRAY);
	union bpf_attr pin = {
		.pathname = (uint64_t)(uintptr_t)path,
		.bpf_fd = (uint32_t)fd,
	};

	if (syscall(SYS_bpf, BPF_OBJ_PIN, &pin, sizeof(pin)))
		err(1, "%s", path);
	if (!is_held)
		close(fd);
	return size / (size_t)page_size;
}

/* The program filters a socket, and nobody has it open. */
static unsigned long take_program(size_t size, bool is_held)
{
	const int map = create_map(size, BPF_MAP_TYPE_ARRAY);
	const int filtered = socket(AF_UNIX, SOCK_DGRAM, 0);
	const struct bpf_insn code[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uint64_t)(uintptr_t)code,
		.insn_cnt = sizeof(code) / sizeof(*code),
		.license = (uint64_t)(uintptr_t) "GPL",
		.prog_name = "count",
	};
	const int program =
		(int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));

	if (program < 0)
		err(1, "BPF_PROG_LOAD");
	if (filtered < 0 || setsockopt(filtered, SOL_SOCKET, SO_ATTACH_BPF,
				       &program, sizeof(program)))
		err(1, "SO_ATTACH_BPF");
	close(program);
	if (!is_held)
		close(map);
	return size / (size_t)page_size;
}

static unsigned long take_inner(size_t size)
{
	const int inner = create_map(size, BPF_MAP_TYPE_ARRAY);
	union bpf_attr outer = {
		.map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 1,
		.inner_map_fd = (uint32_t)inner,
	};
	uint32_t key = 0, value = (uint32_t)inner;
	union bpf_attr update = {
		.key = (uint64_t)(uintptr_t)&key,
		.value = (uint64_t)(uintptr_t)&value,
	};

	update.map_fd = (uint32_t)syscall(SYS_bpf, BPF_MAP_CREATE, &outer,
					  sizeof(outer));
	if (syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &update, sizeof(update)))
		err(1, "BPF_MAP_UPDATE_ELEM");
	close(inner);
	return size / (size_t)page_size;
}

static unsigned long take_percpu(size_t size)
{
	const long processors = sysconf(_SC_NPROCESSORS_CONF);

	return take_bpf(size / (size_t)processors, BPF_MAP_TYPE_PERCPU_ARRAY) *
	       (unsigned long)processors;
}

static unsigned long take_forks(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
			_exit(0);
		}
	}
	return count;
}

/* Children do not write, so nothing is copied. */
static unsigned long take_shared(size_t size)
{
	unsigned long pages = anonymous(size, 0, MADV_NOHUGEPAGE);

	take_forks(4);
	return pages;
}

static unsigned long take_swapped(size_t size)
{
	unsigned long pages = anonymous(size, 0, MADV_NOHUGEPAGE), sum = 0;

	if (madvise(memory, size / 3 * 2, MADV_PAGEOUT))
		err(1, "MADV_PAGEOUT");
	/* What is in order is written in order: let it get there. */
	sleep(2);
	for (size_t i = 0; i < size / 3; i += (size_t)page_size)
		sum += (unsigned long)((volatile char *)memory)[i];
	return sum == 1 ? 1 : pages;
}

static unsigned long take_dense(size_t size)
{
	memory = map(size, 0);
	advise(memory, size, MADV_NOHUGEPAGE);
	fill_bytes(memory, size, page_size);
	if (madvise(memory, size, MADV_PAGEOUT))
		err(1, "MADV_PAGEOUT");
	return size / (size_t)page_size;
}

static int open_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		err(1, "%s", directory);
	return fd;
}

/* A struct dentry has 192 bytes, and fills pages. */
static unsigned long take_names(size_t size, const char *directory)
{
	const unsigned long pages = size / (size_t)page_size;
	const unsigned long count = pages * ((unsigned long)page_size / 192);
	char name[32];
	int fd = open_directory(directory);

	for (unsigned long i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%lu", i);
		if (!faccessat(fd, name, F_OK, 0))
			errx(1, "%s is there", name);
	}
	return pages;
}

/* A struct shmem_inode_info has at least 680 bytes. Returns how many. */
static unsigned long take_inodes(size_t size, const char *directory)
{
	const unsigned long count = size / 680;
	char name[32];
	int fd = open_directory(directory);

	for (unsigned long i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%lu", i);
		if (mknodat(fd, name, S_IFREG | 0644, 0))
			err(1, "%s", name);
	}
	close(fd);
	return count;
}

/* XFS keeps a value of this size in buffers of metadata, not with the inode. */
static unsigned long take_attributes(size_t size, const char *path)
{
	static char value[60000];
	char name[32];

	for (size_t i = 0; i < size / sizeof(value); i++) {
		snprintf(name, sizeof(name), "user.%zu", i);
		if (setxattr(path, name, value, sizeof(value), 0))
			err(1, "%s: %s", path, name);
	}
	return size / (size_t)page_size;
}

static unsigned long take(const char *kind, unsigned long number,
			  const char *path)
{
	const size_t size = number * MIB;

	if (!strcmp(kind, "anon"))
		return anonymous(size, 0, MADV_NOHUGEPAGE);
	if (!strcmp(kind, "dense"))
		return take_dense(size);
	if (!strcmp(kind, "inodes") && path)
		return take_inodes(size, path);
	if (!strcmp(kind, "attributes") && path)
		return take_attributes(size, path);
	if (!strcmp(kind, "names") && path)
		return take_names(size, path);
	if (!strcmp(kind, "swapped"))
		return take_swapped(size);
	if (!strcmp(kind, "huge"))
		return anonymous(size, 0, MADV_HUGEPAGE);
	if (!strcmp(kind, "mlock"))
		return anonymous(size, MAP_LOCKED, 0);
	if (!strcmp(kind, "pool"))
		return anonymous(size, MAP_HUGETLB, 0);
	if (!strcmp(kind, "memfd"))
		return take_memfd(size);
	if (!strcmp(kind, "tables"))
		return take_tables(size);
	if (!strcmp(kind, "pipes"))
		return take_pipes(size, false);
	if (!strcmp(kind, "flight"))
		return take_pipes(size, true);
	if (!strcmp(kind, "sockets"))
		return take_sockets(size);
	if (!strcmp(kind, "unix"))
		return take_unix(size);
	if (!strcmp(kind, "ring"))
		return take_ring(size, false);
	if (!strcmp(kind, "packet"))
		return take_ring(size, true);
	if (!strcmp(kind, "perf"))
		return take_perf(size);
	if (!strcmp(kind, "uring"))
		return take_uring(size);
	if (!strcmp(kind, "vgem") && path)
		return take_vgem(size, path);
	if (!strcmp(kind, "sparse") && path)
		return take_sparse(size, path);
	if (!strcmp(kind, "bpf"))
		return take_bpf(size, BPF_MAP_TYPE_ARRAY);
	if (!strcmp(kind, "pinned") && path)
		return take_pinned(size, path, false);
	if (!strcmp(kind, "held") && path)
		return take_pinned(size, path, true);
	if (!strcmp(kind, "program"))
		return take_program(size, path);
	if (!strcmp(kind, "inner"))
		return take_inner(size);
	if (!strcmp(kind, "percpu"))
		return take_percpu(size);
	if (!strcmp(kind, "forks"))
		return take_forks(number);
	if (!strcmp(kind, "shared"))
		return take_shared(size);
	if (!strcmp(kind, "splice") && path)
		return take_splice(size, path);
	errx(1, "%s: no such kind", kind);
}

int main(int argc, char **argv)
{
	unsigned long pages;

	if (argc < 3)
		errx(1, "usage: memory_load KIND NUMBER [FILE]");
	page_size = sysconf(_SC_PAGESIZE);
	pages = take(argv[1], strtoul(argv[2], NULL, 10), argv[3]);
	printf("ready %lu\n", pages);
	fflush(stdout);
	for (;;)
		pause();
}
