// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/function_roles.h"
#include "calls/functions.h"
#include "calls/tracing_file.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/nearest.h"
#include "lib/sentence.h"
#include "lib/string_list.h"

/* ENDBR and what else may be ahead of the tracer's call: 4 bytes on x86. */
#define MOST_BEFORE_CALL 64

static const char kallsyms[] = "/proc/kallsyms";

/* ---- the list ------------------------------------------------------------ */

int functions_add(struct functions *functions, const char *name,
		  uint64_t address)
{
	struct function *added;
	char *copy;
	int roles;

	if (array_make_room(&functions->list, functions->count,
			    &functions->capacity) < 0)
		return -ENOMEM;
	copy = strndup(name, strcspn(name, "."));
	if (!copy)
		return -ENOMEM;
	roles = function_roles(copy);
	added = &functions->list[functions->count++];
	*added = (struct function){ .name = copy,
				    .address = address,
				    .roles = roles > 0 ? (unsigned int)roles :
							 0 };
	return 0;
}

void functions_deinit(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++) {
		free((char *)functions->list[i].name);
		free((char *)functions->list[i].driver);
	}
	free(functions->list);
	free(functions->filter);
	free(functions->lines);
	*functions = (struct functions){ 0 };
}

static int compare_address(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

void functions_sort(struct functions *functions)
{
	if (functions->count)
		qsort(functions->list, functions->count,
		      sizeof(*functions->list), compare_address);
}

long functions_find(const struct functions *functions, uint64_t address)
{
	size_t first = 0, after = functions->count;

	while (first < after) {
		size_t middle = first + (after - first) / 2;

		if (functions->list[middle].address <= address)
			first = middle + 1;
		else
			after = middle;
	}
	if (!first ||
	    address - functions->list[first - 1].address > MOST_BEFORE_CALL)
		return -1;
	return (long)first - 1;
}

static int mark_starts(struct functions *functions, const char *pattern,
		       struct error *err)
{
	struct nearest nearest;
	bool found = false;

	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];

		if (fnmatch(pattern, function->name, 0) == 0)
			found = function->is_start = true;
	}
	if (found)
		return 0;
	nearest_init(&nearest, pattern, strlen(pattern));
	for (size_t i = 0; i < functions->count; i++)
		nearest_try(&nearest, functions->list[i].name);
	return error_doing(err, ENOENT, "tracing", pattern,
			   "this kernel has no such function%s%s%s",
			   nearest.name ? "; did you mean " : "",
			   nearest.name ?: "", nearest.name ? "?" : "");
}

int functions_mark_starts(struct functions *functions,
			  const struct string_list *patterns, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < patterns->count; i++)
		ret = mark_starts(functions, patterns->strings[i], err);
	return ret;
}

/* ---- what this kernel has ------------------------------------------------ */

static int compare_name(const void *name, const void *other)
{
	return strcmp(name, *(const char *const *)other);
}

static int compare_two_names(const void *left, const void *right)
{
	return compare_name(*(const char *const *)left, right);
}

/* The names to trace, sorted, while their addresses are looked for. */
struct chosen {
	char **names;
	size_t count;
	size_t capacity;
};

static void chosen_deinit(struct chosen *chosen)
{
	for (size_t i = 0; i < chosen->count; i++)
		free(chosen->names[i]);
	free(chosen->names);
}

static int choose(struct chosen *chosen, const char *name)
{
	if (array_make_room(&chosen->names, chosen->count, &chosen->capacity) <
	    0)
		return -ENOMEM;
	chosen->names[chosen->count] = strdup(name);
	return chosen->names[chosen->count] ? (chosen->count++, 0) : -ENOMEM;
}

static bool matches(const char *name, char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	}
	return false;
}

static bool is_wanted(const char *name, const struct function_wish *wish)
{
	char plain[256];

	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, "."), name);
	if (matches(plain, wish->starts.strings, wish->starts.count))
		return true;
	return wish->patterns ?
		       matches(plain, wish->patterns, wish->pattern_count) :
		       function_roles(plain) >= 0;
}

/*
 * Chooses from the functions that can be traced. The filter has their places in
 * that list (Linux 5.2): a name would make the kernel look through all of them
 * once more.
 */
static int choose_all(struct chosen *chosen, FILE *available,
		      struct sentence *filter, struct sentence *lines,
		      const struct function_wish *wish)
{
	_cleanup_(freep) char *name = NULL;
	_cleanup_(freep) char *line = NULL;
	size_t room = 0;
	int ret = 0;

	for (unsigned long place = 1;
	     !ret && getline(&line, &room, available) > 0; place++) {
		free(name);
		name = strndup(line, strcspn(line, " \t\n"));
		if (!name)
			return -ENOMEM;
		if (!is_wanted(name, wish))
			continue;
		say(filter, "%lu ", place);
		say(lines, "%s", line);
		ret = choose(chosen, name);
	}
	return ret ? ret : ferror(available) ? -errno : 0;
}

/*
 * Places are taken since Linux 5.2, which has that file too. Nothing else shows
 * it before a filter is set.
 */
static bool takes_places(int tracing)
{
	return faccessat(tracing, "error_log", F_OK, 0) == 0;
}

