// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that are folded into a tree, and what is said of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls/each.h"
#include "calls/function_roles.h"
#include "calls/path_names.h"
#include "calls/path_report.h"
#include "calls/path_tree.h"
#include "calls/path_words.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "test.h"

#define BDEVFS 3U
#define VDA (254U << 20)
#define FILESYSTEM (254U << 20 | 16U)
#define READ "__x64_sys_read"
#define WRITE "__x64_sys_write"

static const char *const names[] = {
	READ,
	WRITE,
	"vfs_read",
	"vfs_write",
	"blkdev_read_iter",
	"ext4_file_read_iter",
	"ext4_file_write_iter",
	"filemap_read",
	"filemap_add_folio",
	"__iomap_dio_rw",
	"submit_bio",
	"folio_wait_bit",
	"io_schedule",
	"schedule",
	"handle_mm_fault",
	"filemap_fault",
	"__x64_sys_io_submit",
	"vfs_fsync_range",
	"__filemap_fdatawait_range",
	"jbd2_log_wait_commit",
	"shmem_file_read_iter",
	"io_queue_iowq",
};

#define NAMES (sizeof(names) / sizeof(*names))

struct host {
	struct functions functions;
	struct path_tree tree;
	uint64_t now;
	int32_t depth;
};

static bool is_bdev(void *data __attribute__((unused)), uint32_t device,
		    uint64_t inode __attribute__((unused)))
{
	return device == BDEVFS;
}

static int set_up(void **state)
{
	struct host *host = calloc(1, sizeof(*host));

	assert_non_null(host);
	for (size_t i = 0; i < NAMES; i++)
		assert_int_equal(functions_add(&host->functions, names[i],
					       0x1000 + i * 0x100),
				 0);
	functions_sort(&host->functions);
	assert_int_equal(path_tree_init(&host->tree, &host->functions), 0);
	host->tree.is_bdev = is_bdev;
	*state = host;
	return 0;
}

static int tear_down(void **state)
{
	struct host *host = *state;

	path_tree_deinit(&host->tree);
	functions_deinit(&host->functions);
	free(host);
	return 0;
}

static uint64_t address_of(const struct host *host, const char *name)
{
	size_t index = 0;

	while (index < host->functions.count &&
	       strcmp(host->functions.list[index].name, name) != 0)
		index++;
	assert_in_range(index, 0, host->functions.count - 1);
	/* The kernel calls the tracer after ENDBR. */
	return host->functions.list[index].address + 4;
}

static void take(struct host *host, struct step step)
{
	step.time_ns = host->now++;
	if (!step.thread)
		step.thread = 1;
	assert_int_equal(path_tree_take(&host->tree, &step), 0);
}

static void enter(struct host *host, const char *name)
{
	take(host, (struct step){ .kind = STEP_ENTRY,
				  .call = { .address = address_of(host, name),
					    .depth = host->depth++ } });
}

static void leave(struct host *host, const char *name, uint64_t took_ns)
{
	take(host, (struct step){ .kind = STEP_RETURN,
				  .call = { .address = address_of(host, name),
					    .took_ns = took_ns,
					    .depth = --host->depth } });
}

static void add(struct host *host, uint32_t device, uint64_t inode,
		uint64_t pages)
{
	take(host, (struct step){ .kind = STEP_ADD,
				  .cache = { .device = device,
					     .inode = inode,
					     .pages = pages } });
}

static void submit(struct host *host, uint64_t bytes, bool writes)
{
	take(host, (struct step){ .kind = STEP_BIO,
				  .bio = { .device = VDA,
					   .bytes = bytes,
					   .writes = writes } });
}

static void begin(struct host *host)
{
	take(host, (struct step){ .kind = STEP_SYSCALL });
}

static void end(struct host *host, int64_t result)
{
	take(host, (struct step){ .kind = STEP_SYSCALL_END,
				  .call_out = { .result = result } });
}

/* The node that is reached by these functions, from an entry point on. */
static const struct path_node *node(const struct host *host,
				    const char *const *way)
{
	uint32_t at = 0;

	for (; *way; way++) {
		at = host->tree.nodes[at].first_child;
		while (at &&
		       strcmp(path_function_name(&host->tree,
						 host->tree.nodes[at].function),
			      *way) != 0)
			at = host->tree.nodes[at].next;
		if (!at)
			return NULL;
	}
	return &host->tree.nodes[at];
}

#define NODE(host, ...) node(host, (const char *const[]){ __VA_ARGS__, NULL })

/* A read of a device: 2 pages come in by one bio, and it waits 300 ns. */
static void read_device(struct host *host, int64_t result)
{
	begin(host);
	enter(host, READ);
	enter(host, "vfs_read");
	enter(host, "blkdev_read_iter");
	enter(host, "filemap_read");
	enter(host, "filemap_add_folio");
	add(host, BDEVFS, VDA, 2);
	leave(host, "filemap_add_folio", 50);
	enter(host, "submit_bio");
	submit(host, 8192, false);
	leave(host, "submit_bio", 100);
	enter(host, "folio_wait_bit");
	enter(host, "io_schedule");
	enter(host, "schedule");
	leave(host, "schedule", 290);
	leave(host, "io_schedule", 300);
	leave(host, "folio_wait_bit", 320);
	leave(host, "filemap_read", 600);
	leave(host, "blkdev_read_iter", 650);
	leave(host, "vfs_read", 700);
	leave(host, READ, 800);
	end(host, result);
}

