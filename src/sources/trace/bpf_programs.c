// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Up to Linux 6.19 a tracepoint disables preemption, and programs of type
 * tp_btf see every event. From 7.0 on (a46023d5616e) such a program can be
 * preempted, and then misses the events of other tasks on that processor. For
 * pages that come in, a classic program takes its place there. Pages go out
 * with interrupts disabled.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/kallsyms.h"
#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "trace/bpf_programs.h"
#include "trace/fill.h"
#include "trace/fill_object.h"
#include "names/pid_namespace.h"
#include "trace/small_btf.h"
#include "trace/tracefs.h"

/* These need what lockdown may refuse. */
#define RECLAIM (EVICT | LIMIT_BEGIN | LIMIT_END)
#define CGROUP_READERS (RECLAIM | ON_BEHALF)
/* Tracing goes on without these. */
#define EXTRAS (CGROUP_READERS | DROPS)

static const struct {
	const char *name;
	/* What it needs of the kernel's types, if not every kernel has it. */
	const char *needs;
	uint32_t kind;
} programs[] = {
	{ "add_btf", NULL, 0 },
	{ "delete_btf", NULL, 0 },
	{ "add_direct", NULL, 0 },
	{ "delete_direct", NULL, 0 },
	{ "add_tp", NULL, 0 },
	{ "probe_preemption", "btf_trace_vm_unmapped_area", BTF_KIND_TYPEDEF },
	{ "probe_bdevfs", "btf_trace_vm_unmapped_area", BTF_KIND_TYPEDEF },
	{ "evict", NULL, 0 },
	{ "limit_begin", "btf_trace_mm_vmscan_memcg_reclaim_begin",
	  BTF_KIND_TYPEDEF },
	{ "limit_end", "btf_trace_mm_vmscan_memcg_reclaim_end",
	  BTF_KIND_TYPEDEF },
	{ "on_behalf", NULL, 0 },
	{ "drop_btf", "mapping_try_invalidate", BTF_KIND_FUNC },
	{ "drop_old", "invalidate_mapping_pagevec", BTF_KIND_FUNC },
	{ "add_charged", NULL, 0 },
};

_Static_assert(sizeof(programs) / sizeof(*programs) == BPF_PROGRAMS,
	       "each program has a name");

void bpf_programs_unload(struct bpf_programs *bpf)
{
	for (size_t i = 0; i < BPF_PROGRAMS; i++) {
		closep(&bpf->links[i]);
		bpf->links[i] = -1;
	}
	if (bpf->object)
		bpf->libbpf.close(bpf->object);
	bpf->object = NULL;
	bpf->counting = 0;
}

int bpf_program_fd(const struct bpf_programs *bpf, size_t which)
{
	return bpf->libbpf.program_fd(
		bpf->libbpf.find_program(bpf->object, programs[which].name));
}

static int bpf_map_fd(const struct bpf_programs *bpf, const char *name)
{
	return bpf->libbpf.find_map_fd(bpf->object, name);
}

/* The address of the kernel's variable blockdev_superblock, or 0. */
static uint64_t find_bdev_address(const struct sysroot *root)
{
	struct kallsyms_symbol symbol = { .name = "blockdev_superblock" };
	_cleanup_(closep) int fd =
		sysroot_open(root, "/proc/kallsyms", O_RDONLY);

	if (fd < 0 || kallsyms_text_lookup(fd, &symbol, 1, NULL) < 0)
		return 0;
	return symbol.address;
}

static const struct {
	unsigned int number;
	enum fill_how how;
} syscalls[] = {
	{ SYS_read, FILL_READ },
	{ SYS_pread64, FILL_READ },
	{ SYS_readv, FILL_READ },
	{ SYS_preadv, FILL_READ },
	{ SYS_preadv2, FILL_READ },
	{ SYS_readahead, FILL_READ },
	{ SYS_fadvise64, FILL_READ },
	{ SYS_madvise, FILL_READ },
	{ SYS_sendfile, FILL_READ },
	{ SYS_splice, FILL_READ },
	{ SYS_execve, FILL_READ }, /* the beginning of the program */
	{ SYS_execveat, FILL_READ },
	{ SYS_write, FILL_WRITE },
	{ SYS_pwrite64, FILL_WRITE },
	{ SYS_writev, FILL_WRITE },
	{ SYS_pwritev, FILL_WRITE },
	{ SYS_pwritev2, FILL_WRITE },
	{ SYS_copy_file_range, FILL_WRITE },
	{ SYS_mmap, FILL_FAULT }, /* MAP_POPULATE */
	{ SYS_mlock, FILL_FAULT },
	{ SYS_mlock2, FILL_FAULT },
	{ SYS_mlockall, FILL_FAULT },
	/* They do all kinds of things. */
	{ SYS_io_submit, FILL_OTHER },
	{ SYS_io_uring_enter, FILL_OTHER },
};

/*
 * Sets how the pages that come in during each system call do so, an enum
 * fill_how by its number on this machine.
 */
