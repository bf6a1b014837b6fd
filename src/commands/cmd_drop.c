// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command_line.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "drop/drop.h"
#include "drop/drop_cgroup.h"
#include "drop/drop_cgroup_text.h"
#include "drop/drop_files.h"
#include "drop/drop_files_text.h"
#include "drop/drop_text.h"
#include "drop/operands.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "lib/terminal.h"
#include "measure/provenance.h"
#include "measure/source.h"

struct options {
	struct common_options common;
	struct drop_style style;
	const char *cgroup;
	uint64_t size_bytes; /* with cgroup; 0: all */
	bool despite_errors;
	bool dry_run;
	bool yes;
};

/* Counts of what was named. */
struct tally {
	size_t done;
	size_t failed;
	size_t unusable; /* of the failed: this host cannot do it */
	size_t left_some;
	size_t not_measured;
};

static int take_size(void *place, const struct option_given *given,
		     struct error *err)
{
	if (size_parse(given->value, place))
		return 0;
	return error_advise(err, EINVAL, "reading options", "--size",
			    "for example 100M or 1G", "%s: not a size",
			    given->value);
}

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, style.unit, size_options),
	ROW_TEXT('\0', "cgroup", struct options, cgroup, "PATH",
		 WORDS_DIRECTORIES,
		 "release what is charged to this cgroup and those below it"),
	ROW_CALL('\0', "size", struct options, size_bytes, "SIZE", take_size,
		 "with --cgroup: release SIZE, not all"),
	ROW_FLAG('\0', "despite-errors", struct options, despite_errors,
		 "release pages even after a failed write; unwritten data is "
		 "lost"),
	ROW_FLAG('\0', "dry-run", struct options, dry_run,
		 "print what would be released, and release nothing"),
	ROW_FLAG('\0', "yes", struct options, yes,
		 "release the pages of several devices, files or filesystems"),
	ROW_MOVED('y', "shell", "yes", "yes"),
	ROW_GROUP(struct options, common, measuring_options),
	{ 0 },
};

static int check_operands(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->cgroup && options->common.operand_count)
		return error_doing(err, EINVAL, "reading arguments", "--cgroup",
				   "a cgroup is dropped alone");
	if (options->cgroup && options->common.source)
		return error_option(err, "--source",
				    "the kernel itself measures a cgroup");
	if (options->size_bytes && !options->cgroup)
		return error_option(err, "--size", "only with --cgroup");
	if (options->cgroup || options->common.operand_count)
		return 0;
	return error_advise(err, EINVAL, "reading arguments", "drop",
			    "see bufstat drop --help",
			    "DEVICE, FILE or MOUNTPOINT is "
			    "missing");
}

static int check(const struct drop_operands *operands,
		 const struct sysroot *root, const struct options *options,
		 struct error *err)
{
	size_t count = operands->devices.count + operands->set_count;

	if (!sysroot_is_live(root) && !options->dry_run)
		return error_advise(err, EINVAL, "dropping", root->prefix,
				    "use --dry-run",
				    "a captured tree has no devices");
	if (count > 1 && !options->yes && !options->dry_run)
		return error_doing(err, EINVAL, "dropping", NULL,
				   "%zu %s: more than one needs --yes", count,
				   operands->set_count ?
					   "devices, files or filesystems" :
					   "devices");
	return 0;
}

static void widen(struct drop_style *style, const char *name)
{
	int width = (int)text_width(name, strlen(name));

	if (width > style->width)
		style->width = width;
}

static void find_width(struct drop_style *style,
		       const struct drop_operands *operands)
{
	for (size_t i = 0; i < operands->devices.count; i++)
		widen(style, operands->devices.targets[i].name);
	for (size_t i = 0; i < operands->set_count; i++)
		widen(style, operands->sets[i].path);
}

