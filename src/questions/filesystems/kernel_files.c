// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "filesystems/found_paths.h"
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
#include "lib/sysroot.h"
#include "worker/ask.h"
#include "worker/patience.h"

/* Files of the same number in one filesystem that are listed. */
#define NAMESAKES 16

/* A file that may be among those with most pages. */
struct candidate {
	size_t superblock; /* its index in the list of superblocks */
	struct inode inode; /* without address if it is not in memory */
	const char *named; /* as the user named it, or NULL */
};

/* The largest files so far, at most twice as many as are wanted. */
struct top {
	struct candidate *files;
	size_t count;
	size_t capacity;
	size_t limit; /* 0: all files are wanted */
	size_t superblock; /* index of the one that is walked now */
	uint64_t only; /* if not 0, only files of this number, all of them */
	uint64_t more_than_pages; /* a file with no more is not added */
	uint64_t before; /* more_than_pages at the beginning */
};

struct finding {
	struct cached_files *files;
	const struct kernel *kernel;
	struct kernel_filesystems found;
	struct top top;
	struct candidate *named; /* files that the user named */
	size_t named_count;
	const struct mounted **mounted; /* each superblock's, or NULL */
	struct all_mounts unmounted; /* those that only the kernel knows of */
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

	if (top->only ? inode->ino != top->only :
			inode->pages <= top->more_than_pages)
		return 0;
	if (array_make_room(&top->files, top->count, &top->capacity) < 0)
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
		if (array_make_room(&all->files, all->count, &all->capacity) <
		    0)
			return -ENOMEM;
		all->files[all->count++] = one->files[i];
	}
	keep_the_largest(all);
	return 0;
}

static void begin(void *data)
{
	struct top *top = data;

	top->count = 0;
	top->more_than_pages = top->before;
}

/*
 * Fills @top, which the caller has initialised and frees. Returns 1, or 0 if
 * the filesystem, called @where in messages, could not be walked, or -ENOMEM.
 */
static int walk_into(struct finding *finding, size_t index, const char *where,
		     struct top *top, struct inode_sums *sums)
{
	int ret, refused = 0;

	top->superblock = index;
	top->before = top->more_than_pages;
	ret = kernel_filesystems_walk(&finding->found, finding->kernel, index,
				      where, begin, add_inode, top, sums);
	if (ret == -ENOMEM)
		return ret;
	if (*sums->why)
		refused = cached_files_refuse(finding->files, where, sums->why,
					      sums->is_late);
	return refused ? refused : !ret;
}

static int walk(struct finding *finding, size_t index, const char *where)
{
	struct top *all = &finding->top;
	struct top top = {
		.limit = all->limit,
		.more_than_pages = all->more_than_pages,
	};
	struct inode_sums sums;
	int ret = walk_into(finding, index, where, &top, &sums);

	if (ret > 0) {
		ret = merge(all, &top);
		finding->files->pages += sums.pages;
		finding->files->has_pages = true;
	}
	free(top.files);
	return ret < 0 ? ret : 0;
}

static int add_named(struct finding *finding, const struct candidate *found,
		     size_t count, const char *path)
{
	struct candidate *named = reallocarray(
		finding->named, finding->named_count + count, sizeof(*named));

	if (!named)
		return -ENOMEM;
	finding->named = named;
	for (size_t i = 0; i < count; i++) {
		named[finding->named_count] = found[i];
		named[finding->named_count++].named = path;
	}
	return 0;
}

/*
 * Looks for one file. An inode that is not in memory has no pages. In btrfs,
 * files of several subvolumes may have the number.
 */
static int walk_file(struct finding *finding, size_t index, const char *path,
		     const struct found_path *found)
{
	struct candidate absent = {
		.superblock = index,
		.inode = { .ino = found->ino,
			   .size_bytes = found->size_bytes,
			   .mode = found->mode,
			   .links = 1 },
	};
	struct top top = { .limit = NAMESAKES, .only = found->ino };
	struct inode_sums sums;
	int ret = walk_into(finding, index, path, &top, &sums);

	if (ret > 0) {
		keep_the_largest(&top);
		ret = top.count ?
			      add_named(finding, top.files, top.count, path) :
			      add_named(finding, &absent, 1, path);
	}
	free(top.files);
	return ret;
}

