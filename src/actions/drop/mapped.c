// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drop/mapped.h"
#include "names/processes.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "worker/ask.h"

#define MAX_MAPS (64U << 20)

/* Entries of /proc/PID/pagemap that are read at once. */
#define PAGEMAP_ENTRIES 512
/* Pages are often next to each other, so this many flags are read at once. */
#define FLAGS_ENTRIES 64
/* Bytes that the answers of all processes may take together. */
#define ANSWERS_SIZE (64U << 20)
#define MOST_RUNS 4096
#define LEAST_RUNS 256

/* An entry of /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_FILE (UINT64_C(1) << 61) /* else it is an anonymous copy */
#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1) /* 0 without CAP_SYS_ADMIN */

/* Bits of an entry of /proc/kpageflags. */
#define FLAG_HEAD (UINT64_C(1) << 15)
#define FLAG_TAIL (UINT64_C(1) << 16)
#define FLAG_MLOCKED (UINT64_C(1) << 33)

/* No folio is larger. */
#define MOST_FOLIO_PAGES (1U << 18)

/* Pages of a file that a process has in its page tables. */
struct run {
	uint32_t file; /* index */
	uint32_t is_mlocked;
	uint64_t first;
	uint64_t end;
};

struct answer {
	bool failed; /* not all of the process's mappings were seen */
	size_t count;
	struct run runs[];
};

struct questions {
	const struct mapped_file *files;
	size_t count;
	const struct sysroot *root;
	struct string_list pids;
	size_t room; /* runs in an answer */
	uint64_t page_size; /* bytes */
};

/* A folio's frames, as /proc/kpageflags shows them. */
struct folio {
	uint64_t first;
	uint64_t end;
	bool is_mlocked;
};

/* One process, while a worker looks at it. */
struct process {
	const struct questions *questions;
	struct answer *answer;
	int pagemap;
	int kpageflags; /* -1: not readable, so folios are not known */
	uint64_t flags[FLAGS_ENTRIES];
	uint64_t flags_first; /* frame of the first of these */
	size_t flags_count;
	struct folio folio; /* the last one */
};

static int by_place(const void *left, const void *right)
{
	const struct mapped_file *a = left, *b = right;

	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	return (a->ino > b->ino) - (a->ino < b->ino);
}

/* Returns false past the end of memory, or if the flags cannot be read. */
static bool flags_of(struct process *process, uint64_t frame, uint64_t *flags)
{
	ssize_t got;

	if (frame < process->flags_first ||
	    frame >= process->flags_first + process->flags_count) {
		process->flags_first = frame - frame % FLAGS_ENTRIES;
		got = pread(process->kpageflags, process->flags,
			    sizeof(process->flags),
			    (off_t)(process->flags_first * sizeof(*flags)));
		process->flags_count = got > 0 ? (size_t)got / sizeof(*flags) :
						 0;
	}
	if (frame >= process->flags_first + process->flags_count)
		return false;
	*flags = process->flags[frame - process->flags_first];
	return true;
}

/* Finds the folio of @frame, which may change meanwhile. */
static void find_folio(struct process *process, uint64_t frame)
{
	struct folio *folio = &process->folio;
	uint64_t flags = 0;

	if (frame >= folio->first && frame < folio->end)
		return;
	*folio = (struct folio){ .first = frame, .end = frame + 1 };
	if (process->kpageflags < 0 || !flags_of(process, frame, &flags)) {
		process->answer->failed = true;
		return;
	}
	while (flags & FLAG_TAIL && frame - folio->first < MOST_FOLIO_PAGES &&
	       flags_of(process, folio->first - 1, &flags))
		folio->first--;
	folio->is_mlocked = flags & FLAG_MLOCKED;
	if (!(flags & FLAG_HEAD))
		return;
	while (folio->end - folio->first < MOST_FOLIO_PAGES &&
	       flags_of(process, folio->end, &flags) && flags & FLAG_TAIL)
		folio->end++;
}

static void add_run(struct process *process, const struct run *run)
{
	struct answer *answer = process->answer;
	struct run *last = answer->count ? &answer->runs[answer->count - 1] :
					   NULL;

	if (last && last->file == run->file &&
	    last->is_mlocked == run->is_mlocked && run->first >= last->first &&
	    run->first <= last->end) {
		if (run->end > last->end)
			last->end = run->end;
		return;
	}
	if (answer->count == process->questions->room) {
		answer->failed = true;
		return;
	}
	answer->runs[answer->count++] = *run;
}