/* @left_some: pages stayed that nobody uses. */
static void tell(struct tally *tally, const struct drop_result *result,
		 bool left_some)
{
	fflush(stdout);
	if (error_is_set(&result->error))
		error_print(&result->error);
	else if (error_is_set(&result->why))
		error_print(&result->why);
	tally->failed += error_is_set(&result->error);
	tally->unusable += result->error.class == ERROR_UNUSABLE;
	tally->done += !error_is_set(&result->error);
	tally->left_some += left_some;
	tally->not_measured += error_is_set(&result->why);
}

/* Writeback may take long, so each device is reported as soon as it is done. */
static int drop_one(const struct sysroot *root, const struct options *options,
		    struct drop_device *device, struct tally *tally)
{
	int ret = 0;

	device->result.dry_run = options->dry_run;
	device->result.despite_errors = options->despite_errors;
	if (drop_device(root, options->common.source, device) >= 0 &&
	    !options->common.json)
		ret = drop_text_put(stdout, device, &options->style);
	tell(tally, &device->result,
	     drop_pages_are_dirty(&device->result.after));
	/* The document says it of what need not be measured, too. */
	if (drop_is_empty(device) && !device->result.before.has_pages)
		error_set(&device->result.why, ERROR_PARTIAL, DROP_NO_SECTORS);
	return ret;
}

static int drop_one_set(const struct sysroot *root,
			const struct options *options,
			const struct all_mounts *mounts, struct drop_set *set,
			struct tally *tally)
{
	int ret = 0;

	set->result.dry_run = options->dry_run;
	set->result.despite_errors = options->despite_errors;
	if (drop_set_run(set, root, mounts, options->common.source) >= 0 &&
	    !options->common.json)
		ret = drop_set_text_put(stdout, set, &options->style);
	tell(tally, &set->result, drop_set_is_partial(set));
	return ret;
}

/* What was not asked for is empty. */
struct drop_document {
	struct document_head head;
	bool dry_run;
	const struct drop_device *devices;
	size_t device_count;
	const struct drop_set *sets;
	size_t set_count;
	const struct drop_cgroup *cgroup;
	size_t cgroup_count;
};

static bool is_file(const void *element)
{
	const struct drop_set *set = element;

	return !set->is_mount;
}

static bool is_filesystem(const void *element)
{
	return !is_file(element);
}

#define RESULTS(member, number, key, fields)                                   \
	FIELD_LIST(struct drop_document, member, number, key, fields,          \
		   UINT64_MAX)

static const struct field document_list[] = {
	{ FIELD_PART(struct drop_document, head, &document_head_fields) },
	{ FIELD(struct drop_document, dry_run, "dry_run", 0),
	  .about = "nothing was released" },
	{ RESULTS(devices, device_count, "devices", &drop_device_fields) },
	{ RESULTS(sets, set_count, "files", &drop_file_fields),
	  .has = is_file },
	{ RESULTS(sets, set_count, "filesystems", &drop_filesystem_fields),
	  .has = is_filesystem },
	{ RESULTS(cgroup, cgroup_count, "cgroups", &drop_cgroup_fields) },
};

static const struct fields document_fields =
	FIELDS(struct drop_document, document_list);

static void print_json(const struct sysroot *root, const struct tally *tally,
		       struct drop_document *document)
{
	document->head.provenance = provenance_of(root, NULL);
	document->head.is_whole = !tally->failed && !tally->not_measured;
	/* All try the sources in the same order: the first stands for all. */
	if (document->device_count)
		document->head.source = document->devices->result.source;
	else if (document->set_count)
		document->head.source = document->sets->result.source;
	document_print(stdout, false, &document_fields, document);
}

static int drop_all(struct drop_operands *operands, const struct sysroot *root,
		    const struct options *options, struct tally *tally,
		    struct error *err)
{
	const struct drop_targets *targets = &operands->devices;
	_cleanup_(freep) struct drop_device *devices =
		calloc(targets->count + 1, sizeof(*devices));
	struct drop_document document = {
		.dry_run = options->dry_run,
		.devices = devices,
		.device_count = targets->count,
		.sets = operands->sets,
		.set_count = operands->set_count,
	};
	int ret = devices ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < targets->count; i++) {
		devices[i].target = &targets->targets[i];
		ret = drop_one(root, options, &devices[i], tally);
	}
	for (size_t i = 0; !ret && i < operands->set_count; i++)
		ret = drop_one_set(root, options, &operands->mounts,
				   &operands->sets[i], tally);
	if (!ret && options->common.json)
		print_json(root, tally, &document);
	return ret < 0 ? error_errno(err, -ret, "printing", "the result") : 0;
}

