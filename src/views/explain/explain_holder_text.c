// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/moment.h"
#include "explain/explain_holder.h"
#include "explain/explain_text.h"
#include "lib/wrap.h"
#include "memory/give_back.h"
#include "memory/memory_owners.h"

const char *explain_process(struct sentence *out,
			    const struct explain_facts *facts, unsigned int pid)
{
	const char *service = facts->service ?
				      piece(out, ",%c%s", WRAP_HARD_SPACE,
					    safe_name(out, facts->service)) :
				      "";

	return piece(out, "%s%c(%u%s)",
		     facts->process ? safe_name(out, facts->process) :
				      "process",
		     WRAP_HARD_SPACE, pid, service);
}

static const char *process_of(const struct explain_writer *to)
{
	return explain_process(to->out, to->facts, to->holder->owner->pid);
}

static const char *own_name(const struct explain_writer *to)
{
	const struct memory_owner *owner = to->holder->owner;
	char name[4096];

	snprintf(name, sizeof(name), "%.*s",
		 owner->own_length ? (int)owner->own_length : -1, owner->name);
	return safe_name(to->out, name);
}

static const char *label_of(enum memory_head_id head)
{
	return head == MEMORY_HEADS ? "unaccounted" :
				      memory_head_info(head)->label;
}

/* "logger (605) holds 150M in /mnt/log, a deleted file on tmpfs" */
static void put_nameless(const struct explain_writer *to, const char *before,
			 const char *after)
{
	/* Of a capture, the name has the process. */
	say(to->out, "%s holds %s in %s%s%s",
	    to->holder->owner->own_length ? process_of(to) : "A process",
	    SIZE(to->holder->bytes), before, own_name(to), after);
}

/* Says nothing of users if somebody may be missing. */
static void put_users(const struct explain_writer *to)
{
	if (to->facts->user_pid)
		say(to->out, ", and %s has it open or mapped",
		    explain_process(to->out, to->facts, to->facts->user_pid));
	else if (to->facts->has_users)
		say(to->out, ", and no process has it open");
}

static void put_slab(const struct explain_writer *to)
{
	const struct explain_facts *facts = to->facts;
	const struct memory_owner *owner = to->holder->owner;

	if (strcmp(owner->name, TMPFS_INODES) != 0) {
		say(to->out, "The slab cache %s has %s",
		    safe_name(to->out, owner->name), SIZE(owner->bytes));
		return;
	}
	say(to->out, "Inodes of files on tmpfs have %s of slab",
	    SIZE(owner->bytes));
	if (facts->inodes_at)
		say(to->out,
		    ", and most are below %s, which has %llu: deleting files "
		    "there gives it back",
		    safe_name(to->out, facts->inodes_at),
		    (unsigned long long)facts->inodes);
}

/* Whose a call is can be told of BPF: it alone has such functions. */
static void put_caller(const struct explain_writer *to)
{
	const struct explain_facts *facts = to->facts;
	const struct memory_owner *owner = to->holder->owner;
	int64_t bpf = facts->memory.vmalloc[MEMORY_VMALLOC_BPF] *
		      (int64_t)facts->memory.page_size;

	if (facts->memory.has_vmalloc && bpf >= owner->bytes)
		say(to->out, "BPF maps and programs have %s of vmalloc",
		    SIZE(bpf));
	else
		say(to->out, "The kernel's function %s has %s of vmalloc",
		    safe_name(to->out, owner->name), SIZE(owner->bytes));
}

static const char *saves_little(const struct explain_facts *facts)
{
	return explain_zram_saves_little(&facts->memory) ?
		       ", which saves little" :
		       "";
}

/* A process's figure is of what it had before that was compressed. */
static void put_swapped(const struct explain_writer *to)
{
	const struct explain_facts *facts = to->facts;
	const struct memory_fields *fields = &facts->memory.fields;

	say(to->out,
	    "zram keeps %s of data in %s of memory%s; %s has %s swapped out",
	    SIZE(explain_bytes(facts, memory_get(fields, MEMORY_ZRAM_STORED))),
	    SIZE(explain_bytes(facts, memory_get(fields, MEMORY_ZRAM))),
	    saves_little(facts), process_of(to), SIZE(to->holder->bytes));
}

