// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kallsyms.h"
#include "kernel/kallsyms_names.h"
#include "kernel/kmem.h"
#include "kernel/vmcoreinfo.h"
#include "lib/cleanup.h"
#include "lib/debug.h"
#include "lib/error.h"

#define TOKENS 256

/* Debian's kernels have about 200,000 symbols. */
#define MAX_SYMBOLS (16U << 20)

/*
 * Bytes of a kernel's image to search. Its text and the read-only data after it
 * take some 30 MiB.
 */
#define IMAGE_SIZE (128U << 20)

struct token_table {
	uint16_t index[TOKENS];
	char text[65536 + 256]; /* room for a token at any index */
};

/* A symbol to find. _stext is always one of them. */
struct wanted {
	const char *name;
	uint32_t index; /* among all symbols */
	bool found;
};

struct search {
	struct token_table table;
	struct kallsyms_names names;
	/*
	 * Tokens that wanted symbols may begin with. One in a hundred other
	 * symbols begins with them too.
	 */
	bool is_type[TOKENS]; /* the token is only a type */
	bool first[TOKENS]; /* a type and the beginning of a wanted name */
	bool second[TOKENS]; /* the beginning of a wanted name, after a type */
	struct wanted *wanted;
	size_t count;
};

int kallsyms_from_vmcoreinfo(const char *text, const struct kmem *kmem,
			     struct kallsyms *kallsyms)
{
	uint64_t count, relative_base;
	int ret = 0;

	*kallsyms = (struct kallsyms){ 0 };
	if (!vmcoreinfo_symbol(text, "kallsyms_names", &kallsyms->names) ||
	    !vmcoreinfo_symbol(text, "kallsyms_num_syms", &count) ||
	    !vmcoreinfo_symbol(text, "kallsyms_token_table",
			       &kallsyms->token_table) ||
	    !vmcoreinfo_symbol(text, "kallsyms_token_index",
			       &kallsyms->token_index) ||
	    !vmcoreinfo_symbol(text, "kallsyms_offsets", &kallsyms->offsets))
		return -ENOENT;
	if (vmcoreinfo_symbol(text, "kallsyms_relative_base", &relative_base))
		ret = kmem_read_word(kmem, relative_base,
				     &kallsyms->relative_base);
	return ret   ?:
		       kmem_read(kmem, count, &kallsyms->count,
				 sizeof(kallsyms->count));
}

int kallsyms_find(const char *text, const struct kmem *kmem, uint64_t stext,
		  struct kallsyms *kallsyms)
{
	int ret = kallsyms_from_vmcoreinfo(text, kmem, kallsyms);

	if (ret == -ENOENT)
		ret = kallsyms_search(kmem, stext, IMAGE_SIZE, kallsyms);
	return ret;
}

static int read_tokens(struct token_table *table,
		       const struct kallsyms *kallsyms, const struct kmem *kmem,
		       struct error *err)
{
	size_t size;
	int ret = kmem_read(kmem, kallsyms->token_index, table->index,
			    sizeof(table->index));

	if (ret < 0)
		return error_doing(err, -ret, "reading the tokens' index", NULL,
				   "%s", kmem_strerror(ret));
	size = kmem_read_some(kmem, kallsyms->token_table, table->text,
			      sizeof(table->text) - 1);
	table->text[size] = '\0';
	for (size_t i = 0; i < TOKENS; i++) {
		if (table->index[i] >= size)
			return error_set(err, EBADMSG,
					 "token %zu is outside the table", i);
	}
	return 0;
}

static bool begins_a_name(const struct search *search, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < search->count; i++) {
		if (strncmp(search->wanted[i].name, text, length) == 0)
			return true;
	}
	return false;
}

/* The first character of a symbol is its type, as in nm(1). */
static void note_beginnings(struct search *search)
{
	for (size_t i = 0; i < TOKENS; i++) {
		const char *token = search->table.text + search->table.index[i];

		search->is_type[i] = *token && !token[1];
		search->first[i] = *token && begins_a_name(search, token + 1);
		search->second[i] = begins_a_name(search, token);
	}
}

