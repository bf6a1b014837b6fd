// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts in the kernel, by BPF (bpf_programs.h), and reads what was counted. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "trace/bpf_maps.h"
#include "trace/bpf_programs.h"
#include "trace/engine.h"
#include "trace/pid_namespace.h"
#include "trace/trace.h"

#define BTF "/sys/kernel/btf/vmlinux"

struct bpf {
	struct bpf_programs programs;
	struct bpf_maps maps;
};

static int explain(int error, struct error *err)
{
	if (error == -EPERM && geteuid() != 0)
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "needs root, or CAP_BPF and CAP_PERFMON"),
			"use sudo");
	/*
	 * Lockdown refuses nothing that it cannot do without, so the process
	 * lacks a right.
	 */
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
	/* This process, or the whole host, has no room for them. */
	if (error == -EMFILE || error == -ENFILE || error == -ENOMEM)
		return error_set(err, ERROR_UNUSABLE, "%s", strerror(-error));
	return error_set(err, ERROR_UNUSABLE,
			 "this kernel refuses the programs: %s",
			 strerror(-error));
}

static void bpf_close(void *data)
{
	struct bpf *bpf = data;

	bpf_maps_deinit(&bpf->maps);
	bpf_programs_unload(&bpf->programs);
	libbpf_deinit(&bpf->programs.libbpf);
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

static int bpf_open(void **data, const struct sysroot *root, bool evictions,
		    struct error *err)
{
	struct bpf *bpf;
	int ret = check_btf(root, err);

	*data = NULL;
	if (ret < 0)
		return ret;
	bpf = calloc(1, sizeof(*bpf));
	if (!bpf)
		return error_errno(err, ENOMEM, "loading", "libbpf");
	for (size_t i = 0; i < BPF_PROGRAMS; i++)
		bpf->programs.links[i] = -1;
	ret = libbpf_init(&bpf->programs.libbpf, err);
	if (ret < 0) {
		err->class = ERROR_UNUSABLE;
		ret = -EOPNOTSUPP;
	} else {
		ret = bpf_programs_start(&bpf->programs, root, evictions);
		if (!ret)
			ret = bpf_maps_init(&bpf->maps, &bpf->programs.libbpf,
					    bpf->programs.object);
		if (ret < 0)
			ret = explain(ret, err);
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
	int ret = bpf->programs.libbpf.info(
		bpf_program_fd(&bpf->programs, which), &info, &size);

	if (ret < 0)
		return ret;
	*lost += info.recursion_misses;
	return 0;
}

static int read_quality(const struct bpf *bpf, struct trace_quality *quality,
			struct fill_state *state)
{
	int ret = bpf_read_state(&bpf->programs, state);

	quality->knows_how = state->knows_how;
	quality->lost_events = state->full_events;
	for (size_t i = 0; !ret && i < BPF_PROGRAMS; i++) {
		if ((bpf->programs.counting & ~NOT_COUNTING) >> i & 1)
			ret = add_missed(bpf, i, &quality->lost_events);
	}
	return ret;
}

static int bpf_each(void *data, trace_fill_fn *take, void *taker,
		    struct trace_quality *quality)
{
	const struct bpf *bpf = data;
	struct fill_state state;
	int ret = bpf_maps_each(&bpf->maps, take, taker);

	return ret < 0 ? ret : read_quality(bpf, quality, &state);
}

static void bpf_forget(void *data, const struct trace_fill *fill)
{
	bpf_maps_forget(&((const struct bpf *)data)->maps, fill);
}

static int bpf_pause(void *data, bool pauses)
{
	return bpf_programs_pause(&((struct bpf *)data)->programs, pauses);
}

static int bpf_read(void *data, struct trace_totals *totals, struct error *err)
{
	const struct bpf *bpf = data;
	struct trace_quality quality = { 0 };
	struct fill_state state = { 0 };
	int ret = bpf_maps_each(&bpf->maps, trace_totals_add, totals);

	if (!ret)
		ret = read_quality(bpf, &quality, &state);
	totals->lost_events = quality.lost_events;
	totals->unknown_needs = state.full_reclaimers;
	totals->knows_how = quality.knows_how;
	totals->foreign_pids = pid_namespace_here().is_foreign;
	totals->knows_asked = bpf->programs.counting & DROPS;
	if (!ret && (bpf->programs.counting & EVICT))
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
