// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts in the kernel, by BPF. Up to Linux 6.19 a tracepoint disables
 * preemption, and programs of type tp_btf see every event. From 7.0 on
 * (a46023d5616e) such a program can be preempted, and then misses the events of
 * other tasks on that processor. For pages that come in, a classic program
 * takes its place there. Pages go out with interrupts disabled.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/kallsyms.h"
#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "trace/bpf_maps.h"
#include "trace/engine.h"
#include "trace/fill_object.h"
#include "trace/libbpf.h"
#include "trace/syscalls.h"
#include "trace/trace.h"
#include "trace/tracefs.h"

#define BTF "/sys/kernel/btf/vmlinux"

/* Bits for each of the programs. */
enum program {
	ADD_BTF = 1 << 0,
	DELETE_BTF = 1 << 1,
	ADD_TP = 1 << 2,
	PROBE_PREEMPTION = 1 << 3,
	PROBE_BDEVFS = 1 << 4,
	EVICT = 1 << 5,
	ON_BEHALF = 1 << 6,
};

/* These need what lockdown may refuse. */
#define CGROUP_READERS (EVICT | ON_BEHALF)

static const char *const names[] = {
	"add_btf",	"delete_btf", "add_tp",	   "probe_preemption",
	"probe_bdevfs", "evict",      "on_behalf",
};

#define PROGRAMS (sizeof(names) / sizeof(*names))

_Static_assert(ON_BEHALF == 1 << (PROGRAMS - 1), "each program has a name");

struct bpf {
	struct libbpf libbpf;
	struct bpf_object *object; /* or NULL */
	/* Which of the programs count, and what attaches them, or -1. */
	unsigned int counting;
	int links[PROGRAMS];
	uint64_t add_id; /* of the tracepoint, for the classic program */
	struct bpf_maps maps;
};

static void unload(struct bpf *bpf)
{
	for (size_t i = 0; i < PROGRAMS; i++) {
		closep(&bpf->links[i]);
		bpf->links[i] = -1;
	}
	if (bpf->object)
		bpf->libbpf.close(bpf->object);
	bpf->object = NULL;
	bpf->counting = 0;
	bpf_maps_deinit(&bpf->maps);
}

static int program_fd(const struct bpf *bpf, size_t which)
{
	return bpf->libbpf.program_fd(
		bpf->libbpf.find_program(bpf->object, names[which]));
}

static int map_fd(const struct bpf *bpf, const char *name)
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

static int set_up(const struct bpf *bpf, uint64_t bdev_address)
{
	struct fill_settings settings = {
		.bdev_address = bdev_address,
		.process = (uint32_t)getpid(),
		.fadvise = SYS_fadvise64,
	};
	const uint32_t first = 0;

	syscalls_classify(settings.how);
	return bpf->libbpf.update(map_fd(bpf, ".data.settings"), &first,
				  &settings, BPF_ANY);
}

/* Loads the @programs. Returns 0 or a negative errno. */
static int load(struct bpf *bpf, unsigned int programs, uint64_t bdev_address)
{
	const struct libbpf *libbpf = &bpf->libbpf;
	int ret;

	bpf->object = libbpf->open(fill_object, fill_object_size, NULL);
	if (!bpf->object)
		return -errno;
	for (size_t i = 0; i < PROGRAMS; i++)
		libbpf->set_autoload(libbpf->find_program(bpf->object,
							  names[i]),
				     programs >> i & 1);
	ret = libbpf->load(bpf->object);
	if (!ret)
		ret = set_up(bpf, bdev_address);
	if (ret < 0)
		unload(bpf);
	return ret;
}

static int attach_btf(struct bpf *bpf, size_t which)
{
	int fd = bpf->libbpf.attach(NULL, program_fd(bpf, which));

	if (fd < 0)
		return fd;
	bpf->links[which] = fd;
	return 0;
}

static int attach_tp(struct bpf *bpf, size_t which)
{
	/* The program runs on every processor, whichever the event is for. */
	int fd = tracefs_open_event(bpf->add_id, 0);

	if (fd < 0)
		return fd;
	bpf->links[which] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd(bpf, which)) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -errno;
	return 0;
}

static int attach(struct bpf *bpf, unsigned int programs)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < PROGRAMS; i++) {
		if (programs >> i & 1)
			ret = 1U << i == ADD_TP ? attach_tp(bpf, i) :
						  attach_btf(bpf, i);
	}
	bpf->counting |= programs;
	return ret;
}