/* Like a mount, but without mount points. There is room for it. */
static const struct mounted *add_unmounted(struct all_mounts *unmounted,
					   const struct superblock *superblock)
{
	struct mounted *mounted = &unmounted->mounts[unmounted->count++];

	*mounted = (struct mounted){
		.major = superblock_major(superblock),
		.minor = superblock_minor(superblock),
		.type = strdup(superblock->type),
		.source = strdup(superblock->id),
	};
	return mounted->type && mounted->source ? mounted : NULL;
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
		*mounted = add_unmounted(&finding->unmounted, superblock);
		return *mounted ? walk(finding, index, superblock->id) :
				  -ENOMEM;
	default:
		return 0;
	}
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

/*
 * Walks what the path leads to: a file alone, or the filesystem of a directory,
 * unless it was walked already. *@place is that of the superblock then.
 */
static int walk_path(struct finding *finding, const struct found_path *found,
		     const char *path, const ssize_t *before, size_t count)
{
	ssize_t place = before[count];
	const struct mounted **mounted =
		&finding->mounted[place < 0 ? 0 : place];
	const char *why = NULL;

	if (place < 0 ||
	    kernel_filesystems_kind(&finding->found, finding->kernel,
				    &finding->files->mounts, (size_t)place,
				    mounted) != SUPERBLOCK_MOUNTED)
		why = "no filesystem whose pages are in Cached";
	if (!why)
		why = cached_file_why_not(found, *mounted);
	if (why)
		return cached_files_refuse(finding->files, path, why, false);
	if (!S_ISDIR(found->mode))
		return walk_file(finding, (size_t)place, path, found);
	return is_walked(before, count, place) ?
		       0 :
		       walk(finding, (size_t)place, path);
}

static int walk_paths(struct finding *finding,
		      const struct files_question *question,
		      const struct found_paths *paths)
{
	_cleanup_(freep)
		ssize_t *places = calloc(question->path_count, sizeof(*places));
	int ret = places ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < question->path_count; i++) {
		const char *path = question->paths[i];
		char why[ASK_WHY];
		const struct found_path *found = found_paths_get(paths, i, why);

		places[i] = -1;
		if (!found) {
			ret = cached_files_refuse(finding->files, path, why,
						  true);
			continue;
		}
		if (found->error) {
			ret = cached_files_refuse(finding->files, path,
						  strerror(found->error),
						  false);
			continue;
		}
		places[i] = find_superblock(finding, found->mount_id);
		/* Not named: a mount of no directory, or without pages. */
		if (i + question->more_count < question->path_count ||
		    (S_ISDIR(found->mode) && places[i] >= 0))
			ret = walk_path(finding, found, path, places, i);
		/* The others of its filesystem were not looked at. */
		if (!S_ISDIR(found->mode))
			places[i] = -1;
	}
	return ret;
}

static int find_paths(struct finding *finding, const struct sysroot *root,
		      const struct files_question *question, struct error *err)
{
	struct found_paths paths;
	int ret = found_paths_init(&paths, root, question->paths,
				   question->path_count, err);

	if (!ret && walk_paths(finding, question, &paths) < 0)
		ret = error_errno(err, ENOMEM, "looking for", "the files");
	found_paths_deinit(&paths);
	return ret;
}

static int find_all(struct finding *finding, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < finding->found.superblocks.count; i++)
		ret = walk_any(finding, i);
	if (!ret && finding->found.superblocks.lost)
		ret = cached_files_refuse(finding->files, "filesystems",
					  kmem_strerror(-ENODATA), false);
	return ret < 0 ? error_errno(err, -ret, "looking for", "the files") : 0;
}

/*
 * Sets the path as processes see it, else as it is in the filesystem, else the
 * bare name. Sets none if there is another inode at the address by now.
 */
static int set_path(const struct finding *finding,
		    const struct candidate *candidate, struct cached_file *file)
{
	const struct mounted *mounted = finding->mounted[candidate->superblock];
	const struct kmem *kmem = finding->kernel->kmem;
	const struct fs_layout *layout = &finding->found.layout;
	uint64_t superblock =
		finding->found.superblocks.list[candidate->superblock].address;
	const struct inode *inode = &candidate->inode;
	struct inode_name name;
	struct inode now;
	int ret;

	if (!inode->address) {
		file->path = strdup(candidate->named);
		return file->path ? 0 : -ENOMEM;
	}
	ret = inode_name_read(kmem, layout, inode->address, inode->links,
			      &name);
	if (ret == -ETIMEDOUT)
		return ret;
	finding->files->lost_names += ret == -ENODATA;
	if (ret < 0 || !*name.text ||
	    inode_read(kmem, layout, superblock, inode->address, &now) < 0 ||
	    now.ino != inode->ino)
		return 0;
	ret = 0;
	if (*name.text == '/' && mounted)
		ret = mounted_path(mounted, name.text, &finding->files->below,
				   &file->path);
	if (!ret && !file->path)
		file->path = strdup(name.text);
	return file->path ? 0 : -ENOMEM;
}

