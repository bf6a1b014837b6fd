// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "explain/explain_holder.h"
#include "explain/explain_text.h"
#include "lib/wrap.h"
#include "memory/give_back.h"
#include "memory/memory_owners.h"

/* The words of a sentence, as they are written. */
struct saying {
	FILE *out;
	const struct explain_facts *facts;
	const struct explain_holder *holder;
};

void explain_put_process(FILE *out, const struct explain_facts *facts,
			 unsigned int pid)
{
	if (facts->process)
		wrap_put_name(out, facts->process);
	else
		fputs("process", out);
	fprintf(out, "%c(%u", WRAP_HARD_SPACE, pid);
	if (facts->service) {
		fprintf(out, ",%c", WRAP_HARD_SPACE);
		wrap_put_name(out, facts->service);
	}
	putc(')', out);
}

static void put_process(const struct saying *to, unsigned int pid)
{
	explain_put_process(to->out, to->facts, pid);
}

static void put_own_name(const struct saying *to)
{
	const struct memory_owner *owner = to->holder->owner;
	char name[4096];

	snprintf(name, sizeof(name), "%.*s",
		 owner->own_length ? (int)owner->own_length : -1, owner->name);
	wrap_put_name(to->out, name);
}

static const char *label_of(enum memory_head_id head)
{
	return head == MEMORY_HEADS ? "unaccounted" :
				      memory_head_info(head)->label;
}

/* "forker (605) has 60M of page tables" */
static void put_of_process(const struct saying *to)
{
	const struct explain_holder *holder = to->holder;

	put_process(to, holder->owner->pid);
	fprintf(to->out, " has %s of %s", SIZE(holder->bytes),
		label_of(holder->head));
}

/* "logger (605) holds 150M in /mnt/log, a deleted file on tmpfs" */
static void put_nameless(const struct saying *to, const char *before,
			 const char *after)
{
	/* Of a capture, the name has the process. */
	if (to->holder->owner->own_length)
		put_process(to, to->holder->owner->pid);
	else
		fputs("A process", to->out);
	fprintf(to->out, " holds %s in %s", SIZE(to->holder->bytes), before);
	put_own_name(to);
	fputs(after, to->out);
}

/* Says nothing of users if somebody may be missing. */
static void put_users(const struct saying *to)
{
	if (to->facts->user_pid) {
		fputs(", and ", to->out);
		put_process(to, to->facts->user_pid);
		fputs(" has it open or mapped", to->out);
	} else if (to->facts->has_users) {
		fputs(", and no process has it open", to->out);
	}
}

static void put_tmpfs_file(const struct saying *to)
{
	put_own_name(to);
	fprintf(to->out, " has %s on tmpfs", SIZE(to->holder->bytes));
	put_users(to);
}

static void put_slab(const struct saying *to)
{
	const struct explain_facts *facts = to->facts;
	const struct memory_owner *owner = to->holder->owner;

	if (strcmp(owner->name, TMPFS_INODES) != 0) {
		fputs("The slab cache ", to->out);
		wrap_put_name(to->out, owner->name);
		fprintf(to->out, " has %s", SIZE(owner->bytes));
		return;
	}
	fprintf(to->out, "Inodes of files on tmpfs have %s of slab",
		SIZE(owner->bytes));
	if (!facts->inodes_at)
		return;
	fprintf(to->out, ", and most are below ");
	wrap_put_name(to->out, facts->inodes_at);
	fprintf(to->out, ", which has %llu: deleting files there gives it back",
		(unsigned long long)facts->inodes);
}

/* Whose a call is can be told of BPF: it alone has such functions. */
static void put_caller(const struct saying *to)
{
	const struct explain_facts *facts = to->facts;
	const struct memory_owner *owner = to->holder->owner;
	int64_t bpf = facts->memory.vmalloc[MEMORY_VMALLOC_BPF] *
		      (int64_t)facts->memory.page_size;

	if (facts->memory.has_vmalloc && bpf >= owner->bytes) {
		fprintf(to->out, "BPF maps and programs have %s of vmalloc",
			SIZE(bpf));
		return;
	}
	fputs("The kernel's function ", to->out);
	wrap_put_name(to->out, owner->name);
	fprintf(to->out, " has %s of vmalloc", SIZE(owner->bytes));
}

