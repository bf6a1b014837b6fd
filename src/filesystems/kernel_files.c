// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "filesystems/fdinfo.h"
#include "filesystems/kernel_files.h"
#include "filesystems/kernel_filesystems.h"
#include "filesystems/kernel_tags.h"
#include "filesystems/measured_files.h"
#include "kernel/inode_name.h"
#include "kernel/inodes.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"

#define WALK_ATTEMPTS 3

/* A file that may be among those with most pages. */
struct candidate {
	size_t superblock; /* its index in the list of superblocks */
	struct inode inode;
};

/* The largest files so far, at most twice as many as are wanted. */
struct top {
	struct candidate *files;
	size_t count;
	size_t capacity;
	size_t limit; /* 0: all files are wanted */
	const uint64_t *ino; /* only this one is, or NULL */
	size_t superblock; /* index of the one that is walked now */
	uint64_t more_than_pages; /* a file with no more is not added */
	uint64_t pages; /* of all files of that superblock */
};

struct finding {
	struct cached_files *files;
	const struct kernel *kernel;
	struct kernel_filesystems found;
	struct top top;
	const struct mounted **mounted; /* each superblock's, or NULL */
};

static int by_pages(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	return (a->inode.pages < b->inode.pages) -
	       (a->inode.pages > b->inode.pages);
}

static void keep_the_largest(struct top *top)
{
	if (top->count)
		qsort(top->files, top->count, sizeof(*top->files), by_pages);
	if (!top->limit || top->count < top->limit)
		return;
	top->count = top->limit;
	top->more_than_pages = top->files[top->limit - 1].inode.pages;
}

static int add_inode(void *data, const struct inode *inode, struct error *err)
{
	struct top *top = data;

	if (!inode->pages)
		return 0;
	if (__builtin_add_overflow(top->pages, inode->pages, &top->pages))
		return error_set(err, EBADMSG, "an impossible number of pages");
	if (inode->pages <= top->more_than_pages ||
	    (top->ino && *top->ino != inode->ino))
		return 0;
	if (array_make_room(&top->files, top->count, &top->capacity,
			    sizeof(*top->files)) < 0)
		return error_errno(err, ENOMEM, NULL, NULL);
	top->files[top->count++] = (struct candidate){
		.superblock = top->superblock,
		.inode = *inode,
	};
	if (top->limit && top->count == 2 * top->limit)
		keep_the_largest(top);
	return 0;
}

