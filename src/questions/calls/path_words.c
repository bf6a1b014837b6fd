// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/function_roles.h"
#include "calls/path_names.h"
#include "calls/path_tree.h"
#include "calls/path_words.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "lib/string_list.h"

#define MOST_SENTENCES 4

/* ---- words --------------------------------------------------------------- */

const char *path_entry_name(const struct path_tree *tree,
			    const struct path_entry *entry)
{
	const char *name = path_function_name(tree, entry->function);
	const char *syscall = function_syscall(name);

	return syscall ? syscall : name;
}

static const char *const texts[] = {
#define REASON(id, text) text,
	PATH_REASONS_LIST(REASON)
#undef REASON
};

const char *path_reason_text(enum path_reason reason)
{
	return texts[reason];
}

enum path_reason path_way(const struct path_entry *entry)
{
	const bool is_cached = entry->roles & ROLE_CACHE;

	if (!(entry->roles & ROLE_DIRECT))
		return is_cached ? PATH_CACHED : PATH_NO_REASON;
	if (!is_cached)
		return PATH_PAST;
	return entry->roles & ROLE_FALL_BACK ? PATH_FELL_BACK : PATH_MIXED;
}

/* What calls of an entry point are called. */
struct verb {
	const char *name; /* of the system call, or its beginning with a * */
	const char *one, *many;
	const char *of;
	bool is_named; /* by the entry point */
};

static const struct verb verbs[] = {
	{ "read", "read", "reads", "of", false },
	{ "pread*", "read", "reads", "of", false },
	{ "readv", "read", "reads", "of", false },
	{ "write*", "write", "writes", "to", false },
	{ "pwrite*", "write", "writes", "to", false },
	{ "send*", "send", "sends", "to", false },
	{ "recv*", "receive", "receives", "from", false },
	{ "handle_mm_fault", "page fault", "page faults", "in", false },
};

static struct verb find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		const size_t length = strlen(verbs[i].name);
		const bool is_start = verbs[i].name[length - 1] == '*';

		/* sendfile() sends nothing to a file. */
		if (strncmp(name, "sendfile", 8) == 0)
			break;
		if (is_start ? strncmp(name, verbs[i].name, length - 1) == 0 :
			       strcmp(name, verbs[i].name) == 0)
			return verbs[i];
	}
	return (struct verb){ name, "call", "calls", "on", true };
}

static void put_target(struct sentence *out, const struct path_entry *entry,
		       const struct path_names *names, const char *of)
{
	char text[PATH_NAME];
	const char *name = path_names_find(names, &entry->target, text);

	if (entry->roles & ROLE_SOCKET)
		say(out, " %s sockets", of);
	else if (!name)
		say(out, " %s %s", of,
		    entry->roles & ROLE_DEVICE ? "a block device" : "files");
	else
		say(out, " %s %s%s", of,
		    path_names_is_guess(names, &entry->target) ? "what is on " :
		    entry->roles & ROLE_FILE && entry->target.by_io ?
								 "files on " :
		    entry->target.is_bdev ? "" :
		    entry->has_many	  ? "files on " :
					    "a file on ",
		    safe_text(out, name));
}

enum path_reason path_outcome(const struct path_tree *tree,
			      const struct path_entry *entry)
{
	const struct verb verb = find_verb(path_entry_name(tree, entry));

	if (entry->work.pages_added)
		return PATH_GREW;
	return entry->roles & ROLE_CACHE && !(entry->roles & ROLE_SPARSE) &&
			       entry->moved && !entry->failed.count &&
			       strcmp(verb.of, "to") != 0 ?
		       PATH_WAS_THERE :
		       PATH_GREW_NOT;
}

enum path_reason path_end(const struct path_entry *entry)
{
	if (!entry->failed.count)
		return entry->roles & ROLE_SYNC ? PATH_SYNCED : PATH_NO_REASON;
	return entry->failed.has_others ? PATH_FAILED_VARIOUSLY : PATH_FAILED;
}

static void put_outcome(struct sentence *out, const struct path_tree *tree,
			const struct path_entry *entry)
{
	const uint64_t pages = entry->work.pages_added;
	const enum path_reason end = path_end(entry);

	if (pages)
		say(out, ": %s page%s", COUNT(pages), plural(pages));
	/* What goes through a socket is not expected in the page cache. */
	if (pages || !(entry->roles & ROLE_SOCKET))
		say(out, "%s%s", pages ? "" : ": ",
		    texts[path_outcome(tree, entry)]);
	if (entry->failed.count)
		say(out, "; %s", COUNT(entry->failed.count));
	say(out, "%s", texts[end]);
	if (end == PATH_FAILED)
		say(out, " (%s)", strerror(entry->failed.error));
}

