// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

#include "filesystems/files_saved.h"
#include "filesystems/found_paths.h"
#include "filesystems/inquiry.h"
#include "filesystems/kernel_files.h"
#include "filesystems/measured_files.h"
#include "kernel/kernel.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/source_name.h"
#include "measure/vmcore.h"
#include "measure/ways.h"
#include "worker/ask.h"

struct answer {
	struct inquiry_answer head;
	struct found_path path; /* of a question about a path */
	struct bufstat_files files;
	struct bufstat_file rows[];
};

static bool is_file(const struct found_path *path)
{
	return path->mode && !S_ISDIR(path->mode);
}

static size_t put(const struct inquiry *inquiry, int control, int fd, void *to)
{
	struct answer *answer = to;
	struct bufstat_files *files = &answer->files;

	if (inquiry->paths)
		found_path_fill(&answer->path, inquiry->root, fd);

	*files = (struct bufstat_files){
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = fd,
		.flags = is_file(&answer->path) ? BUFSTAT_FILES_ONE : 0,
		.capacity = (unsigned int)inquiry->limit,
		.rows = (uintptr_t)answer->rows,
	};
	answer->head.error =
		ioctl(control, BUFSTAT_IOC_FILES, files) < 0 ? errno : 0;
	if (answer->head.error)
		files->count = 0;
	answer->head.major = files->major;
	answer->head.minor = files->minor;
	return sizeof(*answer) + files->count * sizeof(*answer->rows);
}

static const struct mounted *find_mounted(const struct all_mounts *mounts,
					  const struct bufstat_files *answer)
{
	return answer->about & BUFSTAT_FS_INTERNAL ?
		       NULL :
		       all_mounts_find(mounts, answer->major, answer->minor);
}

/*
 * Prefers a path through a mount point, then the path inside the filesystem,
 * then the bare name.
 */
static int set_path(const struct cached_files *files, struct cached_file *file,
		    const struct mounted *mounted,
		    const struct bufstat_file *row)
{
	const char *path = (const char *)row->path;
	int ret = 0;

	if (!*path)
		return 0;
	if (row->about & BUFSTAT_FILE_HAS_PATH && mounted)
		ret = mounted_path(mounted, path, &files->below, &file->path);
	if (!ret && !file->path)
		file->path = strdup(path);
	return file->path ? 0 : -ENOMEM;
}

int cached_file_name(struct cached_file *file, const struct mounted *mounted)
{
	file->is_own = !mounted;
	if (!mounted)
		return 0;
	file->source = strdup(mounted->source);
	file->type = strdup(mounted->type);
	if (mounted->mountpoints.count)
		file->place = strdup(mounted->mountpoints.strings[0]);
	return file->source && file->type &&
			       (file->place || !mounted->mountpoints.count) ?
		       0 :
		       -ENOMEM;
}

/* The module lists no file without pages. */
static int take_empty(struct cached_files *files, const struct answer *answer,
		      const struct mounted *mounted, const char *path)
{
	struct cached_file *file = &files->files[files->count++];

	*file = (struct cached_file){
		.major = answer->files.major,
		.minor = answer->files.minor,
		.ino = answer->path.ino,
		.size_bytes = answer->path.size_bytes,
		.mode = answer->path.mode,
		.is_named = true,
		.path = strdup(path),
	};
	return file->path ? cached_file_name(file, mounted) : -ENOMEM;
}

