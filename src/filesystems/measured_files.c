// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

#include "ask.h"
#include "cleanup.h"
#include "control.h"
#include "error.h"
#include "fs_target.h"
#include "measured_files.h"
#include "sysroot.h"

/* What each asking process is given. Paths come before the mounts. */
struct questions {
	const struct files_question *question;
	const struct all_mounts *mounts;
	int control;
};

struct answer {
	int error;
	struct bufstat_files files;
	struct bufstat_file rows[];
};

static int list(const struct questions *questions, int fd,
		struct answer *answer)
{
	answer->files = (struct bufstat_files){
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = fd,
		.capacity = (unsigned int)questions->question->limit,
		.rows = (uintptr_t)answer->rows,
	};
	return ioctl(questions->control, BUFSTAT_IOC_FILES, &answer->files) <
			       0 ?
		       errno :
		       0;
}

static void ask_path(const void *data, size_t index, void *to)
{
	const struct questions *questions = data;
	struct answer *answer = to;
	int fd = open(questions->question->paths[index], O_PATH | O_CLOEXEC);

	answer->error = fd < 0 ? errno : list(questions, fd, answer);
}

static void ask_target(const void *data, size_t index, void *to)
{
	const struct questions *questions = data;
	struct answer *answer = to;
	struct fs_target target;

	fs_target_init(&target, questions->mounts, index);
	answer->error = ENOENT;
	while (answer->error == ENOENT && fs_target_next(&target)) {
		answer->error = list(questions, target.fd, answer);
		if (!answer->error &&
		    !fs_target_is(&target, answer->files.major,
				  answer->files.minor))
			answer->error = ENOENT;
	}
	fs_target_deinit(&target);
}

static const struct mounted *find_mounted(const struct all_mounts *mounts,
					  const struct bufstat_files *answer)
{
	if (answer->about & BUFSTAT_FS_INTERNAL)
		return NULL;
	for (size_t i = 0; i < mounts->count; i++) {
		if (mounts->mounts[i].major == answer->major &&
		    mounts->mounts[i].minor == answer->minor)
			return &mounts->mounts[i];
	}
	return NULL;
}

/* The path as it is seen, else as it is in the filesystem, else the name. */
static int set_path(struct cached_file *file, const struct bufstat_file *row)
{
	const char *path = (const char *)row->path;
	int ret = 0;

	if (!*path)
		return 0;
	if (row->about & BUFSTAT_FILE_HAS_PATH && file->mounted)
		ret = mounted_path(file->mounted, path, &file->path);
	if (!ret && !file->path)
		file->path = strdup(path);
	return file->path ? 0 : -ENOMEM;
}

/* @own_ino: of this program's own shared memory, which is nobody's concern. */
static int take_rows(struct cached_files *files, const struct answer *answer,
		     uint64_t own_ino)
{
	int ret = 0;

	files->pages += answer->files.pages;
	for (size_t i = 0; !ret && i < answer->files.count; i++) {
		const struct bufstat_file *row = &answer->rows[i];
		struct cached_file *file = &files->files[files->count];

		if (answer->files.about & BUFSTAT_FS_INTERNAL &&
		    row->ino == own_ino)
			continue;
		files->count++;
		*file = (struct cached_file){
			.mounted = find_mounted(&files->mounts, &answer->files),
			.major = answer->files.major,
			.minor = answer->files.minor,
			.ino = row->ino,
			.pages = row->pages,
			.size_bytes = row->size_bytes,
			.mode = row->mode,
			.is_deleted = row->about & BUFSTAT_FILE_DELETED,
		};
		ret = set_path(file, row);
	}
	return ret;
}

static int add_why(struct cached_files *files, const char *where,
		   const char *reason)
{
	_cleanup_(freep) char *text = NULL;

	if (asprintf(&text, "%s: %s", where, reason) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return string_list_add(&files->why, text);
}

/* What has no pages in Cached by nature is left out, unless it was named. */
static int take_answer(struct cached_files *files, const struct answer *answer,
		       uint64_t own_ino, const char *where, bool named)
{
	if (answer && !answer->error)
		return take_rows(files, answer, own_ino);
	if (answer && answer->error == EOPNOTSUPP && !named)
		return 0;
	if (!answer) {
		files->silent++;
		return add_why(files, where, "did not answer");
	}
	files->refused++;
	return add_why(files, where,
		       answer->error == EOPNOTSUPP ?
			       "no filesystem whose pages are in Cached" :
			       strerror(answer->error));
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

	return (a->pages < b->pages) - (a->pages > b->pages);
}

static void cached_file_deinit(struct cached_file *file)
{
	free(file->path);
	string_list_deinit(&file->users);
}

/* Two paths may be of one filesystem: its files are there twice then. */
static void keep_the_first(struct cached_files *files, size_t limit)
{
	size_t kept = 0;

	if (files->count)
		qsort(files->files, files->count, sizeof(*files->files),
		      by_pages);
	for (size_t i = 0; i < files->count; i++) {
		const struct cached_file *file = &files->files[i];
		bool again = false;

		for (size_t j = kept; j-- > 0 && !again;)
			again = files->files[j].ino == file->ino &&
				files->files[j].major == file->major &&
				files->files[j].minor == file->minor;
		if (again || kept == limit)
			cached_file_deinit(&files->files[i]);
		else
			files->files[kept++] = *file;
	}
	files->count = kept;
}

static int ask_all(struct cached_files *files, int control,
		   const struct files_question *question, struct error *err)
{
	const struct questions questions = {
		.question = question,
		.mounts = &files->mounts,
		.control = control,
	};
	bool named = question->path_count;
	size_t count = named ? question->path_count : files->mounts.count + 1;
	size_t size = sizeof(struct answer) +
		      question->limit * sizeof(struct bufstat_file);
	struct asked *asked = NULL;
	int ret;

	files->files = calloc(count * question->limit, sizeof(*files->files));
	if (!files->files)
		return error_errno(err, ENOMEM, "asking", "the filesystems");
	ret = ask(named ? ask_path : ask_target, &questions, count, size,
		  question->seconds, &asked, err);
	for (size_t i = 0; !ret && i < count; i++) {
		if (take_answer(files, asked_answer(asked, i), asked_ino(asked),
				name_of(files, question, i), named) < 0)
			ret = error_errno(err, ENOMEM, "asking",
					  "the filesystems");
	}
	asked_destroy(asked);
	if (!ret)
		keep_the_first(files, question->limit);
	return ret;
}

int cached_files_init(struct cached_files *files, const struct sysroot *root,
		      const struct files_question *question, struct error *err)
{
	_cleanup_(closep) int control = -1;

	*files = (struct cached_files){
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	control = control_open(root, err);
	if (control < 0)
		return control;
	if (all_mounts_init(&files->mounts, root) < 0)
		return error_errno(err, ENOMEM, "reading", "the mounts");
	return ask_all(files, control, question, err);
}

void cached_files_deinit(struct cached_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		cached_file_deinit(&files->files[i]);
	free(files->files);
	string_list_deinit(&files->why);
	all_mounts_deinit(&files->mounts);
	*files = (struct cached_files){ 0 };
}
