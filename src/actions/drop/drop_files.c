// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "drop/drop_files.h"
#include "drop/release_files.h"
#include "drop/write_out.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/cachestat.h"
#include "worker/patience.h"

/* Deleted files whose users are looked for. */
#define MOST_DELETED 256

/* The pages of @file that will stay, as far as it is known. */
static uint64_t pages_that_stay(const struct drop_file *file)
{
	uint64_t pages = file->before.has_pages ? file->before.pages : 0;

	if (!drop_file_goes(file))
		return pages;
	return file->mapped.pages < pages ? file->mapped.pages : pages;
}

static bool may_be_mapped(const struct drop_file *file)
{
	return !file->knows_mapped || file->is_mapped;
}

bool drop_file_is_unwritten(const struct drop_file *file)
{
	return !file->after.has_dirty || drop_pages_are_dirty(&file->after);
}

static bool knows_write_errors(const struct drop_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		if (drop_file_goes(&set->files[i]) &&
		    !set->files[i].knows_write_error)
			return false;
	}
	return true;
}

/* Keeps what may be the only copy of its data. */
static void keep_unwritten(struct drop_set *set)
{
	for (size_t i = 0; i < set->count && !set->result.despite_errors; i++) {
		struct drop_file *file = &set->files[i];

		if (!drop_file_goes(file))
			continue;
		if (!file->knows_write_error)
			file->stay = STAY_UNKNOWN;
		else if (file->write_error)
			file->stay = STAY_WRITE_ERROR;
	}
}

void drop_set_forecast(struct drop_set *set)
{
	keep_unwritten(set);
	set->least = 0;
	set->most = 0;
	for (size_t i = 0; i < set->count; i++) {
		struct drop_file *file = &set->files[i];
		uint64_t pages = file->before.has_pages ? file->before.pages :
							  0;
		uint64_t goes;

		if (file->stay == STAY_NOT && file->mapped.pages)
			file->stay = STAY_MAPPED;
		goes = pages - pages_that_stay(file);
		set->most += goes;
		if (!may_be_mapped(file) || !file->mapped.is_partly_known)
			set->least += goes;
	}
}

/* @figures of @file, before or after. */
static void take_figures(struct drop_file *file, struct drop_pages *figures,
			 const struct cached_file *listed)
{
	file->knows_write_error = listed->has_write_error || !listed->pages;
	file->write_error = listed->write_error;
	*figures = (struct drop_pages){
		.has_pages = true,
		.pages = listed->pages,
		.has_dirty = listed->has_tags,
		.dirty = listed->dirty,
		.has_writeback = listed->has_tags,
		.writeback = listed->writeback,
	};
}

/* Why no path leads to the file, if none does. */
static enum drop_stay stay_of(const struct cached_file *listed)
{
	if (listed->is_deleted)
		return STAY_DELETED;
	if (!listed->path)
		return STAY_NAMELESS;
	if (*listed->path != '/')
		return STAY_HIDDEN;
	return S_ISREG(listed->mode) || S_ISDIR(listed->mode) ? STAY_NOT :
								STAY_NO_FILE;
}

static void take_details(struct drop_file *file,
			 const struct cached_file *listed)
{
	take_figures(file, &file->before, listed);
	file->knows_mapped = listed->has_details;
	file->is_mapped = listed->is_mapped;
}

static void add_up(struct drop_pages *sum, const struct cached_files *listed)
{
	*sum = (struct drop_pages){
		.has_pages = true,
		.pages = listed->pages,
		.has_dirty = !listed->unlisted,
	};
	for (size_t i = 0; i < listed->count; i++) {
		const struct cached_file *file = &listed->files[i];

		sum->has_dirty &= file->has_tags;
		sum->dirty += file->dirty;
		sum->writeback += file->writeback;
	}
	sum->has_writeback = sum->has_dirty;
}

static int list_by(struct cached_files *listed, const struct drop_set *set,
		   const struct sysroot *root, const char *source,
		   struct error *err)
{
	char *path = (char *)(set->is_mount ? set->mountpoint : set->path);
	const struct files_question question = {
		.source = source,
		.paths = &path,
		.path_count = 1,
		.details = true,
	};
	int ret = cached_files_init(listed, root, &question, err);

	if (!ret && listed->why.count)
		ret = error_doing(err, ERROR_PARTIAL, "measuring", NULL, "%s",
				  listed->why.strings[0]);
	if (!ret && !set->is_mount && listed->count > 1)
		ret = error_doing(err, ERROR_UNUSABLE, "measuring", set->path,
				  "another file of its filesystem has the same "
				  "inode number");
	return ret;
}