static int exit_code(const struct tally *tally)
{
	if (tally->failed && !tally->done)
		return tally->unusable == tally->failed ? EXIT_NO_SOURCE :
							  EXIT_FAILED;
	if (tally->failed || tally->left_some)
		return EXIT_PARTIAL;
	return tally->not_measured ? EXIT_NO_SOURCE : EXIT_OK;
}

/*
 * Finds everything before it releases anything, so that one mistyped name
 * releases nothing.
 */
static int run_operands(struct options *options, const struct sysroot *root)
{
	_cleanup_(drop_operands_deinit) struct drop_operands operands = { 0 };
	struct tally tally = { 0 };
	struct error err;
	int ret = drop_operands_init(&operands, root, options->common.operands,
				     options->common.operand_count, &err);

	if (!ret)
		ret = check(&operands, root, options, &err);
	if (!ret) {
		find_width(&options->style, &operands);
		ret = drop_all(&operands, root, options, &tally, &err);
	}
	if (ret < 0) {
		error_print(&err);
		tally.failed++;
	}
	return exit_code(&tally);
}

static int run_cgroup(const struct options *options, const struct sysroot *root)
{
	_cleanup_(drop_cgroup_deinit) struct drop_cgroup drop = {
		.path = options->cgroup,
		.result.dry_run = options->dry_run,
		.size_bytes = options->size_bytes,
	};
	struct drop_document document = {
		.dry_run = options->dry_run,
		.cgroup = &drop,
		.cgroup_count = 1,
	};
	struct error *error = &drop.result.error;
	struct tally tally = { 0 };
	int ret = 0;

	if (!sysroot_is_live(root))
		error_doing(error, EINVAL, "dropping", root->prefix,
			    "a captured tree has no cgroups");
	else
		drop_cgroup_run(&drop, root);
	if (!error_is_set(error) && !options->common.json)
		ret = drop_cgroup_text_put(stdout, &drop, &options->style);
	if (ret < 0)
		error_errno(error, -ret, "printing", "the result");
	tell(&tally, &drop.result, false);
	if (options->common.json && drop.directory)
		print_json(root, &tally, &document);
	return exit_code(&tally);
}

static int run(void *data, const struct sysroot *root)
{
	struct options *options = data;

	return options->cgroup ? run_cgroup(options, root) :
				 run_operands(options, root);
}

const struct command_line command_drop = {
	.name = "drop",
	.brief = "release clean pages: of a device, file, filesystem or cgroup",
	.rows = option_rows,
	.operands = "DEVICE|FILE|MOUNTPOINT...",
	.words = WORDS_DEVICES_AND_FILES,
	.document = &document_fields,
	.about =
		"Release the clean pages of a block device, of a file, or of "
		"all files\n"
		"of the filesystem at a mount point. Dirty pages are written "
		"first.\n"
		"Other devices, such as a disk's partitions, keep their pages. "
		"DEVICE is\n"
		"a node in /dev, a kernel name, a device-mapper name or "
		"MAJOR:MINOR.\n"
		"With --cgroup, release the page cache that is charged to a "
		"cgroup; dirty\n"
		"pages stay. Refused: ramdisks, tmpfs, overlays, and devices "
		"and files\n"
		"that have had a failed write. A captured tree has no devices: "
		"--sysroot\n"
		"needs --dry-run.\n",
	.exit_status =
		"Exit status: 0 all clean pages that nobody uses are "
		"released,\n"
		"1 failure, 2 done but not measured, or this host cannot do "
		"it,\n"
		"3 one of several failed, or pages stayed that nobody uses.\n",
	.options_size = sizeof(struct options),
	.check = check_operands,
	.run = run,
};