/* Whether that follows from how few pages of all programs are others. */
static bool is_in_huge_pages(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;
	const struct memory_fields *fields = &to->facts->memory.fields;
	const struct memory_head *programs =
		&to->facts->heads.heads[MEMORY_HEAD_PROGRAMS];

	return holder->head == MEMORY_HEAD_PROGRAMS && programs->known &&
	       memory_has(fields, MEMORY_ANON_HUGE) &&
	       explain_bytes(to->facts, programs->pages) -
			       explain_bytes(to->facts,
					     memory_get(fields,
							MEMORY_ANON_HUGE)) <
		       holder->bytes / 2;
}

static void put_owner(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;
	const enum memory_owner_kind kind =
		memory_owner_info(holder->list)->kind;
	const char *has = memory_owner_info(holder->list)->of->has;
	const char *size = SIZE(holder->bytes);

	if (has) {
		say(to->out, "%s has %s %s", process_of(to), size, has);
		return;
	}
	switch (kind) {
	case MEMORY_OWNER_PROCESS:
		if (holder->head == MEMORY_HEAD_COMPRESSED)
			put_swapped(to);
		else
			say(to->out, "%s has %s of %s%s", process_of(to), size,
			    label_of(holder->head),
			    is_in_huge_pages(to) ?
				    ", most of it in transparent huge pages" :
				    "");
		break;
	case MEMORY_OWNER_ZRAM:
		say(to->out, "%s has %s of %s%s", own_name(to), size,
		    label_of(holder->head), saves_little(to->facts));
		break;
	case MEMORY_OWNER_PIN:
		say(to->out, "The BPF map that is pinned at %s has %s",
		    own_name(to), size);
		break;
	case MEMORY_OWNER_OTHER_BPF:
		say(to->out, "The BPF map %s has %s", own_name(to), size);
		break;
	case MEMORY_OWNER_PAGE_POOL:
		say(to->out, "The page pools of %s have %s", own_name(to),
		    size);
		break;
	case MEMORY_OWNER_XFS:
		say(to->out,
		    "XFS on %s has %s of metadata: the kernel takes it when "
		    "programs need memory",
		    own_name(to), size);
		break;
	case MEMORY_OWNER_GRAPHICS_POOL:
		say(to->out,
		    "The pool of the graphics drivers has %s, free for their "
		    "next objects",
		    size);
		break;
	case MEMORY_OWNER_MEMFD:
		put_nameless(to, "the memfd ", "");
		break;
	case MEMORY_OWNER_BPF:
		put_nameless(to, "the BPF map ", "");
		break;
	case MEMORY_OWNER_DELETED:
		put_nameless(to, "", ", a deleted file on tmpfs");
		break;
	case MEMORY_OWNER_FILE:
		say(to->out, "%s has %s on tmpfs", own_name(to), size);
		put_users(to);
		break;
	case MEMORY_OWNER_SLAB:
		put_slab(to);
		break;
	case MEMORY_OWNER_CALLER:
		put_caller(to);
		break;
	case MEMORY_OWNER_TMPFS:
		say(to->out, "The tmpfs at %s has %s in its files",
		    own_name(to), size);
		break;
	default:
		say(to->out, "%s has %s of %s", own_name(to), size,
		    label_of(holder->head));
	}
}

