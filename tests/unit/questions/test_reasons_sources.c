// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every reason why a source cannot be used is a value (lib/lack.h), which only
 * the function that looked gives. Each has a host where it holds and one where
 * it does not. The same for what is said of a device.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls/functions.h"
#include "calls/place.h"
#include "calls/ring_reader.h"
#include "calls/top_settings.h"
#include "devices/device_rows.h"
#include "filesystems/inquiry.h"
#include "kernel/bdev_root.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "lib/cleanup.h"
#include "lib/lack.h"
#include "lib/monotonic.h"
#include "measure/memory_left.h"
#include "measure/module_absence.h"
#include "measure/source.h"
#include "mounts.h"
#include "names/openers.h"
#include "source_list/source_rows.h"
#include "made_devices.h"
#include "test.h"
#include "trace/trace.h"
#include "trace/tracefs.h"
#include "tree.h"
#include "worker/patience.h"

static const struct sysroot live = { .fd = -1 };

/*
 * "PATH=TEXT&..." in a tree; what failed there, an errno; who asks; and what of
 * the recorded reading of a fixture is changed to what.
 */
struct host {
	const char *files;
	int number;
	bool is_nobody;
	const char *fixture, *after, *from, *to;
	struct tree_fixture at;
	int fd;
};

typedef int look_fn(const struct host *host, struct error *err);

static int module_of(const struct host *host, struct error *err)
{
	module_absence_of(err, &host->at.root, "6.1");
	return 0;
}

static int file_of(const struct host *host, struct error *err)
{
	err->lack = (int)source_module_lack(&host->at.root, host->number);
	return 0;
}

static int node_of(const struct host *host, struct error *err)
{
	err->lack = (int)control_lack(&host->at.root, host->number);
	return 0;
}

static int control_of(const struct host *host, struct error *err)
{
	int fd = control_open(*host->files ? &host->at.root : &live, err);

	return fd < 0 ? fd : close(fd);
}

static int kcore_of(const struct host *host, struct error *err)
{
	err->lack = (int)kcore_lack(&host->at.root, host->number);
	return 0;
}

static int types_of(const struct host *host, struct error *err)
{
	err->lack = (int)types_lack(&host->at.root);
	return 0;
}