static bool can_be_wanted(const struct search *search,
			  const unsigned char *tokens, size_t count)
{
	if (!search->is_type[*tokens])
		return search->first[*tokens];
	return count > 1 && search->second[tokens[1]];
}

static bool is_called(const struct token_table *table,
		      const unsigned char *tokens, size_t count,
		      const char *name)
{
	/* The first character of the first token is the symbol's type. */
	size_t skip = 1;

	for (size_t i = 0; i < count; i++) {
		const char *token = table->text + table->index[tokens[i]];
		size_t length = strlen(token);

		if (length < skip)
			return false;
		if (strncmp(name, token + skip, length - skip) != 0)
			return false;
		name += length - skip;
		skip = 0;
	}
	return !*name;
}

static int find_names(struct search *search, uint32_t symbols,
		      struct error *err)
{
	const unsigned char *tokens;
	size_t missing = search->count, count;

	for (uint32_t i = 0; missing && i < symbols; i++) {
		if (kallsyms_names_next(&search->names, &tokens, &count) < 0)
			return error_set(err, EBADMSG,
					 "the names end at %u of %u", i,
					 symbols);
		if (!can_be_wanted(search, tokens, count))
			continue;
		for (size_t j = 0; j < search->count; j++) {
			struct wanted *wanted = &search->wanted[j];

			if (wanted->found || !is_called(&search->table, tokens,
							count, wanted->name))
				continue;
			wanted->found = true;
			wanted->index = i;
			missing--;
		}
	}
	return 0;
}

/* What an offset is relative to; it has changed over the years. */
enum relation {
	RELATION_BASE, /* to kallsyms_relative_base; the offset is unsigned */
	RELATION_PERCPU, /* if negative, base - 1 - offset; else the address */
	RELATION_PLACE, /* to its own place in the table (Linux 7.2) */
	RELATIONS
};

static uint64_t address_of(const struct kallsyms *kallsyms,
			   enum relation relation, uint32_t index,
			   int32_t offset)
{
	switch (relation) {
	case RELATION_BASE:
		return kallsyms->relative_base + (uint32_t)offset;
	case RELATION_PERCPU:
		if (offset >= 0)
			return (uint64_t)offset;
		return kallsyms->relative_base - 1 - (uint64_t)(int64_t)offset;
	default:
		return kallsyms->offsets + (uint64_t)index * sizeof(offset) +
		       (uint64_t)(int64_t)offset;
	}
}

static int read_offset(const struct kallsyms *kallsyms, const struct kmem *kmem,
		       uint32_t index, int32_t *offset)
{
	return kmem_read(kmem,
			 kallsyms->offsets + (uint64_t)index * sizeof(*offset),
			 offset, sizeof(*offset));
}

/* Finds the relation that puts _stext at its known @address. */
static int find_relation(const struct kallsyms *kallsyms,
			 const struct kmem *kmem, const struct wanted *stext,
			 uint64_t address, enum relation *relation,
			 struct error *err)
{
	int32_t offset;
	int ret;

	if (!stext->found)
		return error_set(err, EBADMSG, "no _stext among the symbols");
	ret = read_offset(kallsyms, kmem, stext->index, &offset);
	if (ret < 0)
		return error_doing(err, -ret, "reading an offset", NULL, "%s",
				   kmem_strerror(ret));
	for (*relation = 0; *relation < RELATIONS; ++*relation) {
		if (*relation != RELATION_PLACE && !kallsyms->relative_base)
			continue;
		if (address_of(kallsyms, *relation, stext->index, offset) ==
		    address)
			return 0;
	}
	return error_set(err, EBADMSG,
			 "_stext is not where the kernel says it is");
}

static int search_names(struct search *search, const struct kallsyms *kallsyms,
			const struct kmem *kmem, struct error *err)
{
	int ret = read_tokens(&search->table, kallsyms, kmem, err);

	if (ret < 0)
		return ret;
	note_beginnings(search);
	kallsyms_names_init(&search->names, kmem, kallsyms->names);
	return find_names(search, kallsyms->count, err);
}