static void add_page(struct process *process, uint32_t file, uint64_t page,
		     uint64_t entry)
{
	uint64_t frame = entry & PAGEMAP_FRAME, before = 0, after = 1;
	struct run run = { .file = file };

	if (!(entry & PAGEMAP_PRESENT) || !(entry & PAGEMAP_FILE))
		return;
	if (frame) {
		find_folio(process, frame);
		before = frame - process->folio.first;
		after = process->folio.end - frame;
		run.is_mlocked = process->folio.is_mlocked;
	} else {
		process->answer->failed = true;
	}
	run.first = page > before ? page - before : 0;
	run.end = page + after;
	add_run(process, &run);
}

/* Reads the page tables of the mapping from @start to @end. */
static void read_pagemap(struct process *process, uint32_t file, uint64_t start,
			 uint64_t end, uint64_t page)
{
	uint64_t entries[PAGEMAP_ENTRIES];
	uint64_t at = start / process->questions->page_size;
	uint64_t rest = end / process->questions->page_size - at;

	while (rest) {
		size_t wanted = rest < PAGEMAP_ENTRIES ? rest : PAGEMAP_ENTRIES;
		ssize_t got = pread(process->pagemap, entries,
				    wanted * sizeof(*entries),
				    (off_t)(at * sizeof(*entries)));
		size_t count = got > 0 ? (size_t)got / sizeof(*entries) : 0;

		if (!count) {
			process->answer->failed |= got < 0;
			return;
		}
		for (size_t i = 0; i < count; i++)
			add_page(process, file, page + i, entries[i]);
		at += count;
		page += count;
		rest -= count;
	}
}

/* "start-end perms offset major:minor inode path"; see proc_pid_maps(5). */
static void read_line(struct process *process, const char *line)
{
	const struct questions *questions = process->questions;
	const struct mapped_file *file;
	struct mapped_file wanted = { 0 };
	unsigned long long start, end, offset, ino;

	if (sscanf(line, "%llx-%llx %*s %llx %x:%x %llu", &start, &end, &offset,
		   &wanted.major, &wanted.minor, &ino) != 6 ||
	    !ino)
		return;
	wanted.ino = ino;
	file = bsearch(&wanted, questions->files, questions->count,
		       sizeof(wanted), by_place);
	if (!file)
		return;
	read_pagemap(process, (uint32_t)(file - questions->files), start, end,
		     offset / questions->page_size);
}

/* A kernel thread has no mappings, and a process that has ended keeps none. */
static bool is_gone(int error)
{
	return error == -ENOENT || error == -ESRCH;
}

static size_t look_at(const void *data, size_t index, void *to)
{
	const struct questions *questions = data;
	const char *pid = questions->pids.strings[index];
	_cleanup_(closep) int pagemap = -1, kpageflags = -1;
	_cleanup_(freep) char *maps = NULL;
	struct process process = { .questions = questions, .answer = to };
	char path[NAME_MAX + 32], *rest, *line;
	int ret;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	ret = sysroot_read(questions->root, path, MAX_MAPS, &maps, NULL);
	if (!ret && *maps) {
		snprintf(path, sizeof(path), "/proc/%s/pagemap", pid);
		pagemap = sysroot_open(questions->root, path, O_RDONLY);
		ret = pagemap < 0 ? pagemap : 0;
		kpageflags = sysroot_open(questions->root, "/proc/kpageflags",
					  O_RDONLY);
	}
	process.answer->failed = ret < 0 && !is_gone(ret);
	process.pagemap = pagemap;
	process.kpageflags = kpageflags;
	rest = ret < 0 ? NULL : maps;
	while ((line = strsep(&rest, "\n")))
		read_line(&process, line);
	return sizeof(*process.answer) +
	       process.answer->count * sizeof(struct run);
}

static void name_one(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct questions *questions = data;

	snprintf(text, STUCK_OBJECT, "process %s",
		 questions->pids.strings[index]);
}