static void classify_syscalls(uint8_t how[FILL_SYSCALLS])
{
	memset(how, FILL_METADATA, FILL_SYSCALLS);
	for (size_t i = 0; i < sizeof(syscalls) / sizeof(*syscalls); i++) {
		if (syscalls[i].number < FILL_SYSCALLS)
			how[syscalls[i].number] = (uint8_t)syscalls[i].how;
	}
}

static int set_up(const struct bpf_programs *bpf, uint64_t bdev_address)
{
	const struct pid_namespace here = pid_namespace_here();
	struct fill_settings settings = {
		.bdev_address = bdev_address,
		.pids_device = here.device,
		.pids_inode = here.inode,
		.process = (uint32_t)getpid(),
		.fadvise = SYS_fadvise64,
	};
	const uint32_t first = 0;

	classify_syscalls(settings.how);
	return bpf->libbpf.update(bpf_map_fd(bpf, ".data.settings"), &first,
				  &settings, BPF_ANY);
}

/* To call one program is cheaper than to call two. */
static unsigned int merged(unsigned int wanted)
{
	const unsigned int both = ADD_BTF | ON_BEHALF;

	return (wanted & both) == both ? (wanted & ~both) | ADD_CHARGED :
					 wanted;
}

/* Loads the programs @wanted. Returns 0 or a negative errno. */
static int load(struct bpf_programs *bpf, unsigned int wanted,
		uint64_t bdev_address)
{
	const struct libbpf *libbpf = &bpf->libbpf;
	char types[sizeof("/proc/self/fd/-2147483648")];
	const struct libbpf_options options = {
		.size = sizeof(options),
		.types = bpf->types < 0 ? NULL : types,
	};
	int ret;

	snprintf(types, sizeof(types), "/proc/self/fd/%d", bpf->types);
	wanted = merged(wanted);
	bpf->object = libbpf->open(fill_object, fill_object_size, &options);
	if (!bpf->object)
		return -errno;
	for (size_t i = 0; i < BPF_PROGRAMS; i++)
		libbpf->set_autoload(libbpf->find_program(bpf->object,
							  programs[i].name),
				     wanted >> i & 1);
	ret = libbpf->load(bpf->object);
	if (!ret)
		ret = set_up(bpf, bdev_address);
	if (ret < 0)
		bpf_programs_unload(bpf);
	return ret;
}

static int attach_btf(struct bpf_programs *bpf, size_t which)
{
	int fd = bpf->libbpf.attach(NULL, bpf_program_fd(bpf, which));

	if (fd < 0)
		return fd;
	bpf->links[which] = fd;
	return 0;
}

static int attach_tp(struct bpf_programs *bpf, size_t which)
{
	/* The program runs on every processor, whichever the event is for. */
	int fd = tracefs_open_event(bpf->add_id, 0);

	if (fd < 0)
		return fd;
	bpf->links[which] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program_fd(bpf, which)) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -errno;
	return 0;
}

static int attach(struct bpf_programs *bpf, unsigned int wanted)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < BPF_PROGRAMS; i++) {
		if (!(wanted >> i & 1))
			continue;
		ret = 1U << i == ADD_TP ? attach_tp(bpf, i) :
					  attach_btf(bpf, i);
		if (!ret)
			bpf->counting |= 1U << i;
	}
	return ret;
}

int bpf_programs_pause(const struct bpf_programs *bpf, bool pauses)
{
	const struct fill_switch control = { .off = pauses };
	const uint32_t first = 0;

	return bpf->libbpf.update(bpf_map_fd(bpf, ".data.switch"), &first,
				  &control, BPF_ANY);
}

int bpf_read_state(const struct bpf_programs *bpf, struct fill_state *state)
{
	const uint32_t first = 0;

	*state = (struct fill_state){ 0 };
	return bpf->libbpf.lookup(bpf_map_fd(bpf, ".data.state"), &first,
				  state);
}

/* Runs the program @which, which is at vm_unmapped_area, in this process. */
static int probe(struct bpf_programs *bpf, enum bpf_programs_bit which,
		 struct fill_state *state)
{
	size_t index = (size_t)__builtin_ctz(which);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int ret = attach_btf(bpf, index);
	void *memory;

	if (ret < 0)
		return ret;
	memory =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		munmap(memory, size);
	closep(&bpf->links[index]);
	bpf->links[index] = -1;
	return bpf_read_state(bpf, state);
}

/* The programs whose places the kernel has. */
static unsigned int find_available(const struct libbpf *libbpf,
				   const struct sysroot *root)
{
	struct btf *btf = libbpf->load_btf();
	unsigned int found = 0;

	for (size_t i = 0; i < BPF_PROGRAMS; i++) {
		if (!programs[i].needs ||
		    (btf && libbpf->find_type(btf, programs[i].needs,
					      programs[i].kind) > 0))
			found |= 1U << i;
	}
	if (btf)
		libbpf->free_btf(btf);
	/* Refused there, and a load that is refused takes as long. */
	if (lockdown_hides(lockdown_level(root)))
		found &= ~CGROUP_READERS;
	return found;
}