/* Adds the largest files of one filesystem to those of all. */
static int merge(struct top *all, struct top *one)
{
	keep_the_largest(one);
	for (size_t i = 0; i < one->count; i++) {
		if (array_make_room(&all->files, all->count, &all->capacity,
				    sizeof(*all->files)) < 0)
			return -ENOMEM;
		all->files[all->count++] = one->files[i];
	}
	keep_the_largest(all);
	return 0;
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

/* Walks one filesystem, called @where in messages. */
static int walk(struct finding *finding, size_t index, const char *where)
{
	const struct superblock *superblock =
		&finding->found.superblocks.list[index];
	struct top *all = &finding->top;
	struct top top = {
		.limit = all->limit,
		.ino = all->ino,
		.superblock = index,
	};
	char text[ERROR_TEXT_SIZE];
	struct error why;
	int attempts = WALK_ATTEMPTS, ret;

	do {
		top.count = 0;
		top.pages = 0;
		top.more_than_pages = all->more_than_pages;
		ret = inodes_walk(finding->kernel->kmem, &finding->found.layout,
				  superblock->address, add_inode, &top, &why);
	} while (ret == -EAGAIN && --attempts);
	if (!ret) {
		ret = merge(all, &top);
		finding->files->pages += top.pages;
	} else if (ret != -ENOMEM) {
		finding->files->refused++;
		ret = add_why(finding->files, where,
			      error_text_without_remedy(&why, text));
	}
	free(top.files);
	return ret;
}

/* Walks the superblock at @index if its pages are in Cached. */
static int walk_any(struct finding *finding, size_t index)
{
	const struct superblock *superblock =
		&finding->found.superblocks.list[index];
	struct cached_files *files = finding->files;
	const struct mounted **mounted = &finding->mounted[index];
	enum superblock_kind kind =
		kernel_filesystems_kind(&finding->found, finding->kernel,
					&files->mounts, index, mounted);

	switch (kind) {
	case SUPERBLOCK_MOUNTED:
		return walk(finding, index, (*mounted)->mountpoints.strings[0]);
	case SUPERBLOCK_OWN:
		return walk(finding, index, "shared memory");
	case SUPERBLOCK_UNMOUNTED:
		*mounted = kernel_filesystems_add_unmounted(&files->unmounted,
							    superblock);
		return *mounted ? walk(finding, index, superblock->id) :
				  -ENOMEM;
	default:
		return 0;
	}
}

/* A worker's answer about a path: the mount that it is in. */
struct path_answer {
	int error; /* an errno; 0: there is an id */
	uint64_t mount_id;
};

struct paths {
	const struct sysroot *root;
	const struct files_question *question;
};

static size_t look_up(const void *data, size_t index, void *to)
{
	const struct paths *paths = data;
	struct path_answer *answer = to;
	_cleanup_(closep) int fd =
		open(paths->question->paths[index], O_PATH | O_CLOEXEC);
	_cleanup_(freep) char *info = NULL;
	char name[16];
	int ret;

	snprintf(name, sizeof(name), "%d", fd);
	ret = fd < 0 ? -errno : fdinfo_read(paths->root, "self", name, &info);
	answer->error = -ret;
	if (!ret && !fdinfo_number(info, "mnt_id:", &answer->mount_id))
		answer->error = EBADMSG;
	return sizeof(*answer);
}

static void name_path(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct paths *paths = data;

	snprintf(text, STUCK_OBJECT, "%s", paths->question->paths[index]);
}

/* Returns the index of the mount's superblock, or -1. */
static ssize_t find_superblock(const struct finding *finding, uint64_t mount)
{
	const struct superblocks *superblocks = &finding->found.superblocks;
	const struct mount_id *id =
		all_mounts_find_id(&finding->files->mounts, mount);

	for (size_t i = 0; id && i < superblocks->count; i++) {
		if (superblock_major(&superblocks->list[i]) == id->major &&
		    superblock_minor(&superblocks->list[i]) == id->minor)
			return (ssize_t)i;
	}
	return -1;
}

static bool is_walked(const ssize_t *places, size_t count, ssize_t place)
{
	for (size_t i = 0; i < count; i++) {
		if (places[i] == place)
			return true;
	}
	return false;
}

/* Walks the filesystem of each path, but no filesystem twice. */
static int walk_paths(struct finding *finding,
		      const struct files_question *question,
		      const struct asked *asked)
{
	_cleanup_(freep)
		ssize_t *places = calloc(question->path_count, sizeof(*places));
	struct cached_files *files = finding->files;
	int ret = places ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < question->path_count; i++) {
		const struct path_answer *answer = asked_answer(asked, i);
		const struct mounted **mounted;
		const char *path = question->paths[i];
		char why[ASK_WHY];

		places[i] = -1;
		if (!answer) {
			files->silent++;
			ret = add_why(files, path, asked_why(asked, i, why));
			continue;
		}
		if (!answer->error)
			places[i] = find_superblock(finding, answer->mount_id);
		if (places[i] >= 0 && is_walked(places, i, places[i]))
			continue;
		mounted = &finding->mounted[places[i] < 0 ? 0 : places[i]];
		if (places[i] < 0 ||
		    kernel_filesystems_kind(&finding->found, finding->kernel,
					    &files->mounts, (size_t)places[i],
					    mounted) != SUPERBLOCK_MOUNTED) {
			files->refused++;
			ret = add_why(files, path,
				      answer->error ?
					      strerror(answer->error) :
					      "no filesystem whose pages are "
					      "in Cached");
			continue;
		}
		ret = walk(finding, (size_t)places[i], path);
	}
	return ret;
}

static int find_paths(struct finding *finding, const struct sysroot *root,
		      const struct files_question *question, struct error *err)
{
	const struct paths paths = { root, question };
	const struct ask questions = {
		.answer = look_up,
		.data = &paths,
		.count = question->path_count,
		.answer_size = sizeof(struct path_answer),
		.kept = -1,
		.name = name_path,
		.patience = root->patience,
	};
	struct asked *asked = NULL;
	int ret = ask(&questions, &asked, err);

	if (!ret && walk_paths(finding, question, asked) < 0)
		ret = error_errno(err, ENOMEM, "looking for", "the files");
	asked_destroy(asked);
	return ret;
}

static int find_all(struct finding *finding, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < finding->found.superblocks.count; i++)
		ret = walk_any(finding, i);
	finding->files->refused += finding->found.superblocks.lost;
	if (!ret && finding->found.superblocks.lost)
		ret = add_why(finding->files, "filesystems",
			      kmem_strerror(-ENODATA));
	return ret < 0 ? error_errno(err, -ret, "looking for", "the files") : 0;
}