static int by_first(const void *left, const void *right)
{
	const struct page_range *a = left, *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

static uint64_t sum(const struct page_range *ranges, size_t count,
		    bool only_mlocked)
{
	uint64_t pages = 0, seen = 0;

	for (size_t i = 0; i < count; i++) {
		const struct page_range *range = &ranges[i];
		uint64_t first = range->first > seen ? range->first : seen;

		if ((only_mlocked && !range->is_mlocked) || range->end <= first)
			continue;
		pages += range->end - first;
		seen = range->end;
	}
	return pages;
}

void mapped_file_add_up(struct mapped_file *file)
{
	if (file->range_count)
		qsort(file->ranges, file->range_count, sizeof(*file->ranges),
		      by_first);
	file->pages = sum(file->ranges, file->range_count, false);
	file->mlocked_pages = sum(file->ranges, file->range_count, true);
	free(file->ranges);
	file->ranges = NULL;
	file->range_count = 0;
	file->range_capacity = 0;
}

void mapped_file_deinit(struct mapped_file *file)
{
	free(file->ranges);
	string_list_deinit(&file->users);
}

static int add_range(struct mapped_file *file, const struct run *run)
{
	if (array_make_room(&file->ranges, file->range_count,
			    &file->range_capacity) < 0)
		return -ENOMEM;
	file->ranges[file->range_count++] = (struct page_range){
		.first = run->first,
		.end = run->end,
		.is_mlocked = run->is_mlocked,
	};
	return 0;
}

/* A process maps a file in many places, but is listed once. */
static int add_user(struct mapped_file *file, const char *label)
{
	const struct string_list *users = &file->users;

	if (users->count &&
	    strcmp(users->strings[users->count - 1], label) == 0)
		return 0;
	return string_list_add(&file->users, label);
}

static int take_answer(struct mapped_file *files, const struct answer *answer,
		       const char *label)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < answer->count; i++) {
		struct mapped_file *file = &files[answer->runs[i].file];

		ret = add_range(file, &answer->runs[i]);
		if (!ret)
			ret = add_user(file, label);
	}
	return ret;
}

static int take_answers(struct mapped_file *files,
			const struct questions *questions,
			const struct asked *asked, struct string_list *unknown)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < questions->pids.count; i++) {
		const struct answer *answer = asked_answer(asked, i);
		_cleanup_(freep) char *label = NULL;

		if (answer && !answer->count && !answer->failed)
			continue;
		ret = process_label(questions->root, questions->pids.strings[i],
				    &label);
		if (!ret && answer)
			ret = take_answer(files, answer, label);
		if (!ret && (!answer || answer->failed))
			ret = string_list_add(unknown, label);
	}
	for (size_t i = 0; i < questions->count; i++) {
		mapped_file_add_up(&files[i]);
		files[i].is_partly_known = unknown->count;
	}
	return ret;
}

static int list_all(struct string_list *pids, const struct sysroot *root)
{
	char own[16];
	int ret = processes_list(pids, root);

	/* This program maps files, too. */
	snprintf(own, sizeof(own), "%d", getpid());
	return ret ? ret : string_list_add(pids, own);
}

int mapped_files_find(struct mapped_file *files, size_t count,
		      const struct sysroot *root, struct string_list *unknown,
		      struct error *err)
{
	struct questions questions = {
		.files = files,
		.count = count,
		.root = root,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	struct asked *asked = NULL;
	struct ask all;
	int ret = count ? list_all(&questions.pids, root) : 0;

	if (!ret && count) {
		qsort(files, count, sizeof(*files), by_place);
		questions.room = ANSWERS_SIZE / sizeof(struct run) /
				 (questions.pids.count + 1);
		if (questions.room > MOST_RUNS)
			questions.room = MOST_RUNS;
		if (questions.room < LEAST_RUNS)
			questions.room = LEAST_RUNS;
		all = (struct ask){
			.answer = look_at,
			.data = &questions,
			.count = questions.pids.count,
			.answer_size = sizeof(struct answer) +
				       questions.room * sizeof(struct run),
			.kept = -1,
			.name = name_one,
			.patience = root->patience,
		};
		ret = ask(&all, &asked, err);
		if (ret < 0)
			goto out;
		ret = take_answers(files, &questions, asked, unknown);
	}
	if (ret < 0)
		error_errno(err, -ret, "looking for", "the mappings");
out:
	asked_destroy(asked);
	string_list_deinit(&questions.pids);
	return ret;
}