static int read_state(const struct bpf *bpf, struct fill_state *state)
{
	const uint32_t first = 0;

	*state = (struct fill_state){ 0 };
	return bpf->libbpf.lookup(map_fd(bpf, ".data.state"), &first, state);
}

/* Runs the program @which, which is at vm_unmapped_area, in this process. */
static int probe(struct bpf *bpf, enum program which, struct fill_state *state)
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
	return read_state(bpf, state);
}

/*
 * Loads @programs, with those of @extra that the kernel accepts: the readers of
 * cgroups are refused in lockdown, and the probe needs a symbol that not every
 * kernel has. Returns 0 or a negative errno.
 */
static int load_with(struct bpf *bpf, unsigned int programs, unsigned int extra,
		     uint64_t bdev_address)
{
	const unsigned int left_out[] = {
		0,
		PROBE_PREEMPTION,
		CGROUP_READERS,
		CGROUP_READERS | PROBE_PREEMPTION,
	};
	int ret = -ENOENT;

	for (size_t i = 0; ret < 0 && i < sizeof(left_out) / sizeof(*left_out);
	     i++) {
		/* Otherwise it was tried already. */
		if ((extra & left_out[i]) == left_out[i])
			ret = load(bpf, programs | (extra & ~left_out[i]),
				   bdev_address);
	}
	return ret;
}

static bool is_loaded(const struct bpf *bpf, enum program which)
{
	return program_fd(bpf, (size_t)__builtin_ctz(which)) >= 0;
}

static int attach_all(struct bpf *bpf, unsigned int programs)
{
	unsigned int readers = is_loaded(bpf, EVICT) ? CGROUP_READERS : 0;
	int ret = bpf_maps_init(&bpf->maps, &bpf->libbpf, bpf->object);

	if (!ret)
		ret = attach(bpf, programs | readers);
	if (ret < 0)
		unload(bpf);
	return ret;
}

/* Returns 0, or a negative errno with nothing loaded. */
static int start_classic(struct bpf *bpf, const struct sysroot *root)
{
	uint64_t address = find_bdev_address(root);
	struct fill_state state;
	int ret;

	if (!address)
		return -ENOENT;
	ret = load_with(bpf, ADD_TP | DELETE_BTF | PROBE_BDEVFS, CGROUP_READERS,
			address);
	if (ret < 0)
		return ret;
	ret = probe(bpf, PROBE_BDEVFS, &state);
	if (!ret && !state.bdevfs)
		ret = -ENODATA;
	if (!ret)
		ret = tracefs_id(root, TRACE_ADD, &bpf->add_id, NULL);
	if (!ret)
		return attach_all(bpf, ADD_TP | DELETE_BTF);
	unload(bpf);
	return ret;
}

/*
 * Without an answer of the probe, and where the classic program is refused,
 * those of type tp_btf count: what they miss shows as lost.
 */
static int start(struct bpf *bpf, const struct sysroot *root)
{
	struct fill_state state = { 0 };
	int ret = load_with(bpf, ADD_BTF | DELETE_BTF,
			    PROBE_PREEMPTION | CGROUP_READERS, 0);

	if (ret < 0)
		return ret;
	if (is_loaded(bpf, PROBE_PREEMPTION))
		probe(bpf, PROBE_PREEMPTION, &state);
	if (state.preemption == FILL_PREEMPTED) {
		unload(bpf);
		if (start_classic(bpf, root) == 0)
			return 0;
		ret = load_with(bpf, ADD_BTF | DELETE_BTF, CGROUP_READERS, 0);
	}
	return ret < 0 ? ret : attach_all(bpf, ADD_BTF | DELETE_BTF);
}

static int explain(int error, const struct sysroot *root, struct error *err)
{
	const char *level = lockdown_level(root);

	if (error == -EPERM && geteuid() != 0)
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "needs root, or CAP_BPF and CAP_PERFMON"),
			"use sudo");
	if (error == -EPERM && lockdown_restricts(level))
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel's lockdown (%s) refuses it",
				 level);
	if (error == -EPERM)
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE, "%s", strerror(-error)),
			"give it CAP_BPF and CAP_PERFMON, and before Linux "
			"5.11 locked memory: ulimit -l unlimited");
	if (error == -ENOSYS)
		return error_remedy(err,
				    error_set(err, ERROR_UNUSABLE,
					      "this kernel has no BPF"),
				    "one with CONFIG_BPF_SYSCALL=y");
	return error_set(err, ERROR_UNUSABLE,
			 "this kernel refuses the programs: %s",
			 strerror(-error));
}