/* The tree is the running host of a process. */
static int running(const struct host *host, look_fn *look, struct error *err)
{
	struct host inside = *host;
	pid_t child = fork();
	int status;

	if (child == 0) {
		inside.at.root = live;
		if (chroot(host->at.tree.path) < 0)
			_exit(0);
		look(&inside, err);
		_exit(err->lack ? err->lack - LACKS_FIRST + 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	err->lack = WEXITSTATUS(status) + LACKS_FIRST - 1;
	return 0;
}

static int running_control_of(const struct host *host, struct error *err)
{
	return running(host, control_of, err);
}

static int running_types_of(const struct host *host, struct error *err)
{
	return running(host, types_of, err);
}

static int cachestat_of(const struct host *host, struct error *err)
{
	err->lack = (int)cachestat_lack(-host->number);
	return 0;
}

static int devices_of(const struct host *host, struct error *err)
{
	err->lack = (int)devices_lack(host->number);
	return 0;
}

static int no_memory(void *memory, uint64_t address, void *buffer, size_t size)
{
	(void)memory, (void)address, (void)buffer, (void)size;
	return -EFAULT;
}

static int symbol_of(const struct host *host, struct error *err)
{
	const struct kmem kmem = { .read = no_memory };
	struct bdev_root root = { 0 };
	struct kallsyms_symbol symbols[BDEV_SYMBOLS];

	bdev_symbols_init(symbols);
	symbols[BDEV_SYMBOL_SUPERBLOCK].address = (uint64_t)host->number;
	return bdev_root_find_symbol(&root, &kmem, 0, symbols, err);
}

static int trace_of(const struct host *host, struct error *err)
{
	struct rlimit limit;
	rlim_t was;
	struct trace *trace;
	int ret;

	getrlimit(RLIMIT_NOFILE, &limit);
	was = limit.rlim_cur;
	if (host->number)
		limit.rlim_cur = (rlim_t)host->number;
	setrlimit(RLIMIT_NOFILE, &limit);
	ret = trace_open(&trace, *host->files ? &host->at.root : &live, true,
			 err);
	trace_close(trace);
	limit.rlim_cur = was;
	setrlimit(RLIMIT_NOFILE, &limit);
	return ret;
}

static int memory_of(const struct host *host, struct error *err)
{
	return memory_left_for(&host->at.root, 40 << 20, "tracing", err);
}

static int bpf_of(const struct host *host, struct error *err)
{
	return trace_refused(-host->number, err);
}

static int tracefs_of(const struct host *host, struct error *err)
{
	return tracefs_open(&host->at.root, err);
}

/* In a PID namespace of its own, or in that of this test. */
static int pids_of(const struct host *host, struct error *err)
{
	struct place place;
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (host->number &&
		    (unshare(CLONE_NEWPID) < 0 || (child = fork()) < 0))
			_exit(0);
		if (child == 0) {
			place_look(&place, &host->at.root, err);
			place_close(&place, NULL);
			_exit(err->lack ? err->lack - LACKS_FIRST + 1 : 0);
		}
		waitpid(child, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	err->lack = WEXITSTATUS(status) + LACKS_FIRST - 1;
	return 0;
}

static int place_of(const struct host *host, struct error *err)
{
	return place_check(&host->at.root, host->fd, err);
}

static int functions_of(const struct host *host, struct error *err)
{
	return functions_look(host->fd, err);
}

static int reader_of(const struct host *host, struct error *err)
{
	struct ring_reader reader;
	int ret = ring_reader_init(&reader, host->fd, err);

	ring_reader_deinit(&reader);
	return ret;
}

static int top_of(const struct host *host, struct error *err)
{
	return top_check(host->fd, (enum lack)host->number, err);
}

/* Any row of the tree's sources. */
static int rows_of(const struct host *host, struct error *err)
{
	struct source_rows rows;

	assert_int_equal(source_rows_init(&rows, &host->at.root), 0);
	for (size_t i = 0; i < rows.count; i++) {
		if (rows.rows[i].why.lack == host->number)
			*err = rows.rows[i].why;
	}
	/* A tree says the same again. */
	if (err->lack == LACK_REST)
		assert_string_equal(err->remedy, "");
	source_rows_deinit(&rows);
	return 0;
}

/* What is left out after a row that answers, or that took a number of ms. */
static int left_out_of(const struct host *host, struct error *err)
{
	struct patience patience = {
		.seconds = host->is_nobody ? 0.001 : 0,
		.began_ns = monotonic_ns() - host->number * 1000000LL,
	};
	struct sysroot root = { .fd = -1, .patience = &patience };
	struct source_row rows[] = {
		{ .question = strtoul(host->files, NULL, 10),
		  .name = "kcore",
		  .usable = SOURCE_USABLE,
		  .answers = true,
		  .time_ns = host->number * 1000000LL },
		{ .question = strtoul(host->files + 2, NULL, 10),
		  .name = "kcore" },
	};
	const struct source_rows all = { rows, 2 };

	err->lack = (int)source_left_out(&all, &rows[1],
					 (size_t)(host->files[4] - '0'), &root);
	return 0;
}

#define INSTALLED "proc/modules=&lib/modules/6.1/updates/dkms/bufstat.ko=&"
#define LOADED "sys/module/bufstat/x=&"
#define LOCKED(level) "sys/kernel/security/lockdown=" level "&"
#define ENTRY "events/ftrace/funcgraph_entry/format="
#define TOP(tracer) "current_tracer=" tracer "\n&trace="
#define AT(id) [LACK_##id - LACKS_FIRST]

static const struct {
	look_fn *look;
	struct host holds, does_not;
	const char *elsewhere, *words; /* the test that has both hosts */
} lacks[LACKS_END - LACKS_FIRST] = {
	AT(MODULES) = { module_of, { "a=" }, { INSTALLED } },
	AT(PERMISSION_TO_LOAD) = { module_of,
				   { "proc/modules=&"
				     "proc/sys/kernel/modules_disabled=1\n" },
				   { INSTALLED "proc/sys/kernel/"
					       "modules_disabled=0\n" } },
	AT(INSTALLATION) = { module_of, { "proc/modules=" }, { INSTALLED } },
	AT(SIGNATURE) = { module_of,
			  { INSTALLED LOCKED("none [integrity]") },
			  { INSTALLED LOCKED("[none] integrity") } },
	AT(MODULE) = { file_of, { "a=", ENOENT }, { LOADED, ENOENT } },
	AT(MODULE_FILES) = { .elsewhere = "vm/guest/tests/97-sick.sh",
			     .words = "and its files" },
	AT(DEBUGFS_FILE) = { file_of,
			     { LOADED "proc/self/mounts=d /sys/kernel/debug "
				      "debugfs rw 0 0\n",
			       ENOENT },
			     { LOADED, ENOENT } },
	AT(DEBUGFS) = { file_of,
			{ LOADED "proc/filesystems=nodev\tproc\n", ENOENT },
			{ LOADED "proc/filesystems=nodev\tdebugfs\n",
			  ENOENT } },
	AT(DEBUGFS_MOUNT) = { file_of,
			      { LOADED "proc/self/mounts=a /sys sysfs rw\n",
				ENOENT },
			      { LOADED "proc/self/mounts=d /sys/kernel/debug "
				       "debugfs rw 0 0\n",
				ENOENT } },
	AT(DEBUGFS_IN_LOCKDOWN) = { file_of,
				    { LOCKED("[integrity]"), EPERM },
				    { LOCKED("[none]"), EPERM } },
	AT(NODE) = { node_of, { LOADED, ENOENT }, { "a=", ENOENT } },
	AT(SAME_VERSION) = { running_control_of,
			     { "dev/bufstat=" },
			     { LOADED } },
	AT(ROOT) = { node_of, { "a=", EACCES, true }, { "a=", EPERM, false } },
	AT(RIGHT) = { node_of, { "a=", EPERM, false }, { "a=", EPERM, true } },
	AT(FILE_IN_TREE) = { rows_of,
			     { "a=", LACK_FILE_IN_TREE },
			     { "sys/kernel/debug/bufstat/devices=&"
			       "proc/kcore=x",
			       LACK_FILE_IN_TREE } },
	AT(MODULE_IN_TREE) = { control_of, { "a=" }, { "" } },
	AT(DEVICES_IN_TREE) = { rows_of,
				{ "a=", LACK_DEVICES_IN_TREE },
				{ "bufstat=", LACK_DEVICES_IN_TREE,
				  .after = "\"devices\": {",
				  .from = "\"source\": \"module\"",
				  .to = "\"source\": \"cachestat\"" } },
	AT(ACTIVITY_IN_TREE) = { trace_of, { "a=" }, { "" } },
	AT(SOURCE_IN_TREE) = { rows_of,
			       { "bufstat=", LACK_SOURCE_IN_TREE,
				 .from = "\"settled\"", .to = "\"settled\"" },
			       { "a=", LACK_SOURCE_IN_TREE } },
	AT(ANSWER_IN_TREE) = { rows_of,
			       { "a=", LACK_ANSWER_IN_TREE },
			       { "bufstat=", LACK_ANSWER_IN_TREE,
				 .from = "\"settled\"", .to = "\"settled\"" } },
	AT(CGROUPS_IN_TREE) = { .elsewhere = "unit/questions/test_cgroups.c",
				.words = "LACK_CGROUPS_IN_TREE }" },
	AT(MEMORY_CONTROLLER) = { .elsewhere = "unit/questions/test_cgroups.c",
				  .words = "LACK_MEMORY_CONTROLLER }" },
	AT(CGROUPS) = { .elsewhere = "unit/questions/test_cgroups.c",
			.words = "LACK_CGROUPS }" },
	AT(KCORE) = { kcore_of, { "a=", ENOENT }, { "a=", EPERM } },
	AT(KCORE_IN_LOCKDOWN) = { kcore_of,
				  { LOCKED("[confidentiality]"), EPERM },
				  { LOCKED("[integrity]"), EPERM } },
	AT(RAWIO) = { kcore_of,
		      { "proc/self/status=a\nCapEff:\t0\n", EPERM },
		      { "proc/self/status=a\nCapEff:\t20000\n", EPERM } },
	AT(RIGHT_TO_KCORE) = { kcore_of,
			       { "a=", EACCES, false },
			       { "a=", EACCES, true } },
	AT(TYPES) = { types_of,
		      { "sys/kernel/x=" },
		      { "sys/kernel/btf/vmlinux=" } },
	AT(SYSFS) = { running_types_of, { "a=" }, { "sys/kernel/x=" } },
	AT(WAY_TO_DEVICES) = { symbol_of, { "a=", 1 }, { "a=", 0 } },
	AT(SYMBOL) = { symbol_of, { "a=", 0 }, { "a=", 1 } },
	AT(CACHESTAT) = { cachestat_of, { "a=", ENOSYS }, { "a=", EBADF } },
	AT(RIGHT_TO_CACHESTAT) = { cachestat_of,
				   { "a=", EPERM },
				   { "a=", EBADF } },
	AT(ROOT_FOR_DEVICES) = { devices_of, { "a=", 1, true }, { "a=", 1 } },
	AT(RIGHT_TO_DEVICES) = { devices_of, { "a=", 1 }, { "a=", 0 } },
	AT(OPEN_FILES) = { trace_of, { "", 32 }, { "", 0 } },
	AT(MEMORY) = { memory_of,
		       { "proc/meminfo=MemFree: 9000 kB\n" },
		       { "proc/meminfo=MemFree: 90000 kB\n" } },
	AT(ROOM) = { bpf_of, { "a=", EMFILE }, { "a=", EINVAL } },
	AT(ROOT_FOR_BPF) = { bpf_of, { "a=", EPERM, true }, { "a=", EPERM } },
	AT(RIGHT_TO_BPF) = { bpf_of, { "a=", EPERM }, { "a=", EPERM, true } },
	AT(BPF) = { bpf_of, { "a=", ENOSYS }, { "a=", EPERM } },
	AT(CONSENT) = { bpf_of, { "a=", EACCES }, { "a=", ENOMEM } },
	AT(TRACEFS) = { tracefs_of, { "a=" }, { "a=", 0, true } },
	AT(RIGHT_TO_TRACEFS) = { tracefs_of, { "a=", 0, true }, { "a=" } },
	AT(FIRST_PIDS) = { pids_of, { "a=", 1 }, { "a=", 0 } },
	AT(TRACED_FUNCTIONS) = { place_of,
				 { "proc/sys/kernel/ftrace_enabled=0\n" },
				 { "proc/sys/kernel/ftrace_enabled=1\n&"
				   "available_tracers=nop\n" } },
	AT(GRAPH_TRACER) = { place_of,
			     { "available_tracers=nop blk\n" },
			     { "available_tracers=nop function_graph\n" } },
	AT(DYNAMIC_TRACING) = { functions_of,
				{ "error_log=" },
				{ "available_filter_functions=" } },
	AT(FUNCTION_NUMBERS) = { functions_of,
				 { "available_filter_functions=" },
				 { "available_filter_functions=&error_log=" } },
	AT(ADDRESSES) = { .elsewhere = "unit/sources/test_source_kcore.c",
			  .words = "LACK_ADDRESSES" },
	AT(EVENT) = { reader_of, { "a=" }, { ENTRY "a\n" } },
	AT(FORMAT) = { reader_of, { ENTRY "a\n" }, { "a=" } },
	AT(FIELD) = { reader_of,
		      { ENTRY "name: funcgraph_entry\nID: 5\nformat:\n"
			      "\tfield:int common_type;\toffset:0;\tsize:4;"
			      "\tsigned:1;\n\nprint fmt: \"a\"\n" },
		      { ENTRY "a\n" } },
	AT(TRACER) = { top_of,
		       { TOP("blk"), LACK_TRACER },
		       { TOP("nop"), LACK_TRACER } },
	AT(TOP_TRACER) = { top_of,
			   { "trace=a task\n", LACK_TOP_TRACER },
			   { TOP("nop"), LACK_TOP_TRACER } },
	AT(LIBRARY) = { .elsewhere = "cli/checks/libraries",
			.words = "libbpf.so.1" },
	AT(SOME) = { rows_of,
		     { "bufstat=", LACK_SOME, .fixture = "debian-ext4",
		       .from = "\"is_silent\": true",
		       .to = "\"is_silent\": false" },
		     { "bufstat=", LACK_SOME, .fixture = "debian-ext4",
		       .from = "did not", .to = "did not" } },
	AT(SUM) = { rows_of,
		    { "bufstat=", LACK_SUM, .after = "\"filesystems\"",
		      .from = "\"Cached\": ", .to = "\"Cached\": 4, \"x\": " },
		    { "bufstat=", LACK_SUM, .from = "\"settled\"",
		      .to = "\"settled\"" } },
	AT(REST) = { rows_of,
		     { "bufstat=", LACK_REST, .from = "\"settled\": true",
		       .to = "\"settled\": false" },
		     { "bufstat=", LACK_REST, .from = "\"settled\"",
		       .to = "\"settled\"" } },
	AT(MOUNTS) = { rows_of,
		       { "bufstat=", LACK_MOUNTS,
			 .from = "\"mounts_errno\": null",
			 .to = "\"mounts_errno\": 5" },
		       { "bufstat=", LACK_MOUNTS, .from = "\"settled\"",
			 .to = "\"settled\"" } },
	AT(CACHED) = { rows_of,
		       { "bufstat=", LACK_CACHED, .after = "\"filesystems\"",
			 .from = "\"Cached\": ",
			 .to = "\"Cached\": null, \"x\": " },
		       { "bufstat=", LACK_CACHED,
			 .from = "\"mounts_errno\": null",
			 .to = "\"mounts_errno\": 5" } },
	AT(USERS) = { rows_of,
		      { "bufstat=", LACK_USERS, .from = "\"unknown_users\": []",
			.to = "\"unknown_users\": [\"a\"]" },
		      { "bufstat=", LACK_USERS, .from = "\"settled\"",
			.to = "\"settled\"" } },
	AT(WORKER) = { rows_of,
		       { "bufstat=", LACK_WORKER, .fixture = "debian-ext4",
			 .from = "did not", .to = "did not" },
		       { "bufstat=", LACK_WORKER, .fixture = "debian-ext4",
			 .from = "\"is_silent\": true",
			 .to = "\"is_silent\": false" } },
	/* The questions of the row before and of this one; its rank. */
	AT(TIME) = { left_out_of, { "0 1 0", 2, true }, { "0 1 0", 2 } },
	AT(NEED) = { left_out_of, { "0 0 0", 2000 }, { "0 1 0", 2000 } },
	AT(NEED_OF_DEVICES) = { left_out_of, { "0 0 2", 0 }, { "0 0 1", 0 } },
	AT(SPEED) = { left_out_of, { "1 2 0", 2000 }, { "1 2 0", 10 } },
};

/* The reading of a fixture, with a change. */
static void add_reading(const struct host *host)
{
	static const char file[] = "/bufstat/reading.json";
	char path[512];
	struct sysroot root;
	_cleanup_(freep) char *text = NULL, *changed = NULL;
	char *from;

	snprintf(path, sizeof(path), "%s/%s", FIXTURES,
		 host->fixture ?: "incident");
	assert_int_equal(sysroot_init(&root, path, NULL), 0);
	assert_int_equal(sysroot_read(&root, file, 16 << 20, &text, NULL), 0);
	sysroot_deinit(&root);
	from = host->after ? strstr(text, host->after) : text;
	assert_non_null(from);
	from = strstr(from, host->from);
	if (!from)
		fail_msg("no %s", host->from);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(from - text), text,
			     host->to, from + strlen(host->from)) > 0);
	tree_add_text(&host->at.tree, file + 1, changed);
}

static enum lack look_at(const struct host *of, look_fn *look)
{
	struct host host = *of;
	struct error err = { 0 };
	char files[512], *rest = files;

	snprintf(files, sizeof(files), "%s", of->files);
	tree_create(&host.at.tree);
	if (of->from)
		add_reading(&host);
	for (char *text;
	     look != left_out_of && !of->from && (text = strsep(&rest, "&"));) {
		char *path = strsep(&text, "=");

		if (text)
			tree_add_text(&host.at.tree, path, text);
	}
	assert_int_equal(sysroot_init(&host.at.root, host.at.tree.path, &err),
			 0);
	host.fd = open(host.at.tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(host.fd >= 0);
	if (of->is_nobody)
		assert_int_equal(seteuid(65534), 0);
	look(&host, &err);
	assert_int_equal(seteuid(0), 0);
	close(host.fd);
	sysroot_deinit(&host.at.root);
	tree_destroy(&host.at.tree);
	return (enum lack)err.lack;
}

static void expect_test(enum lack lack, const char *path, const char *words)
{
	_cleanup_(freep) char *text = NULL;
	char name[512];

	if (!path)
		fail_msg("reason %d has no hosts", lack - LACKS_FIRST);
	snprintf(name, sizeof(name), "%s/../%s", FIXTURES, path);
	assert_int_equal(sysroot_read(&live, name, 1 << 20, &text, NULL), 0);
	assert_non_null(strstr(text, words));
}

static void every_lack_has_two_hosts(void **state __attribute__((unused)))
{
	if (geteuid())
		SKIP_BECAUSE("only root can be somebody else");
	for (enum lack lack = LACKS_FIRST; lack < LACKS_END; lack++) {
		const size_t i = lack - LACKS_FIRST;
		enum lack found;

		if (!lacks[i].look) {
			expect_test(lack, lacks[i].elsewhere, lacks[i].words);
			continue;
		}
		found = look_at(&lacks[i].holds, lacks[i].look);
		if (found != lack)
			fail_msg("%zu of %s, %d: %d", i, lacks[i].holds.files,
				 lacks[i].holds.number,
				 (int)found - LACKS_FIRST);
		found = look_at(&lacks[i].does_not, lacks[i].look);
		if (found == lack)
			fail_msg("%zu of %s, %d", i, lacks[i].does_not.files,
				 lacks[i].does_not.number);
	}
}

/* A sentence is printed from each, and what would help. */
static void every_lack_has_a_sentence(void **state __attribute__((unused)))
{
	for (enum lack lack = LACKS_FIRST; lack < LACKS_END; lack++) {
		struct error err;

		assert_int_equal(lack_error(&err, lack, "OBJECT"), -EOPNOTSUPP);
		assert_int_equal(err.lack, lack);
		assert_int_equal(err.class, ERROR_UNUSABLE);
		assert_true(*err.reason);
		assert_null(strpbrk(err.reason, "*|"));
		assert_null(strpbrk(err.remedy, "*|"));
	}
}

/* What is said of a device without pages, or the first of @refused ones. */
static enum device_reason reason_of(bool has_pages, uint64_t openers,
				    size_t refused, bool looks)
{
	_cleanup_(devices_deinit) struct devices devices = { 0 };
	struct openers found = { .processes = looks };

	devices.page_size = 4096;
	meminfo_set(&devices.meminfo, MEMINFO_BUFFERS, 40);
	for (unsigned int i = 0; i < 2; i++) {
		struct sample *sample = made_device(&devices, 253, i);

		if (i < refused)
			sample->refused = strdup("no");
		if (!i && has_pages)
			sample_set(sample, FIGURE_PAGES, 0);
		if (!i && openers != UINT64_MAX)
			sample_set(sample, FIGURE_OPENERS, openers);
	}
	assert_int_equal(devices_check(&devices), 0);
	return device_reason(&devices, &devices.devices[0], &found);
}

static void every_device_reason_has_two_hosts(void **state
					      __attribute__((unused)))
{
	for (enum device_reason reason = DEVICE_ALONE; reason < DEVICE_REASONS;
	     reason++) {
		const enum device_reason hosts[DEVICE_REASONS][2] = {
			[DEVICE_ALONE] = { reason_of(false, UINT64_MAX, 1, 0),
					   reason_of(false, UINT64_MAX, 2, 0) },
			[DEVICE_CLOSED] = { reason_of(true, 0, 0, false),
					    reason_of(true, 1, 0, false) },
			[DEVICE_PERHAPS_CLOSED] = { reason_of(true, UINT64_MAX,
							      0, false),
						    reason_of(true, UINT64_MAX,
							      0, true) },
		};

		assert_int_equal(hosts[reason][0], reason);
		assert_int_not_equal(hosts[reason][1], reason);
		assert_true(*device_reason_text(reason));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_lack_has_two_hosts),
		cmocka_unit_test(every_lack_has_a_sentence),
		cmocka_unit_test(every_device_reason_has_two_hosts),
	};

	return cmocka_run_group_tests(tests, have_own_run, NULL);
}