static void put_owner(const struct saying *to)
{
	const struct explain_holder *holder = to->holder;

	switch (memory_owner_info(holder->list)->kind) {
	case MEMORY_OWNER_PROCESS:
		put_of_process(to);
		break;
	case MEMORY_OWNER_SOCKET:
		put_process(to, holder->owner->pid);
		fprintf(to->out, " has %s in the queues of its sockets",
			SIZE(holder->bytes));
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
		put_tmpfs_file(to);
		break;
	case MEMORY_OWNER_SLAB:
		put_slab(to);
		break;
	case MEMORY_OWNER_CALLER:
		put_caller(to);
		break;
	case MEMORY_OWNER_TMPFS:
		fputs("The tmpfs at ", to->out);
		put_own_name(to);
		fprintf(to->out, " has %s in its files", SIZE(holder->bytes));
		break;
	default:
		put_own_name(to);
		fprintf(to->out, " has %s of %s", SIZE(holder->bytes),
			label_of(holder->head));
	}
}

/* "/web has 98 % of its memory.max of 512M, and java (2211) 380M of that" */
static void put_limited(const struct saying *to)
{
	const struct explain_holder *holder = to->holder;
	const struct cgroup_sample *sample = &to->facts->cgroups;
	const struct limit next = { LIMIT_CGROUP, holder->limited_index };
	const struct cgroup_limit *limit =
		&sample->limits.cgroups[holder->limited_index];

	limits_put_cgroup(to->out, holder->limited);
	fprintf(to->out, " has %s of its %s of %s",
		SIZE((int64_t)limit->used_bytes),
		limit_name(&sample->limits, &sample->cgroups, next),
		SIZE((int64_t)limit->limit_bytes));
	if (holder->state == EXPLAIN_FINE) {
		fprintf(to->out,
			", and %s of that is reclaimed when it is needed",
			SIZE((int64_t)limit->reclaimable_bytes));
		return;
	}
	if (holder->has_head)
		fprintf(to->out, ", and %s of that is %s",
			SIZE(holder->head_bytes), label_of(holder->head));
	if (holder->has_head && holder->owner) {
		fputs("; ", to->out);
		put_process(to, holder->owner->pid);
		fprintf(to->out, " has %s", SIZE(holder->bytes));
	}
	if (!limit->has_own_reclaimable)
		fputs("; how much of it can be reclaimed is not known",
		      to->out);
}

static void put_device(const struct saying *to)
{
	const struct explain_holder *holder = to->holder;
	const struct explain_device *device = holder->device;

	fprintf(to->out, "Buffers are %s, and ", SIZE(holder->head_bytes));
	if (device->names.name)
		wrap_put_name(to->out, device->names.name);
	else
		fprintf(to->out, "%u:%u", device->sample->major,
			device->sample->minor);
	fprintf(to->out, " has %s of that", SIZE(holder->bytes));
	if (device->opener_count) {
		fputs(", which ", to->out);
		put_process(to, device->openers->pid);
		fputs(" has open", to->out);
	} else if (device->names.fstype && device->names.mountpoints.count) {
		fprintf(to->out, " (%s at ", device->names.fstype);
		wrap_put_name(to->out, *device->names.mountpoints.strings);
		putc(')', to->out);
	}
	fputs(": the kernel takes clean pages when programs need memory",
	      to->out);
}

static void put_deleted_file(const struct saying *to)
{
	const struct cached_file *file = to->holder->file;

	wrap_put_name(to->out, file->path);
	fprintf(to->out, ", a deleted file on %s", file->type);
	if (file->place) {
		fputs(" at ", to->out);
		wrap_put_name(to->out, file->place);
	}
	fprintf(to->out, ", has %s of the file cache", SIZE(to->holder->bytes));
	put_users(to);
}

