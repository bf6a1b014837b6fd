// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the pages that each process brings into a cache, and those that it
 * takes out, at the two tracepoints of the page cache.
 *
 * The structures have only the fields that are used here. CO-RE finds their
 * places in the running kernel, so one object fits Linux 5.10 to 7.3. The
 * programs of type tp_btf use direct loads alone, which lockdown allows in
 * confidentiality mode, where it refuses bpf_probe_read_kernel().
 */
#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "trace/fill.h"

#define RELOCATED __attribute__((preserve_access_index))

#define BDEVFS_MAGIC 0x62646576
#define TMPFS_MAGIC 0x01021994
#define HUGETLBFS_MAGIC 0x958458f6

#define PF_IO_WORKER 0x00000010
#define PF_MEMALLOC 0x00000800 /* reclaims */
#define PF_KTHREAD 0x00200000

#define X86_USER_CS 0x33 /* of programs of 64 bits */
#define MEMCG_FLAGS 7UL /* low bits of memcg_data */
#define PREEMPT_MASK 0xff /* how often preemption was disabled */

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
} RELOCATED;

struct inode {
	__u32 i_rdev;
	struct super_block *i_sb;
} RELOCATED;

struct address_space {
	struct inode *host;
} RELOCATED;

struct kernfs_node {
	__u64 id;
} RELOCATED;

struct cgroup {
	struct kernfs_node *kn;
} RELOCATED;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
} RELOCATED;

struct mem_cgroup {
	struct cgroup_subsys_state css;
} RELOCATED;

/* Linux 7.3 has one in memcg_data, without a flag. */
struct obj_cgroup {
	struct mem_cgroup *memcg;
	bool is_root;
} RELOCATED;

struct page {
	struct address_space *mapping;
	struct mem_cgroup *mem_cgroup; /* Linux 5.10 */
	unsigned long memcg_data; /* from 5.11 on; in folios from 5.16 on */
} RELOCATED;

/* Its fields mapping and flags are where those of struct page are. */
struct folio {
	unsigned char _folio_order; /* Linux 5.18 to 6.5 */
	unsigned long _flags_1; /* from 6.6 on, with the order */
	unsigned long memcg_data;
} RELOCATED;

enum pageflags {
	PG_head = 6,
};

struct pt_regs___x86 {
	unsigned long orig_ax;
	unsigned long cs;
} RELOCATED;

struct pt_regs___arm64 {
	__s32 syscallno;
} RELOCATED;

struct task_struct {
	unsigned int flags;
	__u64 self_exec_id;
} RELOCATED;

struct thread_info___arm64 {
	__u64 preempt_count;
} RELOCATED;

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
} RELOCATED;

/* Linux 6.15: SRCU-fast, which tracepoints use from 7.0 on (a46023d5616e). */
struct srcu_ctr {
	long srcu_locks;
} RELOCATED;

/* A record of either tracepoint. */
struct trace_event_raw_mm_filemap_op_page_cache {
	unsigned long i_ino;
	__u32 s_dev;
	unsigned char order; /* not in 5.10 */
} RELOCATED;

extern const int __preempt_count __ksym __weak; /* of the processor: x86 */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILL_ROOM);
	__type(key, struct fill_key);
	__type(value, struct fill_value);
} fills SEC(".maps");

/* Pages that reclaim took, by the cgroup that they were charged to. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILL_CGROUPS);
	__type(key, __u64);
	__type(value, __u64);
} evictions SEC(".maps");

/* Sections of their own become maps of these names. */
struct fill_settings settings SEC(".data.settings") = {};
struct fill_state state SEC(".data.state") = {};

/* @page is the first of a folio, or is alone. */
static __always_inline __u64 pages_of(void *page)
{
	struct folio *folio = page;
	unsigned long flags = *(unsigned long *)page;

	if (!bpf_core_type_exists(struct folio) ||
	    !(flags >> bpf_core_enum_value(enum pageflags, PG_head) & 1))
		return 1;
	if (bpf_core_field_exists(folio->_folio_order))
		return 1ULL << (folio->_folio_order & 63);
	if (bpf_core_field_exists(folio->_flags_1))
		return 1ULL << (folio->_flags_1 & 63);
	return 1;
}

static __always_inline enum fill_how how_of_syscall(unsigned long number)
{
	if (number >= FILL_SYSCALLS)
		return FILL_OTHER;
	return settings.how[number];
}

static __always_inline enum fill_how how_of_regs(void *regs)
{
	struct pt_regs___x86 *x86 = regs;
	struct pt_regs___arm64 *arm64 = regs;

	if (bpf_core_field_exists(x86->orig_ax)) {
		if ((long)x86->orig_ax == -1)
			return FILL_FAULT;
		/* Programs of 32 bits have other numbers. */
		if ((x86->cs & 0xffff) != X86_USER_CS)
			return FILL_OTHER;
		return how_of_syscall(x86->orig_ax);
	}
	if (bpf_core_field_exists(arm64->syscallno)) {
		if (arm64->syscallno == -1)
			return FILL_FAULT;
		return how_of_syscall(arm64->syscallno);
	}
	return FILL_OTHER;
}