/* kcore lists any number of files, the module does not, so it comes first. */
static int list(struct cached_files *listed, const struct drop_set *set,
		const struct sysroot *root, const char *source,
		struct error *err)
{
	struct error other = { 0 };
	int ret;

	if (source && strcmp(source, "cachestat") == 0)
		return error_doing(err, ERROR_UNUSABLE, "measuring", set->path,
				   "cachestat does not list files");
	ret = list_by(listed, set, root, source ? source : "kcore", err);
	if (ret >= 0 || source)
		return ret;
	cached_files_deinit(listed);
	ret = list_by(listed, set, root, "module", &other);
	if (ret < 0)
		error_append(err, &other);
	else
		*err = (struct error){ 0 };
	return ret;
}

/* Finds who has the deleted files open, which are released by closing them. */
static int find_users(struct drop_set *set, struct cached_files *listed,
		      const struct sysroot *root, struct error *err)
{
	_cleanup_(freep) struct cached_file *deleted =
		calloc(MOST_DELETED, sizeof(*deleted));
	size_t indexes[MOST_DELETED];
	struct cached_files some = *listed;
	int ret;

	if (!deleted)
		return error_errno(err, ENOMEM, "looking for", "the users");
	some.files = deleted;
	some.count = 0;
	some.unknown_users = (struct string_list){ 0 };
	for (size_t i = 0; i < set->count && some.count < MOST_DELETED; i++) {
		if (set->files[i].stay != STAY_DELETED)
			continue;
		indexes[some.count] = i;
		deleted[some.count++] = listed->files[i];
	}
	if (!some.count)
		return 0;
	ret = cached_files_find_users(&some, root, err);
	for (size_t i = 0; i < some.count; i++)
		set->files[indexes[i]].users = deleted[i].users;
	string_list_deinit(&some.unknown_users);
	return ret;
}

static int take_list(struct drop_set *set, struct cached_files *listed)
{
	set->files = calloc(listed->count + 1, sizeof(*set->files));
	if (!set->files)
		return -ENOMEM;
	set->count = listed->count;
	set->unlisted = listed->unlisted;
	for (size_t i = 0; i < set->count; i++) {
		struct cached_file *from = &listed->files[i];
		struct drop_file *file = &set->files[i];

		*file = (struct drop_file){
			.stay = stay_of(from),
			.ino = from->ino,
		};
		take_details(file, from);
		file->path = steal_ptr(from->path);
	}
	return 0;
}

/* Measures the set with what lists files. */
static int measure_before(struct drop_set *set, const struct sysroot *root,
			  const char *source, struct error *err)
{
	_cleanup_(cached_files_deinit) struct cached_files listed = { 0 };
	int ret = list(&listed, set, root, source, err);

	if (ret < 0)
		return ret;
	set->result.source = listed.source;
	if (set->is_mount) {
		if (take_list(set, &listed) < 0)
			return error_errno(err, ENOMEM, "measuring", set->path);
		add_up(&set->result.before, &listed);
		return find_users(set, &listed, root, err);
	}
	set->files->before = (struct drop_pages){ true, 0, true, 0, true, 0 };
	set->files->knows_write_error = true;
	set->files->knows_mapped = true;
	if (listed.count)
		take_details(set->files, listed.files);
	return 0;
}

/* Finds the file of that number, and of several the one of that path. */
static struct drop_file *find_file(const struct drop_set *set,
				   struct drop_file *const *by_ino,
				   const struct cached_file *listed)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (by_ino[middle]->ino < listed->ino)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < set->count && by_ino[low]->ino == listed->ino; low++) {
		const char *path = by_ino[low]->path;

		if (!path || !listed->path || strcmp(path, listed->path) == 0)
			return by_ino[low];
	}
	return NULL;
}

static int compare_ino(const void *left, const void *right)
{
	const struct drop_file *const *a = left, *const *b = right;

	return ((*a)->ino > (*b)->ino) - ((*a)->ino < (*b)->ino);
}