/*
 * Sets the path as processes see it, else as it is in the filesystem, else the
 * bare name. Sets none if there is another inode at the address by now.
 */
static int set_path(const struct finding *finding,
		    const struct candidate *candidate, struct cached_file *file)
{
	const struct kmem *kmem = finding->kernel->kmem;
	const struct fs_layout *layout = &finding->found.layout;
	uint64_t superblock =
		finding->found.superblocks.list[candidate->superblock].address;
	const struct inode *inode = &candidate->inode;
	struct inode_name name;
	struct inode now;
	int ret = 0;

	if (inode_name_read(kmem, layout, inode->address, inode->links, &name) <
		    0 ||
	    !*name.text ||
	    inode_read(kmem, layout, superblock, inode->address, &now) < 0 ||
	    now.ino != inode->ino)
		return 0;
	if (*name.text == '/' && file->mounted)
		ret = mounted_path(file->mounted, name.text, &file->path);
	if (!ret && !file->path)
		file->path = strdup(name.text);
	return file->path ? 0 : -ENOMEM;
}

static int take_files(struct finding *finding)
{
	struct cached_files *files = finding->files;
	struct top *top = &finding->top;
	int ret = 0;

	keep_the_largest(top);
	files->files = calloc(top->count + 1, sizeof(*files->files));
	if (!files->files)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < top->count; i++) {
		const struct candidate *candidate = &top->files[i];
		const struct inode *inode = &candidate->inode;
		struct superblock *superblock =
			&finding->found.superblocks.list[candidate->superblock];
		struct cached_file *file = &files->files[files->count++];

		*file = (struct cached_file){
			.mounted = finding->mounted[candidate->superblock],
			.major = superblock_major(superblock),
			.minor = superblock_minor(superblock),
			.ino = inode->ino,
			.pages = inode->pages,
			.size_bytes = inode->size_bytes,
			.mode = inode->mode,
			.is_deleted = !inode->links,
		};
		ret = set_path(finding, candidate, file);
	}
	return ret;
}

/* The files are those of the candidates, in the same order. */
static int set_details(struct finding *finding)
{
	struct cached_files *files = finding->files;
	_cleanup_(kernel_tags_deinit) struct kernel_tags tags = { 0 };
	_cleanup_(freep) struct page_tree *trees =
		calloc(files->count + 1, sizeof(*trees));
	size_t tagged = 0;

	if (!trees)
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++) {
		const struct inode *inode = &finding->top.files[i].inode;

		if (page_tree_is_tagged(&inode->tree))
			trees[tagged++] = inode->tree;
	}
	kernel_tags_count(&tags, finding->kernel, trees, tagged);
	tagged = 0;
	for (size_t i = 0; i < files->count; i++) {
		const struct inode *inode = &finding->top.files[i].inode;
		struct cached_file *file = &files->files[i];

		file->has_details = true;
		file->is_mapped = inode->is_mapped;
		file->write_error = inode->write_error;
		file->has_tags = true;
		if (!page_tree_is_tagged(&inode->tree))
			continue;
		file->has_tags = trees[tagged].has_tags;
		file->dirty = trees[tagged].dirty;
		file->writeback = trees[tagged].writeback;
		tagged++;
	}
	return 0;
}

static int find(struct finding *finding, const struct sysroot *root,
		const struct files_question *question, struct error *err)
{
	size_t count = finding->found.superblocks.count;
	int ret;

	finding->mounted = calloc(count + 1, sizeof(struct mounted *));
	finding->files->unmounted.mounts =
		calloc(count + 1, sizeof(struct mounted));
	finding->top.limit = question->limit;
	finding->top.ino = question->ino;
	if (!finding->mounted || !finding->files->unmounted.mounts)
		return error_errno(err, ENOMEM, "looking for", "the files");
	ret = question->path_count ? find_paths(finding, root, question, err) :
				     find_all(finding, err);
	if (!ret && take_files(finding) < 0)
		ret = error_errno(err, ENOMEM, "looking for", "the files");
	if (!ret && question->details && set_details(finding) < 0)
		ret = error_errno(err, ENOMEM, "looking for", "the files");
	return ret;
}

int kernel_files_find(struct cached_files *files, const struct sysroot *root,
		      const struct kernel *kernel,
		      const struct files_question *question, struct error *err)
{
	struct finding finding = { .files = files, .kernel = kernel };
	int ret = kernel_filesystems_init(&finding.found, kernel, err);

	if (!ret)
		ret = find(&finding, root, question, err);
	free(finding.top.files);
	free(finding.mounted);
	kernel_filesystems_deinit(&finding.found);
	return ret;
}