/* "/web has 98 % of its memory.max of 512M, and java (2211) 380M of that" */
static void put_limited(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;
	const struct cgroup_sample *sample = &to->facts->cgroups;
	const struct limit next = { LIMIT_CGROUP, holder->limited_index };
	const struct cgroup_limit *limit =
		&sample->limits.cgroups[holder->limited_index];

	say(to->out, "%s has %s of its %s of %s",
	    limit_cgroup_name(to->out, holder->limited),
	    SIZE((int64_t)limit->used_bytes),
	    limit_name(&sample->limits, &sample->cgroups, next),
	    SIZE((int64_t)limit->limit_bytes));
	if (holder->state == EXPLAIN_FINE) {
		say(to->out, ", and %s of that is reclaimed when it is needed",
		    SIZE((int64_t)limit->reclaimable_bytes));
		return;
	}
	if (holder->has_head)
		say(to->out, ", and %s of that is %s", SIZE(holder->head_bytes),
		    label_of(holder->head));
	if (holder->has_head && holder->owner) {
		say(to->out, "; ");
		if (memory_owner_info(holder->list)->kind ==
		    MEMORY_OWNER_PROCESS)
			say(to->out, "%s has %s", process_of(to),
			    SIZE(holder->bytes));
		else
			put_owner(to);
	}
	if (!limit->has_own_reclaimable)
		say(to->out, "; how much of it can be reclaimed is not known");
}

static void put_device(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;
	const struct explain_device *device = holder->device;

	say(to->out, "Buffers are %s, and %s has %s of that",
	    SIZE(holder->head_bytes), explain_device_name(to->out, device),
	    SIZE(holder->bytes));
	if (device->opener_count)
		say(to->out, ", which %s has open",
		    explain_process(to->out, to->facts, device->openers->pid));
	else if (device->of.names.fstype && device->of.names.mountpoints.count)
		say(to->out, " (%s at %s)", device->of.names.fstype,
		    safe_name(to->out, *device->of.names.mountpoints.strings));
	say(to->out, ": the kernel takes clean pages when programs need "
		     "memory");
}

static void put_deleted_file(const struct explain_writer *to)
{
	const struct cached_file *file = to->holder->file;

	say(to->out, "%s, a deleted file on %s%s%s, has %s of the file cache",
	    safe_name(to->out, file->path), file->type,
	    file->place ? " at " : "",
	    file->place ? safe_name(to->out, file->place) : "",
	    SIZE(to->holder->bytes));
	put_users(to);
}

/* "200 huge pages of 2M are in no use" */
static void put_idle_pools(const struct explain_writer *to)
{
	const struct memory_reading *memory = &to->facts->memory;
	int64_t bytes = explain_bytes(
		to->facts,
		to->facts->heads.heads[MEMORY_HEAD_HUGE_PAGES].reclaimable);
	int64_t pages = 0, size_kib = 0;

	for (size_t i = 0; i < memory->pool_count; i++) {
		const struct memory_pool *pool = &memory->pools[i];

		if (pool->free - pool->reserved <= 0)
			continue;
		/* Of several sizes, only the sum is said. */
		size_kib = pages ? 0 : (int64_t)pool->size_kib;
		pages += pool->free - pool->reserved;
	}
	if (size_kib)
		say(to->out, "%lld huge pages of %s", (long long)pages,
		    SIZE(size_kib * 1024));
	else
		say(to->out, "Huge pages");
	say(to->out, " are not used: %s that no program can have", SIZE(bytes));
}

static void put_names(const struct explain_writer *to)
{
	say(to->out,
	    "Names that do not exist have about %s of slab, %lld of them: "
	    "the kernel takes that when programs need memory",
	    SIZE(to->holder->bytes),
	    (long long)memory_get(&to->facts->memory.fields,
				  MEMORY_DENTRY_NEGATIVE));
}

/* Who has most of it may need none of it back. */
static void put_swap(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;

	say(to->out, "Swap is full: %s of %s are used",
	    SIZE(holder->head_bytes),
	    SIZE(to->columns.bytes[FREE_COLUMN_SWAP_TOTAL]));
	if (holder->owner)
		say(to->out, ", and %s has %s of that", process_of(to),
		    SIZE(holder->bytes));
}