int kallsyms_lookup(const struct kallsyms *kallsyms, const struct kmem *kmem,
		    uint64_t stext, struct kallsyms_symbol *symbols,
		    size_t count, struct error *err)
{
	_cleanup_(freep) struct search *search = malloc(sizeof(*search));
	_cleanup_(freep) struct wanted *wanted =
		calloc(count + 1, sizeof(*wanted));
	enum relation relation = RELATION_BASE;
	int32_t offset;
	int ret;

	if (!search || !wanted)
		return error_errno(err, ENOMEM, NULL, NULL);
	if (kallsyms->count > MAX_SYMBOLS)
		return error_set(err, EBADMSG, "%u symbols", kallsyms->count);
	search->wanted = wanted;
	search->count = count + 1;
	wanted[count].name = "_stext";
	for (size_t i = 0; i < count; i++) {
		wanted[i].name = symbols[i].name;
		symbols[i].address = 0;
	}

	ret = search_names(search, kallsyms, kmem, err);
	if (!ret)
		ret = find_relation(kallsyms, kmem, &wanted[count], stext,
				    &relation, err);
	for (size_t i = 0; !ret && i < count; i++) {
		debug(DEBUG_KERNEL, "symbol %s: %sin kallsyms in memory",
		      symbols[i].name, wanted[i].found ? "" : "not ");
		if (!wanted[i].found)
			continue;
		ret = read_offset(kallsyms, kmem, wanted[i].index, &offset);
		if (ret < 0)
			return error_doing(err, -ret, "reading an offset", NULL,
					   "%s", kmem_strerror(ret));
		symbols[i].address =
			address_of(kallsyms, relation, wanted[i].index, offset);
	}
	return ret;
}

struct scan {
	struct kallsyms_symbol *symbols;
	size_t count;
	bool has_address; /* some line has an address that is not 0 */
};

static const char *parse_hex(const char *text, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;
	int length = 0;

	*number = 0;
	while (*text && (digit = strchr(digits, *text)) && length++ < 16) {
		*number = *number << 4 | (uint64_t)(digit - digits);
		text++;
	}
	return length ? text : NULL;
}

/* "ffffffff81000000 T _stext"; a module's symbol has "\t[module]" after it. */
static void take_line(struct scan *scan, const char *line)
{
	uint64_t address;
	const char *rest = parse_hex(line, &address);

	if (!rest || strlen(rest) < 4 || rest[0] != ' ' || rest[2] != ' ')
		return;
	scan->has_address |= address != 0;
	for (size_t i = 0; i < scan->count; i++) {
		if (!scan->symbols[i].address &&
		    strcmp(scan->symbols[i].name, rest + 3) == 0)
			scan->symbols[i].address = address;
	}
}

/* Takes the complete lines of @text. Returns how many bytes they have. */
static size_t take_lines(struct scan *scan, char *text, size_t size)
{
	size_t used = 0;
	char *end;

	while ((end = memchr(text + used, '\n', size - used))) {
		*end = '\0';
		take_line(scan, text + used);
		used = (size_t)(end - text) + 1;
	}
	return used;
}

static int scan_file(int fd, struct scan *scan)
{
	char buffer[65536];
	size_t filled = 0, used;
	ssize_t got;

	do {
		got = read(fd, buffer + filled, sizeof(buffer) - filled);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		filled += (size_t)got;
		used = take_lines(scan, buffer, filled);
		if (!used && filled == sizeof(buffer))
			return -EBADMSG;
		filled -= used;
		memmove(buffer, buffer + used, filled);
	} while (got && !scan->symbols[0].address);
	return 0;
}

int kallsyms_text_lookup(int fd, struct kallsyms_symbol *symbols, size_t count,
			 struct error *err)
{
	struct scan scan = { .symbols = symbols, .count = count };
	int ret;

	for (size_t i = 0; i < count; i++)
		symbols[i].address = 0;
	ret = scan_file(fd, &scan);
	for (size_t i = 0; i < count; i++)
		debug(DEBUG_KERNEL, "symbol %s: %sin /proc/kallsyms",
		      symbols[i].name, symbols[i].address ? "" : "not ");
	if (ret < 0)
		return error_errno(err, -ret, "reading", "/proc/kallsyms");
	if (!scan.has_address)
		return error_advise(err, EPERM, NULL, NULL,
				    "sysctl kernel.kptr_restrict=1",
				    "/proc/kallsyms hides the addresses");
	return 0;
}