/* Replaces the programs that read what the task is in by those that do not. */
static unsigned int direct(unsigned int wanted)
{
	unsigned int without = wanted & ~(ADD_BTF | DELETE_BTF);

	if (wanted & ADD_BTF)
		without |= ADD_DIRECT;
	if (wanted & DELETE_BTF)
		without |= DELETE_DIRECT;
	return without;
}

/* Finds out which of the groups of programs the kernel accepts. */
static void try_groups(struct bpf_programs *bpf, unsigned int wanted,
		       unsigned int extra, uint64_t bdev_address)
{
	static const unsigned int groups[] = { CGROUP_READERS, DROPS,
					       PROBE_PREEMPTION };

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		unsigned int tried = groups[i] & extra & bpf->available;

		if (tried && load(bpf, wanted | tried, bdev_address) < 0)
			bpf->available &= ~groups[i];
		bpf_programs_unload(bpf);
	}
}

/*
 * Loads the programs @wanted, with those of @extra that the kernel accepts. It
 * may refuse those of lockdown, or to attach to functions or to a symbol; and
 * before Linux 5.15, lockdown refuses the programs that read what the task is
 * in. Each load reads the kernel's types, so one is tried first that mostly
 * works. Returns 0 or a negative errno.
 */
static int load_with(struct bpf_programs *bpf, unsigned int wanted,
		     unsigned int extra, uint64_t bdev_address)
{
	int ret = load(bpf, wanted | (extra & bpf->available), bdev_address);

	if (!ret)
		return 0;
	ret = load(bpf, wanted, bdev_address);
	if (ret < 0) {
		wanted = direct(wanted);
		ret = load(bpf, wanted, bdev_address);
	}
	if (ret < 0)
		return ret;
	bpf_programs_unload(bpf);
	try_groups(bpf, wanted, extra, bdev_address);
	return load(bpf, wanted | (extra & bpf->available), bdev_address);
}

/* Those of @wanted that were loaded. */
static unsigned int loaded(const struct bpf_programs *bpf, unsigned int wanted)
{
	unsigned int found = 0;

	for (size_t i = 0; i < BPF_PROGRAMS; i++) {
		if ((wanted >> i & 1) && bpf_program_fd(bpf, i) >= 0)
			found |= 1U << i;
	}
	return found;
}

/* Some processors cannot attach to functions; then it goes without. */
static int attach_all(struct bpf_programs *bpf)
{
	int ret = attach(bpf, loaded(bpf, ADD_BTF | ADD_CHARGED | ADD_DIRECT |
						  ADD_TP | DELETE_BTF |
						  DELETE_DIRECT));

	if (ret < 0) {
		bpf_programs_unload(bpf);
		return ret;
	}
	attach(bpf, loaded(bpf, CGROUP_READERS));
	attach(bpf, loaded(bpf, DROPS));
	return 0;
}

/* Returns 0, or a negative errno with nothing loaded. */
static int start_classic(struct bpf_programs *bpf, const struct sysroot *root)
{
	uint64_t address = find_bdev_address(root);
	struct fill_state state;
	int ret;

	if (!address)
		return -ENOENT;
	ret = load_with(bpf, ADD_TP | DELETE_BTF | PROBE_BDEVFS, EXTRAS,
			address);
	if (ret < 0)
		return ret;
	ret = probe(bpf, PROBE_BDEVFS, &state);
	if (!ret && !state.bdevfs)
		ret = -ENODATA;
	if (!ret)
		ret = tracefs_add_id(root, &bpf->add_id);
	if (!ret)
		return attach_all(bpf);
	bpf_programs_unload(bpf);
	return ret;
}

/*
 * Without an answer of the probe, and where the classic program is refused,
 * those of type tp_btf count: what they miss shows as lost.
 */
static int start(struct bpf_programs *bpf, const struct sysroot *root)
{
	struct fill_state state = { 0 };
	int ret = load_with(bpf, ADD_BTF | DELETE_BTF,
			    PROBE_PREEMPTION | EXTRAS, 0);

	if (ret < 0)
		return ret;
	if (loaded(bpf, PROBE_PREEMPTION))
		probe(bpf, PROBE_PREEMPTION, &state);
	if (state.preemption == FILL_PREEMPTED) {
		bpf_programs_unload(bpf);
		if (start_classic(bpf, root) == 0)
			return 0;
		ret = load_with(bpf, ADD_BTF | DELETE_BTF, EXTRAS, 0);
	}
	return ret < 0 ? ret : attach_all(bpf);
}

int bpf_programs_start(struct bpf_programs *bpf, const struct sysroot *root,
		       bool evictions)
{
	int ret;

	bpf->available = find_available(&bpf->libbpf, root);
	if (!evictions)
		bpf->available &= ~RECLAIM;
	bpf->types = small_btf_open(root, fill_object);
	ret = start(bpf, root);
	closep(&bpf->types);
	return ret;
}