/* Of huge pages: whether each process was asked, and none maps any. */
static bool no_process_has(const struct explain_writer *to)
{
	const struct memory_owners *owners = &to->facts->owners;

	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);
		const struct memory_owner_list *list = &owners->lists[i];

		if (info->head == MEMORY_HEAD_HUGE_PAGES &&
		    info->head == to->holder->head &&
		    info->kind == MEMORY_OWNER_PROCESS)
			return to->facts->sees_processes && list->asked &&
			       !list->count && !list->unread &&
			       !list->uncounted && !*list->why &&
			       !owners->is_cut_short;
	}
	return false;
}

/* Where nobody is known to have it. */
static void put_head(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;

	if (holder->cgroup) {
		say(to->out, "%s has %s of %s",
		    limit_cgroup_name(to->out, holder->cgroup),
		    SIZE(holder->bytes), label_of(holder->head));
		return;
	}
	say(to->out, "%s of %s is %s", SIZE(holder->head_bytes),
	    SIZE(explain_bytes(to->facts, to->facts->heads.total)),
	    label_of(holder->head));
	if (holder->head == MEMORY_HEADS)
		say(to->out, ": no count of the kernel has it");
	else if (no_process_has(to))
		say(to->out, ", and no process has any of it");
	switch (explain_holder_hidden(holder, to->facts)) {
	case EXPLAIN_HIDDEN_TO_USER:
		say(to->out, ", and only root can see whose");
		break;
	case EXPLAIN_HIDDEN_OUTSIDE:
		say(to->out, ", and a process outside this container may "
			     "have it");
		break;
	case EXPLAIN_HIDDEN_NOT:
		break;
	}
}

/* "61M of 965M are available, and 200M more can be given back (ZFS)" */
static void put_available(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;
	const struct memory_reading *memory = &to->facts->memory;
	const struct memory_heads *heads = &to->facts->heads;
	const struct {
		const char *what;
		int64_t pages;
	} more[] = {
		{ "ZFS's cache", give_back_of_zfs(memory) },
		{ "pools of GPU drivers", give_back_of_gpu(heads, memory) },
		{ "idle huge pages",
		  heads->heads[MEMORY_HEAD_HUGE_PAGES].reclaimable },
	};
	int64_t pages = 0;
	const char *before = " (";

	say(to->out, "%s of %s are available", SIZE(holder->available_bytes),
	    SIZE(holder->total_bytes));
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		pages += more[i].pages > 0 ? more[i].pages : 0;
	/* Less than 1 % is not worth a word. */
	if (!to->facts->has_memory || heads->contradiction ||
	    pages <= heads->total / 100)
		return;
	say(to->out, ", and %s more can be given back",
	    SIZE(explain_bytes(to->facts, pages)));
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		if (more[i].pages <= 0)
			continue;
		say(to->out, "%s%s", before, more[i].what);
		before = ", ";
	}
	say(to->out, ")");
}

/* Of the last day; "02:07:55" if it ended on the day on which it began. */
static void put_rise(const struct explain_writer *to)
{
	const struct growth_row *row = &to->facts->rise.row;
	const char *until = row->until;

	if (!to->facts->rise.name)
		return;
	if (strncmp(until, row->since, sizeof("2026-11-22")) == 0)
		until += sizeof("2026-11-22");
	say(to->out, "%s grew by %s from %s to %s",
	    safe_name(to->out, to->facts->rise.name), SIZE(row->rise_bytes),
	    row->since, until);
	if (*row->who)
		say(to->out, ", filled by %s", safe_name(to->out, row->who));
	say(to->out, " (bufstat history). ");
}

static void put_median(const struct explain_writer *to,
		       enum memory_head_id head)
{
	const struct growth_median *median = &to->facts->medians[head];
	char since[MOMENT_TEXT_SIZE];

	moment_text(median->since_ms, since);
	say(to->out, "the recorded median since %.16s is %s", since,
	    SIZE(median->bytes));
}