static void folds_repeats(void **state)
{
	struct host *host = *state;
	const struct path_node *read, *cache;

	for (int i = 0; i < 3; i++)
		read_device(host, 8192);
	assert_int_equal(path_tree_end(&host->tree), 0);
	read = NODE(host, READ);
	assert_non_null(read);
	assert_int_equal(read->calls, 3);
	assert_int_equal(read->total_ns, 2400);
	assert_int_equal(read->self_ns, 300);
	assert_int_equal(read->unfinished, 0);
	cache = NODE(host, READ, "vfs_read", "blkdev_read_iter",
		     "filemap_read");
	assert_non_null(cache);
	assert_int_equal(cache->total_ns, 1800);
	assert_int_equal(cache->self_ns, 3 * (600 - 50 - 100 - 320));
	assert_int_equal(cache->work.pages_added, 6);
	assert_int_equal(cache->own.pages_added, 0);
	assert_int_equal(host->tree.nodes[0].work.pages_added, 6);
	assert_int_equal(host->tree.nodes[0].work.adds, 3);
	assert_int_equal(host->tree.nodes[0].work.bios, 3);
	assert_int_equal(host->tree.nodes[0].work.read_bytes, 3 * 8192);
	assert_int_equal(host->tree.node_count, 1 + 9);
}

static void knows_entries(void **state)
{
	struct host *host = *state;
	const struct path_entry *entry;

	read_device(host, 8192);
	read_device(host, 4096);
	read_device(host, -EIO);
	/* A signal interrupted it: no failure. */
	read_device(host, -512);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(host->tree.entry_count, 1);
	entry = &host->tree.entries[0];
	assert_int_equal(entry->calls, 4);
	assert_int_equal(entry->bytes, 8192 + 4096);
	assert_int_equal(entry->failed.count, 1);
	assert_int_equal(entry->failed.error, EIO);
	assert_int_equal(entry->waited_ns, 4 * 300);
	assert_int_equal(entry->total_ns, 4 * 800);
	assert_int_equal(entry->work.pages_added, 8);
	assert_true(entry->target.is_bdev);
	assert_false(entry->target.by_io);
	assert_int_equal(entry->target.device, VDA);
	assert_int_equal(entry->roles & (ROLE_DEVICE | ROLE_CACHE |
					 ROLE_DIRECT | ROLE_FILE),
			 ROLE_DEVICE | ROLE_CACHE);
	assert_string_equal(path_entry_name(&host->tree, entry), "read");
	assert_int_equal(path_way(entry), PATH_CACHED);
}

/* Linux 5.10 does not say of which device a page is. */
static void takes_device_from_io(void **state)
{
	struct host *host = *state;
	const struct path_entry *entry;

	begin(host);
	enter(host, READ);
	enter(host, "blkdev_read_iter");
	add(host, BDEVFS, 0, 1);
	submit(host, 4096, false);
	leave(host, "blkdev_read_iter", 5);
	leave(host, READ, 10);
	end(host, 4096);
	assert_int_equal(path_tree_end(&host->tree), 0);
	entry = &host->tree.entries[0];
	assert_int_equal(entry->target.device, VDA);
	assert_true(entry->target.is_bdev && entry->target.by_io);
}

static void read_cached(struct host *host, uint64_t fd)
{
	take(host, (struct step){ .kind = STEP_SYSCALL,
				  .call_out = { .first = fd } });
	enter(host, READ);
	enter(host, "blkdev_read_iter");
	enter(host, "filemap_read");
	if (fd == 3)
		add(host, BDEVFS, VDA, 1);
	leave(host, "filemap_read", 1);
	leave(host, "blkdev_read_iter", 5);
	leave(host, READ, 10);
	end(host, 4096);
}

/*
 * A read of what was in the cache already shows no device. The descriptor does,
 * until it is closed.
 */
static void remembers_descriptors(void **state)
{
	struct host *host = *state;
	const struct path_entry *entries;

	read_cached(host, 3);
	read_cached(host, 4);
	take(host,
	     (struct step){ .kind = STEP_SYSCALL,
			    .thread = 7,
			    .call_out = { .number = SYS_close, .first = 4 } });
	/* Descriptor 3 brought pages in; the same calls bring none. */
	for (int i = 0; i < 2; i++) {
		take(host, (struct step){ .kind = STEP_SYSCALL,
					  .call_out = { .first = 3 } });
		enter(host, READ);
		enter(host, "blkdev_read_iter");
		enter(host, "filemap_read");
		leave(host, "filemap_read", 1);
		leave(host, "blkdev_read_iter", 5);
		leave(host, READ, 10);
		end(host, 4096);
		if (i == 0)
			take(host,
			     (struct step){ .kind = STEP_SYSCALL,
					    .thread = 7,
					    .call_out = { .number = SYS_close,
							  .first = 3 } });
	}
	assert_int_equal(path_tree_end(&host->tree), 0);
	entries = host->tree.entries;
	assert_int_equal(host->tree.entry_count, 2);
	assert_int_equal(entries[0].calls, 2);
	assert_int_equal(entries[1].calls, 2);
	assert_int_equal(entries[0].target.device + entries[1].target.device,
			 VDA);
}