/* A file that is not listed has no pages, unless some were left out. */
static int take_after(struct drop_set *set, const struct cached_files *listed)
{
	_cleanup_(freep) struct drop_file **by_ino =
		calloc(set->count + 1, sizeof(*by_ino));

	if (!by_ino)
		return -ENOMEM;
	for (size_t i = 0; i < set->count; i++) {
		by_ino[i] = &set->files[i];
		set->files[i].knows_write_error = !listed->unlisted;
		set->files[i].after = (struct drop_pages){
			.has_pages = !listed->unlisted,
			.has_dirty = !listed->unlisted,
			.has_writeback = !listed->unlisted,
		};
	}
	qsort(by_ino, set->count, sizeof(*by_ino), compare_ino);
	for (size_t i = 0; i < listed->count; i++) {
		struct drop_file *file =
			find_file(set, by_ino, &listed->files[i]);

		if (file)
			take_figures(file, &file->after, &listed->files[i]);
	}
	add_up(&set->result.after, listed);
	return 0;
}

static int measure_again(struct drop_set *set, const struct sysroot *root,
			 const char *source, struct error *err)
{
	_cleanup_(cached_files_deinit) struct cached_files listed = { 0 };
	int ret = list(&listed, set, root, source, err);

	if (!ret && take_after(set, &listed) < 0)
		ret = error_errno(err, ENOMEM, "measuring", set->path);
	return ret;
}

/* Whichever source has the figures. An older module does not know of them. */
static void read_write_errors(struct drop_set *set, const struct sysroot *root)
{
	struct error ignored;

	for (size_t i = 0; i < set->count; i++)
		set->files[i].knows_write_error = false;
	if (measure_again(set, root, "kcore", &ignored) < 0 ||
	    !knows_write_errors(set))
		measure_again(set, root, "module", &ignored);
}

struct writing {
	struct drop_set *set;
	const struct sysroot *root;
	const struct all_mounts *mounts;
	bool has_cachestat;
};

/* The error of both is that of the set. */
static int start_writing(void *data, struct error *err __attribute__((unused)))
{
	struct writing *writing = data;

	return release_files(writing->set, writing->root, writing->mounts,
			     RELEASE_WRITE);
}

static int count_unwritten(void *data, struct drop_pages *left,
			   struct error *err __attribute__((unused)))
{
	struct writing *writing = data;
	struct drop_set *set = writing->set;
	struct error ignored;
	int ret = 0;

	if (writing->has_cachestat)
		ret = release_files(set, writing->root, writing->mounts,
				    RELEASE_COUNT);
	else if (measure_again(set, writing->root, NULL, &ignored) < 0)
		return 0;
	if (ret < 0)
		return ret;
	left->has_dirty = true;
	for (size_t i = 0; i < set->count; i++) {
		const struct drop_file *file = &set->files[i];

		left->dirty += drop_file_goes(file) ? file->after.dirty : 0;
		left->writeback +=
			drop_file_goes(file) ? file->after.writeback : 0;
	}
	return 0;
}

/* Afterwards, a file to which a write has failed is one that stays. */
static int write_set(struct drop_set *set, const struct sysroot *root,
		     const struct all_mounts *mounts)
{
	struct cachestat_counts unused;
	struct writing writing = {
		.set = set,
		.root = root,
		.mounts = mounts,
		/* Any other error: the kernel has no cachestat(2). */
		.has_cachestat = cachestat_read(-1, 0, 0, &unused) == -EBADF,
	};
	const struct write_out how = {
		.start = start_writing,
		.count = count_unwritten,
		.data = &writing,
		.disk = makedev(set->major, set->minor),
		.object = set->path,
	};
	int ret;

	for (size_t i = 0; i < set->count; i++)
		set->files[i].after = set->files[i].before;
	ret = write_out(&how, &set->result.error);
	if (ret < 0)
		return ret;
	if (!set->result.despite_errors)
		read_write_errors(set, root);
	keep_unwritten(set);
	for (size_t i = 0; i < set->count; i++)
		set->files[i].after = (struct drop_pages){ 0 };
	set->result.after = (struct drop_pages){ 0 };
	return 0;
}

static int find_mapped(struct drop_set *set, const struct sysroot *root,
		       struct error *err)
{
	_cleanup_(freep) struct mapped_file *mapped =
		calloc(set->count + 1, sizeof(*mapped));
	size_t count = 0;
	int ret;

	if (!mapped)
		return error_errno(err, ENOMEM, "looking for", "the mappings");
	for (size_t i = 0; i < set->count; i++) {
		const struct drop_file *file = &set->files[i];

		if (file->stay == STAY_NOT && may_be_mapped(file))
			mapped[count++] = (struct mapped_file){
				.major = set->major,
				.minor = set->minor,
				.ino = file->ino,
				.index = i,
			};
	}
	ret = mapped_files_find(mapped, count, root, &set->unknown_users, err);
	for (size_t i = 0; i < count; i++)
		set->files[mapped[i].index].mapped = mapped[i];
	return ret;
}