static FILE *open_available(int tracing, struct error *err)
{
	static const char name[] = "available_filter_functions";
	_cleanup_(closep) int fd = openat(tracing, name, O_RDONLY | O_CLOEXEC);
	FILE *file;

	if (fd >= 0 && !takes_places(tracing)) {
		lack_doing(err, LACK_FUNCTION_NUMBERS, NULL, "choosing",
			   "functions");
		return NULL;
	}
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (file)
		steal_fd(&fd);
	else if (errno == ENOENT)
		lack_doing(err, LACK_DYNAMIC_TRACING, NULL, "reading", name);
	else
		error_errno(err, errno, "reading", name);
	return file;
}

static int choose_available(struct functions *functions, struct chosen *chosen,
			    int tracing, const struct function_wish *wish,
			    struct error *err)
{
	_cleanup_(closefp) FILE *available = open_available(tracing, err);
	struct sentence filter, lines;
	int ret;

	if (!available)
		return -EOPNOTSUPP;
	sentence_begin(&filter);
	sentence_begin(&lines);
	ret = choose_all(chosen, available, &filter, &lines, wish);
	if (sentence_end(&filter, &functions->filter) < 0)
		ret = -ENOMEM;
	if (sentence_end(&lines, &functions->lines) < 0)
		ret = -ENOMEM;
	if (ret < 0)
		return error_errno(err, -ret, "choosing", "functions");
	if (!chosen->count)
		return error_set(err, ENOENT,
				 "no function of this kernel that can be "
				 "traced has such a name");
	qsort(chosen->names, chosen->count, sizeof(*chosen->names),
	      compare_two_names);
	return 0;
}

static bool is_chosen(const struct chosen *chosen, const char *name)
{
	return bsearch(name, chosen->names, chosen->count,
		       sizeof(*chosen->names), compare_name);
}

/* What a driver sends a packet by has xmit in its name. @module is "[veth]". */
static int add_driver(struct function *function, const char *module)
{
	if (!module || !strstr(function->name, "xmit"))
		return 0;
	function->driver = strndup(module + 1, strcspn(module + 1, "]"));
	return function->driver ? 0 : -ENOMEM;
}

/*
 * Reads /proc/kallsyms, whose lines are like
 *	ffffffff81234560 t name	[module]
 * With @chosen NULL, takes every function. Takes @most at most.
 */
static int read_addresses(struct functions *functions, FILE *file,
			  const struct chosen *chosen, size_t most)
{
	_cleanup_(freep) char *line = NULL;
	size_t room = 0;

	while (functions->count < most && getline(&line, &room, file) > 0) {
		char *rest, *name, *module;
		const uint64_t address = strtoull(line, &rest, 16);

		if (rest[0] != ' ' || !rest[1] || rest[2] != ' ' ||
		    !strchr("tTwW", rest[1]))
			continue;
		module = rest + 3;
		name = strsep(&module, "\t\n");
		if (chosen && !is_chosen(chosen, name))
			continue;
		if (functions_add(functions, name, address) < 0 ||
		    add_driver(&functions->list[functions->count - 1],
			       module && *module == '[' ? module : NULL) < 0)
			return -ENOMEM;
	}
	return ferror(file) ? -EIO : 0;
}

static int hidden(struct error *err)
{
	return lack_doing(err, LACK_ADDRESSES, NULL, "reading", kallsyms);
}

static int find_addresses(struct functions *functions,
			  const struct chosen *chosen, struct error *err)
{
	_cleanup_(closefp) FILE *file = fopen(kallsyms, "re");
	int ret;

	if (!file)
		return error_errno(err, errno, "reading", kallsyms);
	ret = read_addresses(functions, file, chosen, SIZE_MAX);
	if (ret < 0)
		return error_errno(err, -ret, "reading", kallsyms);
	functions_sort(functions);
	return functions->count &&
			       !functions->list[functions->count - 1].address ?
		       hidden(err) :
		       0;
}

static int look_at_addresses(struct error *err)
{
	_cleanup_(functions_deinit) struct functions first = { 0 };
	_cleanup_(closefp) FILE *file = fopen(kallsyms, "re");
	int ret;

	if (!file)
		return error_errno(err, errno, "reading", kallsyms);
	ret = read_addresses(&first, file, NULL, 1);
	if (ret < 0)
		return error_errno(err, -ret, "reading", kallsyms);
	return first.count && !first.list[0].address ? hidden(err) : 0;
}

int functions_look(int tracing, struct error *err)
{
	_cleanup_(closefp) FILE *available = open_available(tracing, err);

	return available ? look_at_addresses(err) : -EOPNOTSUPP;
}

int functions_init(struct functions *functions, int tracing,
		   const struct function_wish *wish, struct error *err)
{
	_cleanup_(chosen_deinit) struct chosen chosen = { 0 };
	int ret;

	*functions = (struct functions){ .are_all = wish->all };
	if (wish->all)
		return find_addresses(functions, NULL, err);
	ret = choose_available(functions, &chosen, tracing, wish, err);
	return ret ? ret : find_addresses(functions, &chosen, err);
}

int functions_check(const struct functions *functions, int directory,
		    struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = tracing_read(directory, "set_ftrace_filter", &text, err);

	if (ret < 0 || strcmp(text, functions->lines) == 0)
		return ret;
	return error_doing(err, EAGAIN, "choosing", "functions",
			   "modules were loaded or unloaded meanwhile");
}