static int take_rows(struct cached_files *files, const struct answer *answer,
		     const struct mounted *mounted, const char *where)
{
	bool named = is_file(&answer->path);
	int ret = 0;

	if (named && !answer->files.count)
		return take_empty(files, answer, mounted, where);
	if (!named) {
		files->pages += answer->files.pages;
		files->has_pages = true;
	}
	if (answer->files.with_pages > answer->files.count)
		files->unlisted +=
			answer->files.with_pages - answer->files.count;
	for (size_t i = 0; !ret && i < answer->files.count; i++) {
		const struct bufstat_file *row = &answer->rows[i];
		struct cached_file *file = &files->files[files->count++];

		*file = (struct cached_file){
			.major = answer->files.major,
			.minor = answer->files.minor,
			.ino = row->ino,
			.pages = row->pages,
			.size_bytes = row->size_bytes,
			.mode = row->mode,
			.is_deleted = row->about & BUFSTAT_FILE_DELETED,
			.has_write_error = row->about & BUFSTAT_FILE_HAS_WB_ERR,
			.write_error = row->wb_err,
			.has_tags = row->about & BUFSTAT_FILE_HAS_DIRTY,
			.dirty = row->dirty_pages,
			.writeback = row->writeback_pages,
			.is_named = named,
		};
		ret = cached_file_name(file, mounted);
		if (!ret)
			ret = set_path(files, file, mounted, row);
	}
	return ret;
}

int cached_files_refuse(struct cached_files *files, const char *where,
			const char *why, bool is_silent)
{
	_cleanup_(freep) char *text = NULL;

	if (is_silent)
		files->silent++;
	else
		files->refused++;
	if (asprintf(&text, "%s: %s", where, why) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return string_list_add(&files->why, text);
}

const char *cached_file_why_not(const struct found_path *path,
				const struct mounted *mounted)
{
	if (S_ISBLK(path->mode))
		return "a block device: its pages are in Buffers (see bufstat "
		       "devices)";
	if (is_file(path) && mounted && strcmp(mounted->type, "overlay") == 0)
		return "on an overlay: its pages are those of a file on the "
		       "filesystem below";
	return NULL;
}

/* Why the answer, which has the error, has no rows. */
static const char *why_refused(const struct answer *answer)
{
	if (answer->head.error == EOPNOTSUPP)
		return "no filesystem whose pages are in Cached";
	/* An older module knows no flags. */
	if (answer->head.error == EINVAL && is_file(&answer->path))
		return "the loaded module cannot look at a single file (load "
		       "the one of this version)";
	return strerror(answer->head.error);
}

/*
 * Filesystems whose pages are never in Cached are skipped, unless they were
 * named.
 */
static int take_answer(struct cached_files *files, const struct answer *answer,
		       const char *why, const char *where, bool named)
{
	int error = answer ? answer->head.error : 0;
	const struct mounted *mounted;

	if (!answer)
		return cached_files_refuse(files, where, why, true);
	if ((error == EOPNOTSUPP || is_file(&answer->path)) && !named)
		return 0;
	mounted = find_mounted(&files->mounts, &answer->files);
	why = cached_file_why_not(&answer->path, mounted);
	if (!why && !error)
		return take_rows(files, answer, mounted, where);
	return cached_files_refuse(files, where,
				   why ? why : why_refused(answer), false);
}

static const char *name_of(const struct cached_files *files,
			   const struct files_question *question, size_t index)
{
	if (question->path_count)
		return question->paths[index];
	return index < files->mounts.count ?
		       files->mounts.mounts[index].mountpoints.strings[0] :
		       "shared memory";
}

static int by_pages(const void *left, const void *right)
{
	const struct cached_file *a = left, *b = right;

	if (a->pages != b->pages)
		return a->pages < b->pages ? 1 : -1;
	return b->is_named - a->is_named;
}

/* The subvolumes of btrfs number their files independently. */
static bool is_same(const struct cached_file *a, const struct cached_file *b)
{
	return a->ino == b->ino && a->major == b->major &&
	       a->minor == b->minor &&
	       (!a->path || !b->path || strcmp(a->path, b->path) == 0);
}

static void cached_file_deinit(struct cached_file *file)
{
	free(file->source);
	free(file->type);
	free(file->place);
	free(file->path);
	string_list_deinit(&file->users);
}

bool cached_files_want(const struct cached_files *files,
		       const struct cached_file *file)
{
	const char *path = file->path ?: "";

	/* What has no path is taken to be where its filesystem is. */
	if (*path != '/')
		path = file->place ?: "?";
	return file->is_named || below_has(&files->below, path);
}

/* A file that is named is listed a second time if its filesystem is, too. */
void cached_files_keep(struct cached_files *files, size_t limit)
{
	size_t kept = 0, unnamed = 0;

	if (files->count)
		qsort(files->files, files->count, sizeof(*files->files),
		      by_pages);
	for (size_t i = 0; i < files->count; i++) {
		const struct cached_file *file = &files->files[i];
		bool again = !cached_files_want(files, file);

		for (size_t j = kept; j-- > 0 && !again;)
			again = is_same(&files->files[j], file);
		if (again || (!file->is_named && unnamed == limit)) {
			cached_file_deinit(&files->files[i]);
			continue;
		}
		unnamed += !file->is_named;
		files->files[kept++] = *file;
	}
	files->count = kept;
}

static bool has_filesystem(const struct answer *answer)
{
	return answer && !answer->head.error && !is_file(&answer->path);
}

/* Whether an earlier question was about the same filesystem. */
static bool is_taken(const struct inquired *inquired, size_t index,
		     const struct answer *answer)
{
	char why[ASK_WHY];

	for (size_t i = 0; i < index; i++) {
		const struct answer *other = inquired_answer(inquired, i, why);

		if (has_filesystem(other) &&
		    other->files.major == answer->files.major &&
		    other->files.minor == answer->files.minor)
			return true;
	}
	return false;
}

static int take_answers(struct cached_files *files,
			const struct files_question *question,
			const struct inquired *inquired, size_t count)
{
	char why[ASK_WHY];
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		const struct answer *answer = inquired_answer(inquired, i, why);

		if (has_filesystem(answer) && is_taken(inquired, i, answer))
			continue;
		ret = take_answer(
			files, answer, why, name_of(files, question, i),
			i + question->more_count < question->path_count);
	}
	return ret;
}