static int check_write_error(struct drop_set *set)
{
	const struct drop_file *file = set->files;

	if (set->is_mount ||
	    (file->stay != STAY_WRITE_ERROR &&
	     (file->stay != STAY_UNKNOWN || set->result.dry_run)))
		return 0;
	return write_out_check(file->knows_write_error, file->write_error,
			       set->path, &set->result.error);
}

/* Of a set of one file, the file must be there. */
static int check_found(struct drop_set *set)
{
	if (set->is_mount || set->files->stay != STAY_HIDDEN)
		return 0;
	return error_doing(&set->result.error, ESTALE, "dropping", set->path,
			   "it was replaced by another file meanwhile");
}

static int measure(struct drop_set *set, const struct sysroot *root,
		   const struct all_mounts *mounts, const char *source)
{
	struct error other;
	int ret = measure_before(set, root, source, &set->result.why);

	/* Without a list of its files, a filesystem cannot be dropped. */
	if (ret < 0 && set->is_mount) {
		set->result.error = set->result.why;
		set->result.why = (struct error){ 0 };
		return error_within(&set->result.error, ret, "dropping",
				    set->path);
	}
	set->uses_cachestat = !set->is_mount &&
			      (!source || strcmp(source, "cachestat") == 0);
	ret = release_files(set, root, mounts, RELEASE_LOOK);
	if (!ret)
		ret = check_found(set);
	if (!ret)
		ret = find_mapped(set, root, &set->result.error);
	if (!ret && !knows_write_errors(set))
		read_write_errors(set, root);
	if (!set->uses_cachestat)
		return ret;
	if (set->files->before.has_pages) {
		set->result.why = (struct error){ 0 };
	} else {
		error_set(&other, ERROR_UNUSABLE,
			  "cachestat: this kernel has none, or refuses this "
			  "file (Linux 6.5)");
		error_append(&set->result.why, &other);
		error_within(&set->result.why, -EOPNOTSUPP, "measuring",
			     set->path);
	}
	return ret;
}

static int run_set(struct drop_set *set, const struct sysroot *root,
		   const struct all_mounts *mounts, const char *source)
{
	int ret;

	set->result.page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	patience_begin(root->patience);
	ret = measure(set, root, mounts, source);
	if (ret < 0)
		return ret;
	if (!set->is_mount)
		set->result.before = set->files->before;
	drop_set_forecast(set);
	ret = check_write_error(set);
	if (ret < 0 || set->result.dry_run)
		return ret;
	ret = write_set(set, root, mounts);
	if (!ret)
		ret = check_write_error(set);
	if (!ret)
		ret = release_files(set, root, mounts, RELEASE_PAGES);
	if (ret < 0)
		return ret;
	set->result.done = true;
	/* With the same source; cachestat has measured one file. */
	if (set->result.source && strcmp(set->result.source, "cachestat") != 0)
		measure_again(set, root, set->result.source, &set->result.why);
	if (!set->is_mount)
		set->result.after = set->files->after;
	return 0;
}

void drop_set_count_stayed(struct drop_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct drop_file *file = &set->files[i];

		file->stayed = set->result.done ? file->after.pages :
						  pages_that_stay(file);
	}
}

int drop_set_run(struct drop_set *set, const struct sysroot *root,
		 const struct all_mounts *mounts, const char *source)
{
	int ret = run_set(set, root, mounts, source);

	drop_set_count_stayed(set);
	return ret;
}

bool drop_set_is_partial(const struct drop_set *set)
{
	if (!set->result.done)
		return false;
	if (set->unlisted)
		return true;
	for (size_t i = 0; i < set->count; i++) {
		const struct drop_file *file = &set->files[i];

		if (file->stay == STAY_FAILED ||
		    file->stay == STAY_WRITE_ERROR ||
		    file->stay == STAY_UNKNOWN ||
		    (drop_file_goes(file) &&
		     drop_pages_are_dirty(&file->after)))
			return true;
	}
	return false;
}

void drop_set_deinit(struct drop_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct drop_file *file = &set->files[i];

		free(file->path);
		mapped_file_deinit(&file->mapped);
		string_list_deinit(&file->users);
	}
	free(set->files);
	string_list_deinit(&set->unknown_users);
	set->files = NULL;
	set->count = 0;
}