/* Those that the user named come first. */
static const struct candidate *candidate_at(const struct finding *finding,
					    size_t index)
{
	return index < finding->named_count ?
		       &finding->named[index] :
		       &finding->top.files[index - finding->named_count];
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
		const struct inode *inode = &candidate_at(finding, i)->inode;

		if (page_tree_is_tagged(&inode->tree))
			trees[tagged++] = inode->tree;
	}
	kernel_tags_count(&tags, finding->kernel, trees, tagged);
	tagged = 0;
	for (size_t i = 0; i < files->count; i++) {
		const struct inode *inode = &candidate_at(finding, i)->inode;
		struct cached_file *file = &files->files[i];

		file->has_details = true;
		file->is_mapped = inode->is_mapped;
		file->has_write_error = true;
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

static int take_files(struct finding *finding,
		      const struct files_question *question)
{
	struct cached_files *files = finding->files;
	struct top *top = &finding->top;
	bool in_time = true;
	int ret = 0;

	keep_the_largest(top);
	files->files = calloc(finding->named_count + top->count + 1,
			      sizeof(*files->files));
	if (!files->files)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < finding->named_count + top->count; i++) {
		const struct candidate *candidate = candidate_at(finding, i);
		const struct inode *inode = &candidate->inode;
		struct superblock *superblock =
			&finding->found.superblocks.list[candidate->superblock];
		const struct mounted *mounted =
			finding->mounted[candidate->superblock];
		struct cached_file *file = &files->files[files->count++];

		*file = (struct cached_file){
			.is_own = !mounted,
			.major = superblock_major(superblock),
			.minor = superblock_minor(superblock),
			.ino = inode->ino,
			.pages = inode->pages,
			.size_bytes = inode->size_bytes,
			.mode = inode->mode,
			.is_deleted = !inode->links,
			.is_named = candidate->named,
		};
		ret = set_path(finding, candidate, file);
		if (ret == -ETIMEDOUT) {
			in_time = false;
			ret = 0;
		}
		if (!ret && question->limit)
			ret = cached_file_name(file, mounted);
		if (!cached_files_want(files, file))
			cached_files_cut(files, files->count - 1);
		else if (question->limit &&
			 files->count == finding->named_count + question->limit)
			break;
	}
	if (!ret && !in_time)
		ret = cached_files_refuse(files, "names of files",
					  PATIENCE_OVER, true);
	if (!ret && question->details)
		ret = set_details(finding);
	if (!ret && question->limit)
		cached_files_keep(files, question->limit);
	return ret;
}

static int find(struct finding *finding, const struct sysroot *root,
		const struct files_question *question, struct error *err)
{
	size_t count = finding->found.superblocks.count;
	int ret;

	finding->mounted = calloc(count + 1, sizeof(struct mounted *));
	finding->unmounted.mounts = calloc(count + 1, sizeof(struct mounted));
	if (!finding->files->below.count)
		finding->top.limit = question->limit;
	if (!finding->mounted || !finding->unmounted.mounts)
		return error_errno(err, ENOMEM, "looking for", "the files");
	ret = question->path_count ? find_paths(finding, root, question, err) :
				     find_all(finding, err);
	if (!ret && take_files(finding, question) < 0)
		ret = error_errno(err, ENOMEM, "looking for", "the files");
	return ret;
}

int kernel_files_find(struct cached_files *files, const struct sysroot *root,
		      const struct kernel *kernel,
		      const struct files_question *question, struct error *err)
{
	struct finding finding = { .files = files, .kernel = kernel };
	int ret = kernel_filesystems_init(&finding.found, kernel, err);

	if (ret == -ETIMEDOUT &&
	    cached_files_refuse(files, "filesystems", PATIENCE_OVER, true))
		ret = error_errno(err, ENOMEM, "looking for", "the files");
	else if (ret == -ETIMEDOUT)
		ret = 0;
	else if (!ret)
		ret = find(&finding, root, question, err);
	free(finding.top.files);
	free(finding.named);
	free(finding.mounted);
	all_mounts_deinit(&finding.unmounted);
	kernel_filesystems_deinit(&finding.found);
	return ret;
}