static int ask_all(struct cached_files *files, const struct sysroot *root,
		   int control, const struct files_question *question,
		   struct error *err)
{
	bool below = files->below.count;
	size_t wanted = question->limit ? question->limit : BUFSTAT_FILES_MAX;
	size_t limit = below ? BUFSTAT_FILES_MAX : wanted;
	const struct inquiry inquiry = {
		.root = root,
		.mounts = &files->mounts,
		.paths = question->path_count ? question->paths : NULL,
		.path_count = question->path_count,
		.answer_size = sizeof(struct answer) +
			       limit * sizeof(struct bufstat_file),
		.put = put,
		.limit = limit,
	};
	size_t count = inquiry_count(&inquiry);
	struct inquired *inquired = NULL;
	int ret;

	files->files = calloc(count * limit, sizeof(*files->files));
	if (!files->files)
		return error_errno(err, ENOMEM, "asking", "the filesystems");
	ret = inquire(&inquiry, control, &inquired, err);
	if (!ret && take_answers(files, question, inquired, count) < 0)
		ret = error_errno(err, ENOMEM, "asking", "the filesystems");
	inquired_destroy(inquired);
	if (!ret)
		cached_files_keep(files, wanted);
	if (!ret && below && files->unlisted && files->count < wanted &&
	    cached_files_refuse(files, "module",
				"it lists the 1024 largest files of a "
				"filesystem; smaller ones that are below the "
				"directory are missing (--source kcore)",
				false))
		ret = error_errno(err, ENOMEM, "asking", "the filesystems");
	return ret;
}

/* Adds the directories among the paths, and what is mounted below them. */
static int look_below(struct cached_files *files, const struct sysroot *root,
		      struct files_question *question, struct error *err)
{
	_cleanup_(found_paths_deinit) struct found_paths found;
	struct string_list *paths = &files->paths;
	char why[ASK_WHY];
	int ret = found_paths_init(&found, root, question->paths,
				   question->path_count, err);