/* Whether the kernel has the helpers, which are of 5.11 and 5.15. */
static __always_inline bool has_task(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id,
					  BPF_FUNC_task_pt_regs);
}

static __always_inline enum fill_how how_of_task(void)
{
	struct task_struct *task;

	if (!has_task())
		return FILL_OTHER;
	task = (void *)bpf_get_current_task_btf();
	if (task->flags & PF_KTHREAD)
		return FILL_KERNEL;
	if (task->flags & PF_IO_WORKER)
		return FILL_OTHER;
	return how_of_regs((void *)bpf_task_pt_regs((void *)task));
}

/* Whether the process is in posix_fadvise(), which drops pages. */
static __always_inline bool is_in_fadvise(void)
{
	struct pt_regs___x86 *x86;
	struct pt_regs___arm64 *arm64;

	if (!has_task())
		return false;
	x86 = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	arm64 = (void *)x86;
	if (bpf_core_field_exists(x86->orig_ax))
		return x86->orig_ax == settings.fadvise &&
		       (x86->cs & 0xffff) == X86_USER_CS;
	if (bpf_core_field_exists(arm64->syscallno))
		return arm64->syscallno == (__s32)settings.fadvise;
	return false;
}

static __always_inline __u64 program_of_task(void)
{
	struct task_struct *task;

	if (!has_task())
		return 0;
	task = (void *)bpf_get_current_task_btf();
	return task->self_exec_id;
}

static __always_inline void remember(struct fill_value *value)
{
	bpf_get_current_comm(value->command, sizeof(value->command));
	value->cgroup = bpf_get_current_cgroup_id();
	value->program = program_of_task();
}

static __always_inline struct fill_value *find_or_add(struct fill_key *key)
{
	struct fill_value *value = bpf_map_lookup_elem(&fills, key);
	struct fill_value fresh = { 0 };

	if (value)
		return value;
	remember(&fresh);
	/* If another processor has just added it, that one is found. */
	bpf_map_update_elem(&fills, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&fills, key);
}

static __always_inline struct fill_key make_key(__u32 device, bool is_bdev,
						__u32 process)
{
	return (struct fill_key){
		.device = device,
		.process_and_kind = process << 1 | is_bdev,
	};
}

static __always_inline void count(__u32 device, bool is_bdev, bool comes_in,
				  __u64 pages)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct fill_key key = make_key(device, is_bdev, id >> 32);
	struct fill_value *value = find_or_add(&key);
	__u32 how;

	if (has_task() && !state.knows_how)
		state.knows_how = 1;
	if (!value) {
		__sync_fetch_and_add(&state.full_events, 1);
		__sync_fetch_and_add(&state.full_pages, pages);
		return;
	}
	/* For what tracing costs, to which an atomic addition would add. */
	value->events++;
	if (!comes_in) {
		__sync_fetch_and_add(&value->out, pages);
		if (is_in_fadvise())
			__sync_fetch_and_add(&value->dropped, pages);
		return;
	}
	how = how_of_task();
	if (how < FILL_HOWS)
		__sync_fetch_and_add(&value->in[how], pages);
	/* The process may have become another program. */
	if (id >> 32 == (__u32)id &&
	    (!has_task() || value->program != program_of_task()))
		remember(value);
}

/* Returns false if the page is not to be counted. */
static __always_inline bool find_cache(void *page, __u32 *device, bool *is_bdev)
{
	struct address_space *mapping = ((struct page *)page)->mapping;
	struct inode *inode = mapping->host;
	struct super_block *sb = inode->i_sb;
	__u32 of_bdev = inode->i_rdev;
	__u32 of_files = sb->s_dev;

	/*
	 * Otherwise clang makes one load of these two, at an address in a
	 * variable, which not every verifier follows.
	 */
	asm volatile("" : "+r"(of_bdev), "+r"(of_files));
	*is_bdev = sb->s_magic == BDEVFS_MAGIC;
	*device = *is_bdev ? of_bdev : of_files;
	/* tmpfs tells only what goes out, and huge pages are not in Cached. */
	return sb->s_magic != TMPFS_MAGIC && sb->s_magic != HUGETLBFS_MAGIC;
}