char *path_sentence(const struct path_tree *tree,
		    const struct path_entry *entry,
		    const struct path_names *names)
{
	const char *name = path_entry_name(tree, entry);
	const struct verb verb = find_verb(name);
	struct sentence out;
	char *text;

	sentence_begin(&out);
	say(&out, "%s %s%s%s", COUNT(entry->calls),
	    entry->calls == 1 ? verb.one : verb.many,
	    verb.is_named ? " of " : "", verb.is_named ? name : "");
	put_target(&out, entry, names, verb.of);
	say(&out, "%s", texts[path_way(entry)]);
	put_outcome(&out, tree, entry);
	sentence_end(&out, &text);
	return text;
}

bool path_deserves_sentence(const struct path_tree *tree,
			    const struct path_entry *entry)
{
	const enum path_rank rank = path_entry_rank(tree, entry);
	uint64_t most = 0;

	/* What a program's beginning brings in hides none of its calls. */
	for (size_t i = 0; i < tree->entry_count; i++) {
		const struct path_entry *other = &tree->entries[i];

		if (path_entry_rank(tree, other) <= rank &&
		    path_entry_bytes(other) > most)
			most = path_entry_bytes(other);
	}
	if (rank == PATH_LOADS && entry != tree->entries &&
	    !path_entry_bytes(entry))
		return false;
	return path_entry_moves(entry) &&
	       (path_entry_bytes(entry) >= most / 10 || entry->failed.count ||
		entry->roles & (ROLE_DIRECT | ROLE_SYNC));
}

/* What it means for a packet, or for a call, that a function was called. */
static const struct {
	const char *function, *one, *many;
} packets[] = {
	{ "udp_sendmsg", "send", "sends" },
	{ "tcp_sendmsg", "send", "sends" },
	{ "udp_recvmsg", "receive", "receives" },
	{ "tcp_recvmsg", "receive", "receives" },
	{ "ip_rcv", "packet came in", "packets came in" },
	{ "ipv6_rcv", "packet came in", "packets came in" },
	{ "ip_forward", "packet forwarded", "packets forwarded" },
	{ "ip6_forward", "packet forwarded", "packets forwarded" },
	{ "ip_local_deliver", "packet for this host", "packets for this host" },
	{ "nf_flow_offload_ip_hook", "packet shown to a flow table",
	  "packets shown to a flow table" },
	{ "nf_conntrack_in", "packet seen by conntrack",
	  "packets seen by conntrack" },
	{ "esp_input", "packet decrypted by ESP", "packets decrypted by ESP" },
	{ "esp_output", "packet encrypted by ESP", "packets encrypted by ESP" },
	{ "__dev_queue_xmit", "packet given to a device",
	  "packets given to a device" },
};

/* The driver that a packet was given to by calling it; or NULL. */
static const char *driver_of(const struct path_tree *tree, size_t index)
{
	static const char *const givers[] = { "dev_hard_start_xmit",
					      "sch_direct_xmit",
					      "__dev_queue_xmit" };
	const struct path_node *node = &tree->nodes[index];
	const char *caller =
		path_function_name(tree, tree->nodes[node->parent].function);

	for (size_t i = 0; i < sizeof(givers) / sizeof(*givers); i++) {
		if (node->parent && node->function >= 0 &&
		    strcmp(caller, givers[i]) == 0)
			return tree->functions->list[node->function].driver;
	}
	return NULL;
}

/* " (veth 6, virtio_net 4)": the drivers that are modules. */
static void put_drivers(struct sentence *out, const struct path_tree *tree)
{
	const size_t count = tree->counted;
	const char *before = " (";

	for (size_t i = 1; i < count; i++) {
		const char *driver = driver_of(tree, i);
		uint64_t calls = 0;

		for (size_t j = 1; driver && j < count; j++) {
			const char *other = driver_of(tree, j);

			if (!other || strcmp(other, driver) != 0)
				continue;
			if (j < i) /* it was put then */
				driver = NULL;
			calls += tree->nodes[j].calls;
		}
		if (!driver)
			continue;
		say(out, "%s%s %s", before, driver, COUNT(calls));
		before = ", ";
	}
	if (*before == ',')
		say(out, ")");
}

/* "Network: 8 packets forwarded, ...". Adds nothing if there were none. */
static int add_packets(const struct path_tree *tree,
		       struct string_list *sentences)
{
	const char *before = "Network: ";
	struct sentence out;
	char *text;
	int ret;

	sentence_begin(&out);
	for (size_t i = 0; i < sizeof(packets) / sizeof(*packets); i++) {
		uint64_t calls = 0;

		for (size_t j = 1; j < tree->counted; j++) {
			if (strcmp(path_function_name(tree,
						      tree->nodes[j].function),
				   packets[i].function) == 0)
				calls += tree->nodes[j].calls;
		}
		if (!calls)
			continue;
		say(&out, "%s%s %s", before, COUNT(calls),
		    calls == 1 ? packets[i].one : packets[i].many);
		if (strcmp(packets[i].function, "__dev_queue_xmit") == 0)
			put_drivers(&out, tree);
		before = ", ";
	}
	ret = sentence_end(&out, &text);
	if (!ret && *text)
		ret = string_list_add(sentences, text);
	free(text);
	return ret;
}