static void bpf_close(void *data)
{
	struct bpf *bpf = data;

	unload(bpf);
	libbpf_deinit(&bpf->libbpf);
	free(bpf);
}

static int check_btf(const struct sysroot *root, struct error *err)
{
	if (sysroot_exists(root, BTF))
		return 0;
	return error_remedy(
		err,
		error_set(err, ERROR_UNUSABLE,
			  BTF ": this kernel does not describe its types"),
		"one with CONFIG_DEBUG_INFO_BTF=y, Linux 5.4");
}

static int bpf_open(void **data, const struct sysroot *root, struct error *err)
{
	struct bpf *bpf;
	int ret = check_btf(root, err);

	*data = NULL;
	if (ret < 0)
		return ret;
	bpf = calloc(1, sizeof(*bpf));
	if (!bpf)
		return error_errno(err, ENOMEM, "loading", "libbpf");
	for (size_t i = 0; i < PROGRAMS; i++)
		bpf->links[i] = -1;
	ret = libbpf_init(&bpf->libbpf, err);
	if (ret < 0) {
		err->class = ERROR_UNUSABLE;
		ret = -EOPNOTSUPP;
	} else {
		ret = start(bpf, root);
		if (ret < 0)
			ret = explain(ret, root, err);
	}
	if (ret < 0) {
		bpf_close(bpf);
		return ret;
	}
	*data = bpf;
	return 0;
}

/*
 * The events that a program did not see, because it was running on the
 * processor already. The kernel says so since Linux 5.12, and before it did not
 * happen.
 */
static int add_missed(const struct bpf *bpf, size_t which, uint64_t *lost)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);
	int ret = bpf->libbpf.info(program_fd(bpf, which), &info, &size);

	if (ret < 0)
		return ret;
	*lost += info.recursion_misses;
	return 0;
}

static int read_quality(const struct bpf *bpf, struct trace_quality *quality)
{
	struct fill_state state;
	int ret = read_state(bpf, &state);

	quality->knows_how = state.knows_how;
	quality->lost_events = state.full_events;
	for (size_t i = 0; !ret && i < PROGRAMS; i++) {
		if ((bpf->counting & ~ON_BEHALF) >> i & 1)
			ret = add_missed(bpf, i, &quality->lost_events);
	}
	return ret;
}

static int bpf_each(void *data, trace_fill_fn *take, void *taker,
		    struct trace_quality *quality)
{
	const struct bpf *bpf = data;
	int ret = bpf_maps_each(&bpf->maps, take, taker);

	return ret < 0 ? ret : read_quality(bpf, quality);
}

static void bpf_forget(void *data, const struct trace_fill *fill)
{
	bpf_maps_forget(&((const struct bpf *)data)->maps, fill);
}

static int bpf_pause(void *data, bool pauses)
{
	struct bpf *bpf = data;
	int ret = 0;

	for (size_t i = 0; !ret && i < PROGRAMS; i++) {
		if (!(bpf->counting >> i & 1))
			continue;
		closep(&bpf->links[i]);
		bpf->links[i] = -1;
		if (!pauses)
			ret = 1U << i == ADD_TP ? attach_tp(bpf, i) :
						  attach_btf(bpf, i);
	}
	return ret;
}

static int bpf_read(void *data, struct trace_totals *totals, struct error *err)
{
	const struct bpf *bpf = data;
	struct trace_quality quality = { 0 };
	int ret = bpf_each(data, trace_totals_add, totals, &quality);

	totals->lost_events = quality.lost_events;
	totals->knows_how = quality.knows_how;
	if (!ret && (bpf->counting & EVICT))
		ret = bpf_maps_read_evictions(&bpf->maps, totals);
	return ret < 0 ? error_errno(err, -ret, "reading", "the maps") : 0;
}

const struct engine engine_bpf = {
	.name = "bpf",
	.open = bpf_open,
	.close = bpf_close,
	.read = bpf_read,
	.each = bpf_each,
	.forget = bpf_forget,
	.pause = bpf_pause,
};