static __always_inline void count_page(void *page, bool comes_in)
{
	__u32 device;
	bool is_bdev;

	if (find_cache(page, &device, &is_bdev))
		count(device, is_bdev, comes_in, pages_of(page));
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int add_btf(__u64 *arguments)
{
	count_page((void *)arguments[0], true);
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int delete_btf(__u64 *arguments)
{
	count_page((void *)arguments[0], false);
	return 0;
}

/*
 * For kernels that preempt programs of type tp_btf, and lose their events while
 * they do: they do not preempt those of this type.
 */
SEC("tp/filemap/mm_filemap_add_to_page_cache")
int add_tp(struct trace_event_raw_mm_filemap_op_page_cache *record)
{
	bool is_bdev = record->s_dev == state.bdevfs;
	__u64 pages = 1;

	if (bpf_core_field_exists(record->order))
		pages = 1ULL << (record->order & 63);
	count(is_bdev ? record->i_ino : record->s_dev, is_bdev, true, pages);
	return 0;
}

/* The cgroup that the page is charged to, or NULL. */
static __always_inline struct mem_cgroup *charged_to(void *address)
{
	struct page *page = address;
	struct folio *folio = address;
	struct obj_cgroup *object;
	unsigned long data;

	if (bpf_core_field_exists(page->mem_cgroup))
		return BPF_CORE_READ(page, mem_cgroup);
	if (bpf_core_field_exists(folio->memcg_data))
		data = BPF_CORE_READ(folio, memcg_data);
	else if (bpf_core_field_exists(page->memcg_data))
		data = BPF_CORE_READ(page, memcg_data);
	else
		return NULL;
	data &= ~MEMCG_FLAGS;
	object = (void *)data;
	if (bpf_core_field_exists(object->is_root))
		return BPF_CORE_READ(object, memcg);
	return (void *)data;
}

static __always_inline bool has_flag(unsigned int flag)
{
	struct task_struct *task;

	if (has_task()) {
		task = (void *)bpf_get_current_task_btf();
		return task->flags & flag;
	}
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, flags) & flag;
}

/*
 * The next two programs need bpf_probe_read_kernel(), unlike the others:
 * lockdown may refuse it.
 */

/* A loop device's pages are a thread's, and charged to who uses the device. */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int on_behalf(__u64 *arguments)
{
	struct page *page = (void *)arguments[0];
	struct fill_value *value;
	struct mem_cgroup *memcg;
	struct fill_key key;
	__u32 device;
	bool is_bdev;

	if (!has_flag(PF_KTHREAD) || !find_cache(page, &device, &is_bdev))
		return 0;
	key = make_key(device, is_bdev, bpf_get_current_pid_tgid() >> 32);
	value = bpf_map_lookup_elem(&fills, &key);
	memcg = charged_to(page);
	if (value && memcg)
		value->on_behalf_of = BPF_CORE_READ(memcg, css.cgroup, kn, id);
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int evict(__u64 *arguments)
{
	struct page *page = (void *)arguments[0];
	__u64 none = 0, id, *value;
	struct mem_cgroup *memcg;

	if (!has_flag(PF_MEMALLOC) ||
	    page->mapping->host->i_sb->s_magic == TMPFS_MAGIC)
		return 0;
	memcg = charged_to(page);
	if (!memcg)
		return 0;
	id = BPF_CORE_READ(memcg, css.cgroup, kn, id);
	value = bpf_map_lookup_elem(&evictions, &id);
	if (!value) {
		bpf_map_update_elem(&evictions, &id, &none, BPF_NOEXIST);
		value = bpf_map_lookup_elem(&evictions, &id);
	}
	if (value)
		__sync_fetch_and_add(value, pages_of(page));
	else
		__sync_fetch_and_add(&state.full_events, 1);
	return 0;
}

static __always_inline bool is_ours(void)
{
	return bpf_get_current_pid_tgid() >> 32 == settings.process;
}

/*
 * mmap() runs the next two programs in our own process, where preemption is not
 * disabled. Finds out whether the tracepoint disables it.
 */
SEC("tp_btf/vm_unmapped_area")
int probe_preemption(void *arguments)
{
	struct task_struct___arm64 *task;
	__u32 depth = 0;

	if (!is_ours())
		return 0;
	state.preemption = FILL_NOT_PREEMPTED;
	if (!bpf_core_type_exists(struct srcu_ctr))
		return 0;
	task = (void *)bpf_get_current_task_btf();
	if (&__preempt_count)
		depth = *(int *)bpf_this_cpu_ptr(&__preempt_count);
	else if (bpf_core_field_exists(task->thread_info.preempt_count))
		depth = task->thread_info.preempt_count;
	if (!(depth & PREEMPT_MASK))
		state.preemption = FILL_PREEMPTED;
	return 0;
}

/* Finds out by which number records call the filesystem of block devices. */
SEC("tp_btf/vm_unmapped_area")
int probe_bdevfs(void *arguments)
{
	struct super_block *sb = NULL;

	if (!is_ours())
		return 0;
	bpf_probe_read_kernel(&sb, sizeof(sb), (void *)settings.bdev_address);
	state.bdevfs = BPF_CORE_READ(sb, s_dev);
	return 0;
}

char _license[] SEC("license") = "GPL";