/* More metadata than data came in, but it was a read of a file. */
static void prefers_the_file(void **state)
{
	struct host *host = *state;
	const struct path_entry *entry;

	begin(host);
	enter(host, READ);
	enter(host, "ext4_file_read_iter");
	add(host, BDEVFS, VDA, 4);
	add(host, FILESYSTEM, 12, 1);
	leave(host, "ext4_file_read_iter", 5);
	leave(host, READ, 10);
	end(host, 100);
	assert_int_equal(path_tree_end(&host->tree), 0);
	entry = &host->tree.entries[0];
	assert_int_equal(entry->target.device, FILESYSTEM);
	assert_false(entry->target.is_bdev);
	assert_int_equal(entry->inode, 12);
	assert_int_equal(entry->work.pages_added, 5);
}

/* To write from a mapping brings its file in; the data goes past the cache. */
static void fault_is_no_way(void **state)
{
	struct host *host = *state;
	const struct path_entry *entry;

	begin(host);
	enter(host, WRITE);
	enter(host, "ext4_file_write_iter");
	enter(host, "__iomap_dio_rw");
	enter(host, "handle_mm_fault");
	enter(host, "filemap_fault");
	leave(host, "filemap_fault", 1);
	leave(host, "handle_mm_fault", 2);
	leave(host, "__iomap_dio_rw", 3);
	leave(host, "ext4_file_write_iter", 5);
	leave(host, WRITE, 10);
	end(host, 4096);
	/* As an entry point it is one. */
	enter(host, "handle_mm_fault");
	enter(host, "filemap_fault");
	leave(host, "filemap_fault", 1);
	leave(host, "handle_mm_fault", 2);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(host->tree.entry_count, 2);
	entry = &host->tree.entries[0];
	assert_int_equal(path_way(entry), PATH_PAST);
	assert_int_equal(path_way(entry + 1), PATH_CACHED);
}

static void bears_loss(void **state)
{
	struct host *host = *state;
	const struct path_node *read;

	/* The beginning was not recorded. */
	host->depth = 3;
	leave(host, "vfs_read", 5);
	leave(host, READ, 5);
	host->depth = 0;
	/* The end of vfs_read() is lost, then that of a whole call. */
	begin(host);
	enter(host, READ);
	enter(host, "vfs_read");
	host->depth--;
	leave(host, READ, 10);
	end(host, 1);
	enter(host, READ);
	enter(host, "vfs_read");
	host->depth = 0;
	read_device(host, 8192);
	assert_int_equal(path_tree_end(&host->tree), 0);
	read = NODE(host, READ);
	assert_int_equal(read->calls, 3);
	assert_int_equal(read->unfinished, 1);
	assert_int_equal(read->total_ns, 810);
	assert_int_equal(NODE(host, READ, "vfs_read")->unfinished, 2);
	assert_null(NODE(host, "vfs_read"));
}

static void leaves_interrupts_out(void **state)
{
	struct host *host = *state;
	struct step step = { .kind = STEP_ENTRY, .in_interrupt = true };

	enter(host, READ);
	step.call.address = address_of(host, "submit_bio");
	step.call.depth = 1;
	take(host, step);
	step.in_interrupt = false;
	step.in_softirq = true;
	take(host, step);
	leave(host, READ, 10);
	host->tree.shows_softirqs = true;
	enter(host, READ);
	take(host, step);
	leave(host, READ, 10);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(NODE(host, READ)->calls, 2);
	assert_int_equal(NODE(host, READ, "submit_bio")->calls, 1);
}

static void tells_threads_apart(void **state)
{
	struct host *host = *state;
	struct step other = { .kind = STEP_ENTRY, .thread = 9 };

	enter(host, READ);
	other.call.address = address_of(host, WRITE);
	take(host, other);
	enter(host, "vfs_read");
	other.kind = STEP_RETURN;
	other.call.took_ns = 7;
	take(host, other);
	host->tree.skipped_thread = 9;
	take(host, other);
	leave(host, "vfs_read", 1);
	leave(host, READ, 2);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(NODE(host, WRITE)->total_ns, 7);
	assert_int_equal(NODE(host, WRITE)->calls, 1);
	assert_non_null(NODE(host, READ, "vfs_read"));
}

static void begin_at(struct host *host, const char *pattern)
{
	struct string_list patterns = { 0 };
	struct error err;

	assert_int_equal(string_list_add(&patterns, pattern), 0);
	assert_int_equal(
		functions_mark_starts(&host->functions, &patterns, &err), 0);
	string_list_deinit(&patterns);
	host->tree.has_starts = true;
}

/* Each has a tree with all of its calls, and the sums have them once. */
static void begins_at_functions_that_call_each_other(void **state)
{
	struct host *host = *state;
	struct path_sum *sums;
	size_t count;

	begin_at(host, "vfs_r*");
	begin_at(host, "filemap_read");
	enter(host, "filemap_read");
	leave(host, "filemap_read", 50);
	read_device(host, 8192);
	read_device(host, 8192);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_null(NODE(host, READ));
	assert_int_equal(NODE(host, "filemap_read")->calls, 3);
	assert_int_equal(NODE(host, "filemap_read", "folio_wait_bit")->calls,
			 2);
	assert_int_equal(NODE(host, "filemap_read")->work.pages_added, 4);
	assert_int_equal(NODE(host, "vfs_read")->calls, 2);
	assert_int_equal(path_sums(&host->tree, PATH_ADDED, &sums, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sums[0].amount, 4);
	free(sums);
}

/* The calls of the outermost @function that are summed up by where they go. */
static uint64_t counted(const struct host *host, const char *function)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < host->tree.entry_count; i++) {
		const struct path_entry *entry = &host->tree.entries[i];

		if (strcmp(path_function_name(&host->tree, entry->function),
			   function) == 0)
			calls += entry->calls;
	}
	return calls;
}