	if (ret < 0)
		return ret;
	for (size_t i = 0; !ret && i < question->path_count; i++) {
		const struct found_path *path = found_paths_get(&found, i, why);
		const char *name = question->paths[i];

		ret = string_list_add(paths, name);
		if (ret || !path || !S_ISDIR(path->mode))
			continue;
		/* Mounts of other namespaces are shown as below it. */
		if (strncmp(name, "/proc/", 6) != 0 || !strstr(name, "/root"))
			name = path->real;
		ret = string_list_add(&files->below, name);
	}
	for (size_t i = 0; i < files->mounts.count; i++) {
		struct string_list *at = &files->mounts.mounts[i].mountpoints;

		for (size_t j = 0; !ret && j < at->count; j++) {
			if (files->below.count &&
			    below_has(&files->below, at->strings[j]))
				ret = string_list_add(paths, at->strings[j]);
		}
	}
	question->more_count = paths->count - question->path_count;
	question->paths = paths->strings;
	question->path_count = paths->count;
	return ret ? error_errno(err, ENOMEM, "looking up", "paths") : 0;
}

static int find_mounts(struct cached_files *files, const struct sysroot *root,
		       struct files_question *question, struct error *err)
{
	if (all_mounts_init(&files->mounts, root) < 0)
		return error_errno(err, ENOMEM, "reading", "the mounts");
	return question->below ? look_below(files, root, question, err) : 0;
}

/* The answer of the ways to the files. */
struct finding {
	struct cached_files *files;
	const struct files_question *question;
};

static int ask_module(struct cached_files *files, const struct sysroot *root,
		      struct files_question question, struct error *err)
{
	_cleanup_(closep) int control = control_open(root, err);
	int ret = control;

	files->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	if (control >= 0)
		ret = find_mounts(files, root, &question, err);
	return ret < 0 ? ret : ask_all(files, root, control, &question, err);
}

/* The running kernel, or that in a dump, which has no mounts of this host. */
static int read_kernel(struct cached_files *files, const struct sysroot *root,
		       struct files_question question, struct error *err)
{
	const char *vmcore = question.vmcore;
	struct kernel kernel;
	int ret = kernel_open(&kernel, root, vmcore, err);

	files->page_size = kernel.page_size;
	files->is_dump = vmcore;
	if (!ret && vmcore_release(&kernel, &files->kernel) < 0)
		ret = error_errno(err, ENOMEM, "reading a dump", vmcore);
	if (!ret && !vmcore)
		ret = find_mounts(files, root, &question, err);
	if (!ret)
		ret = kernel_files_find(files, root, &kernel, &question, err);
	return kernel_close(&kernel, ret, err);
}

static int take(void *answer, size_t which, const struct sysroot *root,
		struct error *err)
{
	const struct finding *finding = answer;

	cached_files_deinit(finding->files);
	finding->files->source = source_names[which];
	return (which == 0 ? ask_module : read_kernel)(finding->files, root,
						       *finding->question, err);
}

static const struct ways ways = { source_of_files_name, take };

int cached_files_init(struct cached_files *files, const struct sysroot *root,
		      const struct files_question *question, struct error *err)
{
	struct finding finding = { files, question };

	*files = (struct cached_files){ 0 };
	if (question->vmcore) {
		files->source = "vmcore";
		return read_kernel(files, root, *question, err);
	}
	if (!sysroot_is_live(root))
		return files_saved_read_tree(root, question, files, err);
	return ways_take(&ways, question->source, &finding, root, NULL, err);
}

void cached_files_cut(struct cached_files *files, size_t limit)
{
	while (files->count > limit)
		cached_file_deinit(&files->files[--files->count]);
}

bool cached_files_are_whole(const struct cached_files *files)
{
	return !files->silent && !files->refused &&
	       !files->unknown_users.count && !files->mounts.failed &&
	       !files->lacks_paths && !files->lacks_files;
}

void cached_files_deinit(struct cached_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		cached_file_deinit(&files->files[i]);
	free(files->files);
	free(files->kernel);
	string_list_deinit(&files->why);
	string_list_deinit(&files->unknown_users);
	string_list_deinit(&files->below);
	string_list_deinit(&files->paths);
	all_mounts_deinit(&files->mounts);
	*files = (struct cached_files){ 0 };
}
