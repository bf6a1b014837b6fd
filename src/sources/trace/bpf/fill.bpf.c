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
#define X86_THREAD_SIZE 16384
#define MEMCG_FLAGS 7UL /* low bits of memcg_data */
#define XARRAY_FLAGS 0x3f /* the others say which marks there are */
#define PREEMPT_MASK 0xff /* how often preemption was disabled */

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
} RELOCATED;

struct inode {
	__u32 i_rdev;
	struct super_block *i_sb;
} RELOCATED;

struct rb_root {
	void *rb_node;
} RELOCATED;

struct rb_root_cached {
	struct rb_root rb_root;
} RELOCATED;

struct xarray {
	__u32 xa_flags;
} RELOCATED;

struct address_space {
	struct inode *host;
	struct xarray i_pages;
	struct rb_root_cached i_mmap;
	unsigned long nrpages;
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

/* Its flags are where those of struct page are. */
struct folio {
	struct address_space *mapping; /* Linux 5.16; that of a page is to go */
	unsigned char _folio_order; /* Linux 5.18 to 6.5 */
	unsigned long _flags_1; /* from 6.6 on, with the order */
	unsigned long memcg_data;
} RELOCATED;

enum pageflags {
	PG_head = 6,
};

/*
 * Those of all processors: which fields there are says which it is. One struct,
 * because libbpf looks through all of the kernel's types for each.
 */
struct pt_regs {
	unsigned long orig_ax; /* x86, as is cs */
	unsigned long cs;
	__s32 syscallno; /* arm64 */
	unsigned int int_code; /* s390, as is flags */
	unsigned long flags;
	unsigned long gpr[32]; /* powerpc, as is trap */
	unsigned long trap;
	unsigned long a7; /* riscv, as is cause */
	unsigned long cause;
} RELOCATED;

struct css_set {
	struct cgroup_subsys_state *subsys[1];
} RELOCATED;

enum cgroup_subsys_id {
	memory_cgrp_id = 4,
};

/* RHEL 8 has what came later than 4.18 in a struct of its own. */
struct task_struct_rh {
	__u64 self_exec_id;
} RELOCATED;

struct thread_info {
	__u64 preempt_count; /* arm64 */
} RELOCATED;

struct task_struct {
	struct thread_info thread_info; /* arm64 */
	unsigned int flags;
	__u64 self_exec_id;
	struct task_struct *group_leader;
	char comm[16];
	void *stack;
	struct css_set *cgroups;
	struct task_struct_rh *task_struct_rh; /* RHEL 8 */
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

/* Pages that reclaim took. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILL_EVICTIONS);
	__type(key, struct fill_eviction);
	__type(value, __u64);
} evictions SEC(".maps");

/* Threads that reclaim now because a cgroup is at its limit. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILL_RECLAIMERS);
	__type(key, __u32);
	__type(value, __u8);
} reclaimers SEC(".maps");

/* Sections of their own become maps of these names. */
struct fill_settings settings SEC(".data.settings") = {};
struct fill_state state SEC(".data.state") = {};
/* What is at a tracepoint reads this first. */
struct fill_switch control SEC(".data.switch") = {};

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

/* Whether the kernel has the helpers, which are of 5.11 and 5.15. */
static __always_inline bool has_task(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id,
					  BPF_FUNC_task_pt_regs);
}

/*
 * Without them, what is known of the task has to be read. Lockdown may refuse
 * the helper for that, so most of what is below comes in two forms, of which
 * @reads is one.
 */
static __always_inline bool knows_task(bool reads)
{
	struct pt_regs *regs = NULL;

	return has_task() || (reads && bpf_core_field_exists(regs->orig_ax));
}

static __always_inline unsigned int flags_of_task(bool reads)
{
	struct task_struct *task;

	if (has_task()) {
		task = (void *)bpf_get_current_task_btf();
		return task->flags;
	}
	task = (void *)bpf_get_current_task();
	return reads ? BPF_CORE_READ(task, flags) : 0;
}

static __always_inline __u64 program_of_task(bool reads)
{
	struct task_struct *task;

	if (has_task()) {
		task = (void *)bpf_get_current_task_btf();
		return task->self_exec_id;
	}
	task = (void *)bpf_get_current_task();
	if (reads && bpf_core_field_exists(task->self_exec_id))
		return BPF_CORE_READ(task, self_exec_id);
	if (reads && bpf_core_field_exists(task->task_struct_rh))
		return BPF_CORE_READ(task, task_struct_rh, self_exec_id);
	return 0;
}

/* Numbers of system calls that are none. */
enum {
	NO_CALL = -1, /* a fault */
	UNKNOWN_CALL = -2,
};

/* Programs of 32 bits have other numbers. */
static __always_inline long x86_call(long number, unsigned long cs)
{
	if (number == -1)
		return NO_CALL;
	return (cs & 0xffff) == X86_USER_CS ? number : UNKNOWN_CALL;
}

/*
 * Where the registers of user space are if the kernel does not tell. That is so
 * up to Linux 5.14 unless KASAN makes stacks larger.
 */
static __always_inline long read_x86_call(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pt_regs *regs = BPF_CORE_READ(task, stack);

	regs = (void *)regs + X86_THREAD_SIZE -
	       bpf_core_type_size(struct pt_regs);
	return x86_call((long)BPF_CORE_READ(regs, orig_ax),
			BPF_CORE_READ(regs, cs));
}

#define S390_IN_CALL 1UL /* PIF_SYSCALL */
#define POWERPC_CALL 0xc00
#define POWERPC_CALL_VECTORED 0x3000
#define RISCV_CALL 8 /* EXC_SYSCALL */

/* What syscall_get_nr() of these processors says. */
static __always_inline long call_of_others(const struct pt_regs *regs)
{
	if (bpf_core_field_exists(regs->int_code))
		return regs->flags & S390_IN_CALL ?
			       (long)regs->int_code & 0xffff :
			       NO_CALL;
	if (bpf_core_field_exists(regs->trap))
		return (regs->trap & ~0xfUL) == POWERPC_CALL ||
				       (regs->trap & ~0xfUL) ==
					       POWERPC_CALL_VECTORED ?
			       (long)regs->gpr[0] :
			       NO_CALL;
	if (bpf_core_field_exists(regs->cause))
		return regs->cause == RISCV_CALL ? (long)regs->a7 : NO_CALL;
	return UNKNOWN_CALL;
}

/* The system call that the task is in, or one of the above. */
static __always_inline long call_of_task(bool reads)
{
	const struct pt_regs *regs;

	if (!has_task())
		return knows_task(reads) ? read_x86_call() : UNKNOWN_CALL;
	regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	if (bpf_core_field_exists(regs->orig_ax))
		return x86_call((long)regs->orig_ax, regs->cs);
	if (bpf_core_field_exists(regs->syscallno))
		return regs->syscallno;
	return call_of_others(regs);
}

static __always_inline enum fill_how how_of_task(bool reads)
{
	unsigned int flags;
	long number;

	if (!knows_task(reads))
		return FILL_OTHER;
	flags = flags_of_task(reads);
	if (flags & PF_KTHREAD)
		return FILL_KERNEL;
	if (flags & PF_IO_WORKER)
		return FILL_OTHER;
	number = call_of_task(reads);
	if (number == NO_CALL)
		return FILL_FAULT;
	if ((unsigned long)number >= FILL_SYSCALLS)
		return FILL_OTHER;
	return settings.how[number];
}

/* Whether the process is in posix_fadvise(), which drops pages. */
static __always_inline bool is_in_fadvise(bool reads)
{
	return knows_task(reads) &&
	       call_of_task(reads) == (long)settings.fadvise;
}

/* A worker of io_uring is a thread of the program, with a name of the kernel's.
 */
static __always_inline void read_command(struct fill_value *value, bool reads)
{
	struct task_struct *task;

	bpf_get_current_comm(value->command, sizeof(value->command));
	if (!knows_task(reads) || !(flags_of_task(reads) & PF_IO_WORKER))
		return;
	if (has_task()) {
		task = (void *)bpf_get_current_task_btf();
		task = task->group_leader;
		for (int i = 0; i < 16; i++)
			value->command[i] =
				((const volatile struct task_struct *)task)
					->comm[i];
	} else if (reads) {
		task = (void *)bpf_get_current_task();
		BPF_CORE_READ_INTO(&value->command, task, group_leader, comm);
	}
}

static __always_inline void remember(struct fill_value *value, bool reads)
{
	read_command(value, reads);
	value->cgroup = bpf_get_current_cgroup_id();
	value->program = program_of_task(reads);
}

static __always_inline struct fill_value *find_or_add(struct fill_key *key,
						      bool reads)
{
	struct fill_value *value = bpf_map_lookup_elem(&fills, key);
	struct fill_value fresh = { 0 };

	if (value)
		return value;
	remember(&fresh, reads);
	fresh.generation = (__u32)bpf_ktime_get_ns();
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
				  __u64 pages, bool reads)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct fill_key key = make_key(device, is_bdev, id >> 32);
	struct fill_value *value = find_or_add(&key, reads);
	__u32 how;