/* The return of the start is lost, and that of its caller is not. */
static void counts_a_start_whose_return_is_lost(void **state)
{
	struct host *host = *state;

	begin_at(host, "vfs_read");
	enter(host, READ);
	enter(host, "vfs_read");
	host->depth--;
	leave(host, READ, 100);
	assert_int_equal(counted(host, "vfs_read"), 1);
	assert_int_equal(NODE(host, "vfs_read")->unfinished, 1);
}

/* What is left for the end of a system call is done after its function. */
static void counts_a_start_behind_a_system_call(void **state)
{
	struct host *host = *state;

	begin_at(host, READ);
	begin_at(host, "vfs_write");
	begin(host);
	enter(host, READ);
	leave(host, READ, 100);
	enter(host, "vfs_write");
	leave(host, "vfs_write", 50);
	end(host, 5);
	assert_int_equal(counted(host, READ), 1);
	assert_int_equal(counted(host, "vfs_write"), 1);
}

/* A call or return of this process, whose name is known. */
static void of_self(struct host *host, enum step_kind kind, const char *name,
		    int32_t depth, uint64_t took_ns, bool in_softirq)
{
	take(host, (struct step){ .kind = (uint8_t)kind,
				  .thread = (uint32_t)getpid(),
				  .processor = 3,
				  .in_softirq = in_softirq,
				  .call = { .address = address_of(host, name),
					    .depth = depth,
					    .took_ns = took_ns } });
}

/* What came in a softirq is no part of the call that it interrupted. */
static void shows_calls_one_by_one(void **state)
{
	struct host *host = *state;
	struct step added = {
		.kind = STEP_ADD,
		.thread = (uint32_t)getpid(),
		.cache = { .device = BDEVFS, .inode = VDA, .pages = 2 }
	};
	char expected[2048], *text = NULL;
	struct each each;
	size_t size;
	FILE *out;

	begin_at(host, "filemap_read");
	begin_at(host, "vfs_write");
	host->tree.shows_softirqs = true;
	assert_int_equal(each_init(&each, 2, host->functions.count), 0);
	host->tree.each = &each;
	for (int i = 0; i < 3; i++) {
		of_self(host, STEP_ENTRY, "filemap_read", 0, 0, false);
		of_self(host, STEP_ENTRY, "filemap_add_folio", 1, 0, false);
		take(host, added);
		if (!i) {
			of_self(host, STEP_ENTRY, "vfs_write", 2, 0, true);
			of_self(host, STEP_RETURN, "vfs_write", 2, 1234567890,
				true);
		}
		of_self(host, STEP_RETURN, "filemap_add_folio", 1, 10001,
			false);
		of_self(host, STEP_ENTRY, "submit_bio", 1, 0, false);
		if (i != 1) {
			of_self(host, STEP_RETURN, "submit_bio", 1, 999, false);
			of_self(host, STEP_RETURN, "filemap_read", 0, 200000,
				false);
		}
	}
	assert_int_equal(path_tree_end(&host->tree), 0);
	/* Only who has ended has no name yet. */
	*each.calls[1].task = '\0';
	snprintf(expected, sizeof(expected), "1 init\n%d of another\nx\n",
		 getpid());
	each_name_tasks(&each, expected);
	out = open_memstream(&text, &size);
	each_print(out, &host->tree, 0);
	fclose(out);
	snprintf(
		expected, sizeof(expected),
		"\nfilemap_read, call 1, after 0.000000 s in test_path_tree "
		"(%d) on processor 3:\n"
		" 3)               |  filemap_read() {\n"
		" 3) + 10.001 us   |    filemap_add_folio(); /* 2 pages added "
		"*/\n"
		" 3)   0.999 us    |    submit_bio();\n"
		" 3) ! 200.000 us  |  }\n"
		"\nvfs_write, call 1, after 0.000000 s in of another "
		"(%d) on processor 3, in a softirq:\n"
		" 3) $ 1234567 us  |  vfs_write();\n"
		"\nfilemap_read, call 2, after 0.000000 s in test_path_tree "
		"(%d) on processor 3:\n"
		" 3)               |  filemap_read() {\n"
		" 3) + 10.001 us   |    filemap_add_folio(); /* 2 pages added "
		"*/\n"
		" 3)               |    submit_bio();\n"
		" 3)               |  }\n"
		"\nOf filemap_read 1 more are not shown (--each N shows more).\n"
		"\nThe order is that of CLOCK_MONOTONIC, which all "
		"processors share.\n",
		getpid(), getpid(), getpid());
	assert_string_equal(text, expected);
	free(text);
	each_deinit(&each);
}

