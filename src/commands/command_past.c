// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "commands/command.h"
#include "commands/command_past.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "lib/sysroot.h"
#include "store/excerpt.h"
#include "store/past.h"
#include "store/recording.h"

const struct option_row recording_option[] = {
	ROW_TEXT('\0', "dir", struct common_options, recording, "DIR",
		 WORDS_DIRECTORIES,
		 "the recording's directory; the default is " RECORDING_DIR),
	{ 0 },
};

/* Says which reading it is, where no script reads it. */
static void tell_past(const struct past *past, bool with_parts)
{
	static const char *const parts[PAST_PARTS] = {
		[PAST_FILESYSTEMS] = "filesystems",
		[PAST_MEMORY] = "memory",
	};
	char text[160], when[MOMENT_TEXT_SIZE];

	snprintf(text, sizeof(text), "as recorded at %s",
		 moment_text(past->real_ms, when));
	for (size_t i = 0; with_parts && i < PAST_PARTS; i++) {
		if (past->part_ms[i])
			ADD_TEXT(text, ", %s at %s", parts[i],
				 moment_text(past->part_ms[i], when));
	}
	error_tell(text);
}

static int run_on_past(const struct command_line *line,
		       struct common_options *options, const struct past *past,
		       const struct recording_place *place)
{
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };
	struct error err;

	if (past_root(&root, past, &err) < 0)
		return exit_printing(&err);
	fflush(stdout);
	tell_past(past, line->reads_parts);
	options->past = past;
	options->place = place;
	return command_answer_now(line, options, &root);
}

static int find_pasts(struct pasts *pasts, const struct command_line *line,
		      struct common_options *options,
		      struct recording_place *place, const struct sysroot *root,
		      struct error *err)
{
	int ret = recording_place_init(place, root, options->recording, err);
	struct moment at;

	if (ret < 0)
		return ret;
	moment_rebase(&at, &options->at, past_now(root));
	for (size_t i = 0; i < at.count; i++) {
		ret = pasts_find(
			pasts, place->where,
			store_kind_of((enum recorded)line->reads_recording),
			at.ms[i] + MOMENT_LAST_MS, &options->patience, err);
		if (ret < 0 && ret != -ENODATA && ret != -EBADMSG)
			return ret;
	}
	return pasts->count ? 0 : ret;
}

int run_on_pasts(const struct command_line *line,
		 struct common_options *options, const struct sysroot *root)
{
	_cleanup_(recording_place_deinit) struct recording_place place;
	_cleanup_(pasts_deinit) struct pasts pasts = { 0 };
	struct error err;
	int code = EXIT_FAILED;

	if (find_pasts(&pasts, line, options, &place, root, &err) < 0)
		return exit_printing(&err);
	for (size_t i = 0; i < pasts.count; i++)
		code = run_on_past(line, options, &pasts.pasts[i], &place);
	return code;
}