/* What is said of a head that is large, and as large as ever. */
static void put_usual(const struct explain_writer *to, enum memory_head_id head)
{
	const char *size = SIZE(explain_usual_bytes(to->facts, head));

	if (head == MEMORY_HEAD_BLOCK_CACHE)
		say(to->out, " As usual, %s has %s of Buffers: ",
		    explain_device_name(to->out, to->facts->devices), size);
	else
		say(to->out, " As usual, %s is %s: ", size, label_of(head));
	put_median(to, head);
	say(to->out, ".");
}

static void put_subject(const struct explain_writer *to)
{
	const struct explain_holder *holder = to->holder;

	if (holder->limited)
		put_limited(to);
	else if (holder->is_reserve)
		explain_put_reserve(to->out, to->facts);
	else if (holder->has_names)
		put_names(to);
	else if (holder->has_swap)
		put_swap(to);
	else if (holder->device)
		put_device(to);
	else if (holder->file)
		put_deleted_file(to);
	else if (holder->owner)
		put_owner(to);
	else if (holder->has_idle_pages)
		put_idle_pools(to);
	else
		put_head(to);
	say(to->out, ". ");
}

void explain_write_brief(const struct explain_writer *writer)
{
	const struct explain_holder *holder = writer->holder;

	if (holder->state < EXPLAIN_LARGE ||
	    (!holder->has_head && !holder->is_reserve && !holder->limited))
		return;
	put_subject(writer);
	if (holder->state == EXPLAIN_NEAR) {
		put_available(writer);
		say(writer->out, ". ");
	}
	/*
	 * It takes longer, and counts slab. That it names somebody is no
	 * promise: perhaps no process has it.
	 */
	if (!holder->owner && (writer->facts->owners.is_cut_short ||
			       holder->head == MEMORY_HEAD_SLAB_UNRECLAIMABLE))
		say(writer->out, "bufstat explain looks further.");
	say(writer->out, "\n");
}

/* Whose they are is not looked for. */
static void put_also(const struct explain_writer *to)
{
	const char *before = "Large, too: ";

	for (enum memory_head_id id = 0; id <= MEMORY_HEADS; id++) {
		if (!(to->holder->also >> id & 1))
			continue;
		say(to->out, "%s%s %s%s", before,
		    SIZE(explain_head_bytes(to->facts, id)),
		    id == MEMORY_HEADS ? "" : "of ", label_of(id));
		before = "; ";
	}
	if (to->holder->also)
		say(to->out, " (bufstat memory --owners all names whose). ");
}

void explain_write_holder(const struct explain_writer *writer)
{
	const struct explain_holder *holder = writer->holder;
	const struct explain_facts *facts = writer->facts;
	const struct limits *limits = &facts->cgroups.limits;

	if (facts->is_dump ||
	    (holder->state == EXPLAIN_UNKNOWN &&
	     !(holder->has_available && facts->heads.contradiction)))
		return;
	if (holder->has_head || holder->limited || holder->is_reserve)
		put_subject(writer);
	put_rise(writer);
	/* When it rose says more. */
	if (holder->has_head && facts->medians[holder->head].is_known &&
	    !facts->rise.name) {
		say(writer->out, "That is unusual: ");
		put_median(writer, holder->head);
		say(writer->out, ". ");
	}
	put_also(writer);
	/* A low zone is said below. */
	if (holder->state == EXPLAIN_FINE && !limits->low_zone &&
	    !holder->has_swap)
		say(writer->out, "Nothing is wrong: ");
	if (holder->has_available)
		put_available(writer);
	if (holder->state == EXPLAIN_FINE && !holder->limited &&
	    limits->next.kind != LIMIT_NONE && !limits->low_zone &&
	    cgroups_are_whole(&facts->cgroups.cgroups))
		say(writer->out, ", and no limit is near");
	say(writer->out, holder->has_available ? "." : "");
	for (enum memory_head_id id = 0; id <= MEMORY_HEADS; id++) {
		if (explain_is_usual(facts, id))
			put_usual(writer, id);
	}
	say(writer->out, "\n");
}