/* In place of "No call that was recorded moved data". */
/* Calls of many lines are bounded in sum, and none is kept without a line. */
static void keeps_no_more_lines_than_there_is_room_for(void **state)
{
	struct host *host = *state;
	const struct step step = { .thread = (uint32_t)getpid() };
	struct each each;
	long call;

	assert_int_equal(each_init(&each, 10000, host->functions.count), 0);
	while ((call = each_begin(&each, 0, &step)) > 0)
		for (uint32_t i = 0; i < EACH_LINES + 2; i++)
			each_enter(&each, call, 0, i);
	assert_int_equal(call, 0);
	assert_int_equal(each.lines, EACH_MOST_LINES);
	assert_int_equal(each.count, EACH_MOST_LINES / EACH_LINES);
	assert_int_equal(each.calls[each.count - 1].cut, 2);
	assert_int_equal(each_left_out(&each, 0), 1);
	assert_int_equal(each_left_out(&each, 1), 0);
	each_deinit(&each);
}

static void give(struct host *host, const char *driver_function)
{
	enter(host, "__dev_queue_xmit");
	enter(host, driver_function);
	leave(host, driver_function, 1);
	leave(host, "__dev_queue_xmit", 2);
}

static void counts_packets(void **state)
{
	struct host *host = *state;
	struct string_list sentences = { 0 };
	struct path_names no_names = { 0 };

	/* A path does not need them; --function and --functions name them. */
	functions_add(&host->functions, "ip_rcv", 0x100000);
	functions_add(&host->functions, "ip_forward", 0x100100);
	functions_add(&host->functions, "esp_output", 0x100200);
	functions_add(&host->functions, "__dev_queue_xmit", 0x100300);
	functions_add(&host->functions, "start_xmit", 0x100400);
	host->functions.list[host->functions.count - 1].driver =
		strdup("virtio_net");
	functions_add(&host->functions, "veth_xmit", 0x100500);
	host->functions.list[host->functions.count - 1].driver = strdup("veth");
	for (int i = 0; i < 2; i++) {
		enter(host, "ip_rcv");
		enter(host, "ip_forward");
		leave(host, "ip_forward", 1);
		leave(host, "ip_rcv", 2);
	}
	enter(host, "esp_output");
	give(host, "veth_xmit");
	leave(host, "esp_output", 4);
	give(host, "start_xmit");
	give(host, "veth_xmit");
	/* A driver's function that somebody else calls takes no packet. */
	enter(host, "veth_xmit");
	leave(host, "veth_xmit", 1);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(path_sentences(&host->tree, &no_names, &sentences), 0);
	assert_int_equal(sentences.count, 1);
	assert_string_equal(sentences.strings[0],
			    "Network: 2 packets came in, 2 packets forwarded, "
			    "1 packet encrypted by ESP, 3 packets given to a "
			    "device (veth 2, virtio_net 1)");
	string_list_deinit(&sentences);
}

static void no_cache_of_sockets(void **state)
{
	struct host *host = *state;
	struct string_list sentences = { 0 };
	struct path_names no_names = { 0 };

	functions_add(&host->functions, "udp_sendmsg", 0x100000);
	enter(host, "udp_sendmsg");
	leave(host, "udp_sendmsg", 1);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(path_sentences(&host->tree, &no_names, &sentences), 0);
	assert_int_equal(sentences.count, 1);
	assert_string_equal(sentences.strings[0],
			    "1 call of udp_sendmsg on sockets");
	string_list_deinit(&sentences);
}

static void no_such_start(void **state)
{
	struct host *host = *state;
	struct string_list patterns = { 0 };
	char text[ERROR_TEXT_SIZE];
	struct error err;

	string_list_add(&patterns, "filemap_raed");
	assert_int_equal(functions_mark_starts(&host->functions, &patterns,
					       &err),
			 -ENOENT);
	assert_string_equal(error_text(&err, text),
			    "tracing: filemap_raed: this kernel has no such "
			    "function; did you mean filemap_read?");
	string_list_deinit(&patterns);
}

static void begins_at_a_function(void **state)
{
	struct host *host = *state;

	begin_at(host, "filemap_read");
	host->tree.most_levels = 2;
	read_device(host, 8192);
	read_device(host, 8192);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_null(NODE(host, READ));
	assert_int_equal(NODE(host, "filemap_read")->calls, 2);
	assert_int_equal(NODE(host, "filemap_read", "folio_wait_bit")->calls,
			 2);
	assert_null(
		NODE(host, "filemap_read", "folio_wait_bit", "io_schedule"));
	/* What is too deep counts for what is shown. */
	assert_int_equal(NODE(host, "filemap_read")->work.pages_added, 4);
	assert_int_equal(host->tree.entries[0].waited_ns, 600);
	assert_int_equal(host->tree.entries[0].calls, 2);
}