	if (knows_task(reads) && !state.knows_how)
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
		if (is_in_fadvise(reads))
			__sync_fetch_and_add(&value->dropped, pages);
		return;
	}
	how = how_of_task(reads);
	if (how < FILL_HOWS)
		__sync_fetch_and_add(&value->in[how], pages);
	/* The process may have become another program. */
	if (id >> 32 == (__u32)id &&
	    (!knows_task(reads) || value->program != program_of_task(reads)))
		remember(value, reads);
}

/* Returns false if its pages are not to be counted. */
static __always_inline bool find_cache(struct address_space *mapping,
				       __u32 *device, bool *is_bdev)
{
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

static __always_inline struct address_space *mapping_of(struct page *page)
{
	struct folio *folio = (void *)page;

	return bpf_core_field_exists(folio->mapping) ? folio->mapping :
						       page->mapping;
}

static __always_inline void count_page(struct page *page, bool comes_in,
				       bool reads)
{
	__u32 device;
	bool is_bdev;

	if (!control.off && find_cache(mapping_of(page), &device, &is_bdev))
		count(device, is_bdev, comes_in, pages_of(page), reads);
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int add_btf(__u64 *arguments)
{
	count_page((void *)arguments[0], true, true);
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int delete_btf(__u64 *arguments)
{
	count_page((void *)arguments[0], false, true);
	return 0;
}

/* The same two, for kernels without the helpers whose lockdown refuses reads. */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int add_direct(__u64 *arguments)
{
	count_page((void *)arguments[0], true, false);
	return 0;
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int delete_direct(__u64 *arguments)
{
	count_page((void *)arguments[0], false, false);
	return 0;
}

/*
 * posix_fadvise() drops pages by this function, which has another name up to
 * Linux 6.4. Notes that it was asked to, and what may have kept pages. A page
 * that is dirty, being written, mapped or locked stays.
 */
static __always_inline int note_asked(__u64 *arguments)
{
	struct address_space *mapping = (void *)arguments[0];
	struct fill_value *value;
	struct fill_key key;
	__u32 device;
	bool is_bdev;

	if (control.off)
		return 0;
	/*
	 * Others call it without a place for the number of pages that failed,
	 * and so does posix_fadvise() the second time. Up to Linux 5.14 it has
	 * no other caller, and a program may not look at that argument.
	 */
	if (has_task() && (!arguments[3] || !is_in_fadvise(false)))
		return 0;
	if (!find_cache(mapping, &device, &is_bdev))
		return 0;
	key = make_key(device, is_bdev, bpf_get_current_pid_tgid() >> 32);
	value = find_or_add(&key, false);
	if (!value)
		return 0;
	__sync_fetch_and_add(&value->asked, 1);
	if (!mapping->nrpages)
		return 0;
	if (mapping->i_pages.xa_flags & ~XARRAY_FLAGS)
		__sync_fetch_and_add(&value->dirty, 1);
	if (mapping->i_mmap.rb_root.rb_node)
		__sync_fetch_and_add(&value->mapped, 1);
	return 0;
}

SEC("fexit/mapping_try_invalidate")
int drop_btf(__u64 *arguments)
{
	return note_asked(arguments);
}

SEC("fexit/invalidate_mapping_pagevec")
int drop_old(__u64 *arguments)
{
	return note_asked(arguments);
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

	if (control.off)
		return 0;
	if (bpf_core_field_exists(record->order))
		pages = 1ULL << (record->order & 63);
	count(is_bdev ? record->i_ino : record->s_dev, is_bdev, true, pages,
	      false);
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

/*
 * The next four programs need bpf_probe_read_kernel(), unlike the others:
 * lockdown may refuse it.
 */

/* A loop device's pages are a thread's, and charged to who uses the device. */
static __always_inline void note_charged(struct page *page)
{
	struct fill_value *value;
	struct mem_cgroup *memcg;
	struct fill_key key;
	__u32 device;
	bool is_bdev;

	if (control.off || !(flags_of_task(true) & PF_KTHREAD) ||
	    !find_cache(mapping_of(page), &device, &is_bdev))
		return;
	key = make_key(device, is_bdev, bpf_get_current_pid_tgid() >> 32);
	value = bpf_map_lookup_elem(&fills, &key);
	memcg = charged_to(page);
	if (value && memcg)
		value->on_behalf_of = BPF_CORE_READ(memcg, css.cgroup, kn, id);
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int on_behalf(__u64 *arguments)
{
	note_charged((void *)arguments[0]);
	return 0;
}

/* add_btf and the one above: to call a program costs half of what it does. */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int add_charged(__u64 *arguments)
{
	count_page((void *)arguments[0], true, true);
	note_charged((void *)arguments[0]);
	return 0;
}

/* The cgroup of the task, in the hierarchy of the memory controller. */
static __always_inline __u64 memory_cgroup_of_task(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *state = NULL;
	__u64 which =
		bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);

	bpf_probe_read_kernel(
		&state, sizeof(state),
		(void *)set + bpf_core_field_offset(struct css_set, subsys) +
			which * sizeof(state));
	return BPF_CORE_READ(state, cgroup, kn, id);
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int evict(__u64 *arguments)
{
	struct page *page = (void *)arguments[0];
	__u32 thread = bpf_get_current_pid_tgid();
	unsigned int flags = flags_of_task(true);
	struct fill_eviction key = { 0 };
	struct mem_cgroup *memcg;
	__u64 none = 0, *value;

	if (control.off || !(flags & PF_MEMALLOC) ||
	    mapping_of(page)->host->i_sb->s_magic == TMPFS_MAGIC)
		return 0;
	memcg = charged_to(page);
	if (!memcg)
		return 0;
	key.cgroup = BPF_CORE_READ(memcg, css.cgroup, kn, id);
	if (!(flags & PF_KTHREAD))
		key.by = memory_cgroup_of_task();
	if (bpf_map_lookup_elem(&reclaimers, &thread))
		key.need = FILL_NEED_LIMIT;
	value = bpf_map_lookup_elem(&evictions, &key);
	if (!value) {
		bpf_map_update_elem(&evictions, &key, &none, BPF_NOEXIST);
		value = bpf_map_lookup_elem(&evictions, &key);
	}
	if (value)
		__sync_fetch_and_add(value, pages_of(page));
	else
		__sync_fetch_and_add(&state.full_events, 1);
	return 0;
}

/*
 * A cgroup is at its limit, or its memory.reclaim was written. This and its end
 * are noted while the switch is off, too, or the thread would stay in the map.
 */
SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int limit_begin(void *arguments)
{
	__u32 thread = bpf_get_current_pid_tgid();
	__u8 present = 1;

	if (bpf_map_update_elem(&reclaimers, &thread, &present, BPF_ANY) < 0)
		__sync_fetch_and_add(&state.full_reclaimers, 1);
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int limit_end(void *arguments)
{
	__u32 thread = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&reclaimers, &thread);
	return 0;
}

static __always_inline bool is_ours(void)
{
	struct bpf_pidns_info own = {};

	/* Since Linux 5.7, as is every kernel with the tracepoint below. */
	return !bpf_get_ns_current_pid_tgid(settings.pids_device,
					    settings.pids_inode, &own,
					    sizeof(own)) &&
	       own.tgid == settings.process;
}

/*
 * mmap() runs the next two programs in our own process, where preemption is not
 * disabled. Finds out whether the tracepoint disables it.
 */
SEC("tp_btf/vm_unmapped_area")
int probe_preemption(void *arguments)
{
	struct task_struct *task;
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