/* "200 huge pages of 2M are in no use" */
static void put_idle_pools(const struct saying *to)
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
		fprintf(to->out, "%lld huge pages of %s are not used",
			(long long)pages, SIZE(size_kib * 1024));
	else
		fputs("Huge pages are not used", to->out);
	fprintf(to->out, ": %s that no program can have", SIZE(bytes));
}

/* Of huge pages: whether each process was asked, and none maps any. */
static bool no_process_has(const struct saying *to)
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
static void put_head(const struct saying *to)
{
	const struct explain_holder *holder = to->holder;

	if (holder->cgroup) {
		limits_put_cgroup(to->out, holder->cgroup);
		fprintf(to->out, " has %s of %s", SIZE(holder->bytes),
			label_of(holder->head));
		return;
	}
	fprintf(to->out, "%s of %s is %s", SIZE(holder->head_bytes),
		SIZE(explain_bytes(to->facts, to->facts->heads.total)),
		label_of(holder->head));
	if (holder->head == MEMORY_HEADS)
		fputs(": no count of the kernel has it", to->out);
	else if (no_process_has(to))
		fputs(", and no process has any of it", to->out);
	else if (explain_holder_is_hidden(holder, to->facts))
		fputs(", and only root can see whose", to->out);
}

/* "61M of 965M are available, and 200M more can be given back (ZFS)" */
static void put_available(const struct saying *to)
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

	fprintf(to->out, "%s of %s are available",
		SIZE(holder->available_bytes), SIZE(holder->total_bytes));
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		pages += more[i].pages > 0 ? more[i].pages : 0;
	/* Less than 1 % is not worth a word. */
	if (!to->facts->has_memory || heads->contradiction ||
	    pages <= heads->total / 100)
		return;
	fprintf(to->out, ", and %s more can be given back",
		SIZE(explain_bytes(to->facts, pages)));
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		if (more[i].pages <= 0)
			continue;
		fprintf(to->out, "%s%s", before, more[i].what);
		before = ", ";
	}
	putc(')', to->out);
}

static void put_subject(const struct saying *to)
{
	const struct explain_holder *holder = to->holder;

	if (holder->limited)
		put_limited(to);
	else if (holder->is_reserve)
		explain_put_reserve(to->out, to->facts);
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
	fputs(". ", to->out);
}

void explain_write_brief(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	struct explain_holder holder;
	const struct saying to = { writer->out, facts, &holder };

	explain_holder_init(&holder, facts);
	if (holder.state < EXPLAIN_LARGE ||
	    (!holder.has_head && !holder.is_reserve && !holder.limited))
		return;
	put_subject(&to);
	if (holder.state == EXPLAIN_NEAR) {
		put_available(&to);
		fputs(". ", writer->out);
	}
	/*
	 * It takes longer, and counts slab. That it names somebody is no
	 * promise: perhaps no process has it.
	 */
	if (!holder.owner && (facts->owners.is_cut_short ||
			      holder.head == MEMORY_HEAD_SLAB_UNRECLAIMABLE))
		fputs("bufstat explain looks further.", writer->out);
	putc('\n', writer->out);
}

void explain_write_holder(const struct explain_writer *writer,
			  const struct explain_holder *holder)
{
	const struct limits *limits = &writer->facts->cgroups.limits;
	const struct saying to = { writer->out, writer->facts, holder };

	if (writer->facts->is_dump ||
	    (holder->state == EXPLAIN_UNKNOWN &&
	     !(holder->has_available && writer->facts->heads.contradiction)))
		return;
	if (holder->has_head || holder->limited || holder->is_reserve)
		put_subject(&to);
	/* A low zone is said below. */
	if (holder->state == EXPLAIN_FINE && !limits->low_zone)
		fputs("Nothing is wrong: ", writer->out);
	if (holder->has_available)
		put_available(&to);
	if (holder->state == EXPLAIN_FINE && !holder->limited &&
	    limits->next.kind != LIMIT_NONE && !limits->low_zone &&
	    cgroups_are_whole(&writer->facts->cgroups.cgroups))
		fputs(", and no limit is near", writer->out);
	if (holder->has_available)
		fputs(".", writer->out);
	putc('\n', writer->out);
}