static void sums_up(void **state)
{
	struct host *host = *state;
	struct path_sum *sums;
	size_t count;

	for (int i = 0; i < 3; i++)
		read_device(host, 8192);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(path_sums(&host->tree, PATH_ADDED, &sums, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sums[0].amount, 6);
	assert_int_equal(sums[0].calls, 3);
	assert_string_equal(path_function_name(&host->tree, sums[0].function),
			    "filemap_add_folio");
	free(sums);
	assert_int_equal(path_sums(&host->tree, PATH_WAITED, &sums, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sums[0].amount, 900);
	assert_string_equal(path_function_name(&host->tree, sums[0].function),
			    "folio_wait_bit");
	free(sums);
}

static void expect_sentence(const struct host *host, size_t entry,
			    const char *expected)
{
	struct path_names found;
	struct sysroot root;
	struct error err;
	char *text;

	/* In it, no device and no filesystem has a name. */
	assert_int_equal(sysroot_init_empty(&root, "nothing", &err), 0);
	assert_int_equal(path_names_init(&found, &root), 0);
	assert_true(entry < host->tree.entry_count);
	text = path_sentence(&host->tree, &host->tree.entries[entry], &found);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
	path_names_deinit(&found);
	sysroot_deinit(&root);
}

static void says_what_was_added(void **state)
{
	struct host *host = *state;

	for (int i = 0; i < 1234; i++)
		read_device(host, 8192);
	assert_int_equal(path_tree_end(&host->tree), 0);
	expect_sentence(host, 0,
			"1,234 reads of 254:0 through the page cache: "
			"2,468 pages added");
	assert_true(
		path_deserves_sentence(&host->tree, &host->tree.entries[0]));
}

/* What is unaligned is refused before anything is submitted. */
static void says_what_failed(void **state)
{
	struct host *host = *state;

	begin(host);
	enter(host, READ);
	enter(host, "ext4_file_read_iter");
	enter(host, "__iomap_dio_rw");
	leave(host, "__iomap_dio_rw", 3);
	leave(host, "ext4_file_read_iter", 5);
	leave(host, READ, 10);
	end(host, -EINVAL);
	assert_int_equal(path_tree_end(&host->tree), 0);
	expect_sentence(host, 0,
			"1 read of files with O_DIRECT, past the page cache: "
			"nothing added to the page cache; 1 failed (Invalid "
			"argument)");
	assert_true(
		path_deserves_sentence(&host->tree, &host->tree.entries[0]));
}

static void says_what_was_there(void **state)
{
	struct host *host = *state;

	read_cached(host, 4);
	assert_int_equal(path_tree_end(&host->tree), 0);
	expect_sentence(host, 0,
			"1 read of a block device through the page cache: no "
			"pages added, all were there");
}

/* A write with O_SYNC: what it writes, whether a journal is waited for, result.
 */
static void write_synced(struct host *host, uint64_t bytes, bool commits,
			 int64_t result)
{
	begin(host);
	enter(host, WRITE);
	enter(host, "ext4_file_write_iter");
	enter(host, "vfs_fsync_range");
	if (bytes)
		submit(host, bytes, true);
	if (commits) {
		enter(host, "jbd2_log_wait_commit");
		enter(host, "schedule");
		leave(host, "schedule", 1);
		leave(host, "jbd2_log_wait_commit", 2);
	}
	leave(host, "vfs_fsync_range", 5);
	leave(host, "ext4_file_write_iter", 8);
	leave(host, WRITE, 10);
	end(host, result);
}

static bool is_synced(struct host *host)
{
	bool synced = false;

	assert_int_equal(path_tree_end(&host->tree), 0);
	for (size_t i = 0; i < host->tree.entry_count; i++)
		synced |= !!(host->tree.entries[i].roles & ROLE_SYNC);
	return synced;
}

/* That a function was called is not what came of it. */
static void says_what_waited(void **state)
{
	struct host *host = *state;

	write_synced(host, 0, false, 4096); /* tmpfs, or nothing was dirty */
	write_synced(host, 4096, true, -EIO);
	assert_false(is_synced(host));
	write_synced(host, 4096, false, 4096);
	assert_true(is_synced(host));
	expect_sentence(host, 0,
			"1 write to files on 254:0: nothing added to the page "
			"cache; the calls waited until the device had the "
			"data");
}

static void waits_for_a_journal(void **state)
{
	struct host *host = *state;

	write_synced(host, 0, true, 4096);
	assert_true(is_synced(host));
}

/* Before it reads past the cache, it waits for what is written there. */
static void direct_read_waits_for_nothing(void **state)
{
	struct host *host = *state;

	begin(host);
	enter(host, READ);
	enter(host, "__filemap_fdatawait_range");
	leave(host, "__filemap_fdatawait_range", 1);
	enter(host, "__iomap_dio_rw");
	submit(host, 4096, false);
	leave(host, "__iomap_dio_rw", 3);
	leave(host, READ, 10);
	end(host, 4096);
	assert_false(is_synced(host));
}

static void submit_request(struct host *host, int64_t inside, int64_t after)
{
	begin(host);
	enter(host, "__x64_sys_io_submit");
	enter(host, "__iomap_dio_rw");
	leave(host, "__iomap_dio_rw", 3);
	take(host, (struct step){ .kind = STEP_AIO_END,
				  .call_out = { .result = inside } });
	leave(host, "__x64_sys_io_submit", 10);
	end(host, 1);
	take(host, (struct step){ .kind = STEP_URING_END,
				  .call_out = { .result = after } });
}

/* The call succeeds whatever comes of its request. */
static void counts_requests_that_fail(void **state)
{
	struct host *host = *state;

	submit_request(host, 4096, 4096);
	submit_request(host, 0, -ETIME);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(host->tree.entries[0].failed.count, 0);
	submit_request(host, -EINVAL, 0);
	submit_request(host, 0, -EIO);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_int_equal(host->tree.entry_count, 1);
	assert_int_equal(host->tree.entries[0].calls, 4);
	assert_int_equal(host->tree.entries[0].failed.count, 2);
	expect_sentence(host, 0,
			"4 calls of io_submit on files with O_DIRECT, past the "
			"page cache: nothing added to the page cache; 2 "
			"failed, not all with the same error");
}

static void fault(struct host *host, uint64_t pages)
{
	enter(host, "handle_mm_fault");
	enter(host, "filemap_fault");
	add(host, FILESYSTEM, 12, pages);
	leave(host, "filemap_fault", 1);
	leave(host, "handle_mm_fault", 2);
}

/* However much the program itself brings in. */
static void calls_are_above_faults(void **state)
{
	struct host *host = *state;

	fault(host, 5000);
	read_device(host, 8192);
	assert_int_equal(path_tree_end(&host->tree), 0);
	assert_string_equal(
		path_entry_name(&host->tree, &host->tree.entries[0]), "read");
	for (size_t i = 0; i < 2; i++)
		assert_true(path_deserves_sentence(&host->tree,
						   &host->tree.entries[i]));
}

static void knows_functions(void **state __attribute__((unused)))
{
	static const char *const wanted[] = {
		READ,
		"__arm64_sys_io_submit",
		"__x64_sys_writev",
		"__x64_sys_close",
		"vfs_read",
		"xfs_log_force_seq",
		"__bread_gfp",
		"wp_page_copy",
		"filemap_add_folio",
		"add_to_page_cache_lru",
		"submit_bio",
		"udp_sendmsg",
		"udp_recvmsg",
		"btrfs_file_read_iter",
		"ext4_dio_read_iter",
		"xfs_file_dio_read",
	};
	static const char *const unwanted[] = {
		"__x64_sys_getpid", "_file_read_iter", "kmem_cache_alloc",
		"vfs_rea",	    "vfs_reads",       "",
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_true(function_roles(wanted[i]) >= 0);
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(*unwanted); i++)
		assert_int_equal(function_roles(unwanted[i]), -1);
	/* Every name that the tests use is found, so their order is right. */
	for (size_t i = 0; i < NAMES; i++)
		assert_true(function_roles(names[i]) >= 0);
	assert_int_equal(function_roles("xfs_file_dio_read"),
			 ROLE_FILE | ROLE_DIRECT);
	assert_string_equal(function_syscall("__x64_sys_pread64"), "pread64");
	assert_null(function_syscall("vfs_read"));
}

static void finds_addresses(void **state)
{
	const struct host *host = *state;
	const struct functions *functions = &host->functions;

	assert_int_equal(functions_find(functions, 0xfff), -1);
	assert_int_equal(functions_find(functions, 0x1000), 0);
	assert_int_equal(functions_find(functions, 0x1104), 1);
	/* Too far from the beginning: another function, which is not traced. */
	assert_int_equal(functions_find(functions, 0x1180), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/*
 * Takes what a script says: ">F" calls the function, "<" returns from the
 * innermost, "+" adds a page, "w" writes, "[" and "]N" begin and end a system
 * call, which returns N, "aN" ends a request of AIO. "m" shows one level alone,
 * "u" traces no function that waits.
 */
static void play(struct host *host, const char *script)
{
	char copy[256], *rest = copy;
	const char *open[8];
	size_t depth = 0;

	snprintf(copy, sizeof(copy), "%s", script);
	for (char *word; (word = strsep(&rest, " "));) {
		const int64_t number = *word ? strtol(word + 1, NULL, 10) : 0;

		if (*word == '>')
			enter(host, open[depth++] = word + 1);
		else if (*word == '<')
			leave(host, open[--depth], 5);
		else if (*word == '+')
			add(host, FILESYSTEM, 12, 1);
		else if (*word == 'w')
			submit(host, 4096, true);
		else if (*word == '[')
			begin(host);
		else if (*word == ']')
			end(host, number);
		else if (*word == 'a')
			take(host,
			     (struct step){ .kind = STEP_AIO_END,
					    .call_out = { .result = number } });
		else if (*word == 'm')
			host->tree.most_levels = 1;
		for (size_t i = 0; *word == 'u' && i < NAMES; i++)
			host->functions.list[i].roles &=
				~(unsigned int)ROLE_WAIT;
	}
	assert_int_equal(path_tree_end(&host->tree), 0);
}

/* Whether that is said of the first entry, or of all. */
static bool is_said(const struct host *host, enum path_reason reason)
{
	const struct path_tree *tree = &host->tree;
	const struct path_entry *entry = tree->entries;
	struct string_list sentences = { 0 };
	struct sysroot root;
	struct path_names none = { .root = &root };
	struct error err;
	bool is;

	assert_int_equal(sysroot_init_empty(&root, "nothing", &err), 0);
	assert_int_equal(path_sentences(tree, &none, &sentences), 0);
	sysroot_deinit(&root);
	is = !sentences.count && path_silence(tree) == reason;
	string_list_deinit(&sentences);

	if (tree->entry_count)
		is |= path_way(entry) == reason ||
		      path_outcome(tree, entry) == reason ||
		      path_end(entry) == reason;
	for (enum path_sum_kind kind = PATH_ADDED; kind <= PATH_WAITED;
	     kind++) {
		struct path_sum *sums;
		size_t count;

		assert_int_equal(path_sums(tree, kind, &sums, &count), 0);
		is |= !count && path_none(tree, kind) == reason;
		free(sums);
	}
	return is;
}

#define SUBMIT "__x64_sys_io_submit"
#define FILE_READ ">ext4_file_read_iter "
#define PAST ">__iomap_dio_rw < "
#define CACHED ">filemap_read < "

/* Each reason has a run of which it is true, and one of which it is not. */
static void reasons_are_looked_for(void **state)
{
	static const struct {
		const char *holds, *does_not;
	} runs[PATH_REASONS] = {
		[PATH_CACHED] = { "[ >" READ " " CACHED "< ]1",
				  "[ >" READ " " PAST "< ]1" },
		[PATH_PAST] = { "[ >" READ " " PAST "< ]1",
				"[ >" READ " " PAST CACHED "< ]1" },
		[PATH_FELL_BACK] = { "[ >" READ " " FILE_READ PAST CACHED
				     "< < ]1",
				     "[ >" SUBMIT " " FILE_READ PAST
				     "< " FILE_READ CACHED "< < ]2" },
		[PATH_MIXED] = { "[ >" SUBMIT " " FILE_READ PAST
				 "< " FILE_READ CACHED "< < ]2",
				 "[ >" READ " " FILE_READ PAST CACHED
				 "< < ]1" },
		[PATH_GREW] = { "[ >" READ " >filemap_read + < < ]1",
				"[ >" READ " " CACHED "< ]1" },
		[PATH_WAS_THERE] = { "[ >" SUBMIT " " CACHED "a4096 < ]1",
				     "[ >" SUBMIT " " CACHED "a0 < ]1" },
		[PATH_GREW_NOT] = { "[ >" READ
				    " >shmem_file_read_iter < < ]4096",
				    "[ >" READ " " CACHED "< ]4096" },
		[PATH_FAILED] = { "[ >" SUBMIT " " PAST "a-5 a-5 < ]2",
				  "[ >" SUBMIT " " PAST "a-5 a-22 < ]2" },
		[PATH_FAILED_VARIOUSLY] = { "[ >" READ " " PAST "< ]-5 [ >" READ
					    " " PAST "< ]-22",
					    "[ >" READ " " PAST "< ]-5 [ >" READ
					    " " PAST "< ]-5" },
		[PATH_SYNCED] = { "[ >" WRITE " >vfs_fsync_range w < < ]1",
				  "[ >" WRITE " >vfs_fsync_range < < ]1" },
		[PATH_RECORDED_NOTHING] = { "+", "[ >" READ " < ]1" },
		[PATH_MOVED_NOTHING] = { "[ >" READ " < ]1",
					 "[ >" READ " " CACHED "< ]1" },
		[PATH_ADDED_NOTHING] = { "[ >" READ " < ]1", "+" },
		[PATH_ADDED_OUTSIDE] = { "+", ">filemap_read + <" },
		[PATH_SUBMITTED_NOTHING] = { ">submit_bio <", "w" },
		[PATH_SUBMITTED_OUTSIDE] = { "w", ">submit_bio w <" },
		[PATH_NEVER_WAITED] = { "[ >" READ " < ]1",
					"m [ >" READ " >schedule < < ]1" },
		[PATH_WAITED_BELOW] = { "m [ >" READ " >schedule < < ]1",
					"[ >" READ " >schedule < < ]1" },
		[PATH_WAITS_UNTRACED] = { "u [ >" READ " < ]1",
					  "[ >" READ " < ]1" },
	};

	tear_down(state);
	for (enum path_reason reason = PATH_CACHED; reason < PATH_REASONS;
	     reason++) {
		for (int holds = 0; holds < 2; holds++) {
			const char *run = holds ? runs[reason].holds :
						  runs[reason].does_not;

			if (!run)
				fail_msg("no run for reason %d", reason);
			set_up(state);
			play(*state, run);
			if (is_said(*state, reason) != holds)
				fail_msg("\"%s\" of %s",
					 path_reason_text(reason), run);
			tear_down(state);
		}
	}
	set_up(state);
}

/* With --all, what the kernel's threads do for io_uring is in there. */
static void handed_over_is_recorded(void **state)
{
	struct host *host = *state;
	struct path_names none = { 0 };
	const struct path_report report = { .tree = &host->tree,
					    .names = &none };

	play(host, ">io_queue_iowq <");
	for (int all = 0; all < 2; all++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		host->tree.has_all_threads = all;
		assert_int_equal(path_report_print(out, &report), 0);
		fclose(out);
		assert_int_equal(!!strstr(text, "whose work is not in here"),
				 !all);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(folds_repeats),
		TEST(knows_entries),
		TEST(takes_device_from_io),
		TEST(remembers_descriptors),
		TEST(prefers_the_file),
		TEST(fault_is_no_way),
		TEST(bears_loss),
		TEST(leaves_interrupts_out),
		TEST(tells_threads_apart),
		TEST(begins_at_a_function),
		TEST(begins_at_functions_that_call_each_other),
		TEST(counts_a_start_whose_return_is_lost),
		TEST(counts_a_start_behind_a_system_call),
		TEST(shows_calls_one_by_one),
		TEST(keeps_no_more_lines_than_there_is_room_for),
		TEST(counts_packets),
		TEST(no_cache_of_sockets),
		TEST(no_such_start),
		TEST(sums_up),
		TEST(says_what_was_added),
		TEST(says_what_failed),
		TEST(says_what_was_there),
		TEST(says_what_waited),
		TEST(waits_for_a_journal),
		TEST(direct_read_waits_for_nothing),
		TEST(counts_requests_that_fail),
		TEST(calls_are_above_faults),
		cmocka_unit_test(knows_functions),
		TEST(finds_addresses),
		TEST(reasons_are_looked_for),
		TEST(handed_over_is_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