int path_sentences(const struct path_tree *tree, const struct path_names *names,
		   struct string_list *sentences)
{
	int ret = 0;

	for (size_t i = 0;
	     !ret && i < tree->entry_count && sentences->count < MOST_SENTENCES;
	     i++) {
		_cleanup_(freep) char *text = NULL;

		if (!path_deserves_sentence(tree, &tree->entries[i]))
			continue;
		text = path_sentence(tree, &tree->entries[i], names);
		ret = text ? string_list_add(sentences, text) : -ENOMEM;
	}
	if (!ret && (tree->has_starts || !sentences->count))
		ret = add_packets(tree, sentences);
	return ret;
}

/* ---- sums ---------------------------------------------------------------- */

static struct path_sum *find_sum(struct path_sum **sums, size_t *count,
				 size_t *capacity, long function)
{
	for (size_t i = 0; i < *count; i++) {
		if ((*sums)[i].function == function)
			return &(*sums)[i];
	}
	if (array_make_room(sums, *count, capacity) < 0)
		return NULL;
	(*sums)[*count] = (struct path_sum){ .function = function };
	return &(*sums)[(*count)++];
}

static bool waits(const struct path_tree *tree, const struct path_node *node)
{
	return path_roles(tree, node->function) & ROLE_WAIT;
}

/* What a node adds to a sum. Returns false if it is nothing. */
static bool part_of(const struct path_tree *tree, const struct path_node *node,
		    enum path_sum_kind kind, struct path_sum *part)
{
	const struct path_node *caller = &tree->nodes[node->parent];

	switch (kind) {
	case PATH_ADDED:
		*part = (struct path_sum){
			.function = node->function,
			.calls = node->own.adds,
			.amount = node->own.pages_added,
		};
		return part->calls;
	case PATH_SUBMITTED:
		*part = (struct path_sum){
			.function = node->function,
			.calls = node->own.bios,
			.amount =
				node->own.read_bytes + node->own.written_bytes,
		};
		return part->calls;
	case PATH_WAITED:
		/* schedule_timeout() calls schedule(): the time counts once. */
		if (!waits(tree, node) || waits(tree, caller))
			return false;
		*part = (struct path_sum){
			.function = node->parent ? caller->function :
						   node->function,
			.calls = node->calls,
			.amount = node->total_ns,
		};
		return part->calls;
	}
	return false;
}

static int compare_sums(const void *left, const void *right)
{
	const struct path_sum *a = left, *b = right;

	return (b->amount > a->amount) - (b->amount < a->amount);
}

int path_sums(const struct path_tree *tree, enum path_sum_kind kind,
	      struct path_sum **sums, size_t *count)
{
	size_t capacity = 0;

	*sums = NULL;
	*count = 0;
	for (size_t i = 1; i < tree->counted; i++) {
		struct path_sum part, *sum;

		if (!part_of(tree, &tree->nodes[i], kind, &part))
			continue;
		sum = find_sum(sums, count, &capacity, part.function);
		if (!sum)
			return -ENOMEM;
		sum->calls += part.calls;
		sum->amount += part.amount;
	}
	for (size_t i = 0; i < *count; i++)
		(*sums)[i].name = path_function_name(tree, (*sums)[i].function);
	if (*count)
		qsort(*sums, *count, sizeof(**sums), compare_sums);
	return 0;
}

static enum path_reason find_waits(const struct path_tree *tree)
{
	bool are_traced = false;

	for (size_t i = 0; i < tree->entry_count; i++) {
		if (tree->entries[i].waited_ns)
			return PATH_WAITED_BELOW;
	}
	for (size_t i = 0; i < tree->functions->count; i++)
		are_traced |= !!(tree->functions->list[i].roles & ROLE_WAIT);
	return are_traced ? PATH_NEVER_WAITED : PATH_WAITS_UNTRACED;
}

enum path_reason path_none(const struct path_tree *tree,
			   enum path_sum_kind kind)
{
	const struct path_work *all = &tree->nodes[0].work;

	switch (kind) {
	case PATH_ADDED:
		return all->adds ? PATH_ADDED_OUTSIDE : PATH_ADDED_NOTHING;
	case PATH_SUBMITTED:
		return all->bios ? PATH_SUBMITTED_OUTSIDE :
				   PATH_SUBMITTED_NOTHING;
	default:
		return find_waits(tree);
	}
}

enum path_reason path_silence(const struct path_tree *tree)
{
	return tree->entry_count ? PATH_MOVED_NOTHING : PATH_RECORDED_NOTHING;
}
