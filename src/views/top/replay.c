// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "top/feed.h"
#include "top/replay.h"
#include "top/sheet.h"
#include "worker/frames.h"
#include "worker/patience.h"

/* Trends are made of as many readings as can be measured in this time. */
#define TRENDS_NS INT64_C(300000000)

int replay_refuse(const struct question *tab, struct error *err)
{
	return error_advise(err, ENODATA, "reading a recording", tab->name,
			    "it has devices, filesystems, memory and who",
			    "a recording has none of these");
}

int replay_name_error(const struct replay *replay, int ret, struct error *err)
{
	if (ret < 0 && strcmp(err->object, replay->path) == 0)
		return error_object(err, ret, "%s", replay->name);
	return ret;
}

int replayed_take(struct replayed *replayed, const struct question *tab,
		  const struct past *past, struct patience *patience,
		  struct error *err)
{
	const struct tab_asking question = { .root = &replayed->root };
	int ret;

	*replayed = (struct replayed){ .root.fd = -1 };
	ret = past_root(&replayed->root, past, err);
	if (ret < 0)
		return ret;
	replayed->root.patience = patience;
	replayed->rows.recorded_ms = past->real_ms;
	return tab_take(tab, &question, &replayed->rows, err);
}

int replayed_ask(struct replayed *replayed, const struct question *tab,
		 const char *path, int64_t at_ms, struct patience *patience,
		 struct error *err)
{
	const struct tab_asking question = {
		.root = &replayed->root,
		.recording = path,
		.at_ms = at_ms,
	};

	*replayed = (struct replayed){
		.root = { .fd = -1, .patience = patience },
	};
	return tab_take(tab, &question, &replayed->rows, err);
}

void replayed_release(struct replayed *replayed, const struct question *tab)
{
	tab_release(tab, &replayed->rows);
	string_list_deinit(&replayed->rows.notes);
	sysroot_deinit(&replayed->root);
}

struct packed {
	char *data;
	size_t size;
};

/* Packs what @ret says was taken, and releases it. */
static int pack(struct packed *packed, const struct question *tab,
		struct replayed *replayed, int ret, struct error *err)
{
	if (!ret &&
	    sheet_pack(tab, &replayed->rows, &packed->data, &packed->size) < 0)
		ret = error_errno(err, ENOMEM, "measuring", tab->name);
	replayed_release(replayed, tab);
	return ret;
}

static int pack_past(struct packed *packed, const struct question *tab,
		     const struct past *past, struct patience *patience,
		     struct error *err)
{
	struct replayed replayed;
	int ret = replayed_take(&replayed, tab, past, patience, err);

	return pack(packed, tab, &replayed, ret, err);
}

/* Sends what was packed, newest first, in the order of time. */
static void send_all(int fd, struct packed *packed, size_t count)
{
	while (count--) {
		(void)frame_send(fd, FEED_ANSWER, packed[count].data,
				 packed[count].size);
		free(packed[count].data);
	}
}

static int send_run(int fd, const struct question *tab,
		    const struct past_run *run, bool is_patient,
		    struct patience *patience, struct error *err)
{
	_cleanup_(freep) struct packed *packed =
		calloc(run->count, sizeof(*packed));
	const int64_t until_ns = monotonic_ns() + TRENDS_NS;
	struct error older;
	size_t count = 0;
	int ret;

	if (!packed)
		return error_errno(err, ENOMEM, "measuring", tab->name);
	ret = pack_past(packed, tab, &run->pasts[run->count - 1], patience,
			err);
	if (ret < 0)
		return ret;
	for (count = 1;
	     count < run->count && (is_patient || monotonic_ns() < until_ns);
	     count++) {
		if (pack_past(&packed[count], tab,
			      &run->pasts[run->count - 1 - count], patience,
			      &older) < 0)
			break;
	}
	send_all(fd, packed, count);
	return 0;
}

static int send_asked(int fd, const struct question *tab,
		      const struct replay *replay, struct patience *patience,
		      struct error *err)
{
	struct packed packed = { 0 };
	struct replayed replayed;
	int ret = replayed_ask(&replayed, tab, replay->path,
			       replay->step.real_ms, patience, err);

	ret = pack(&packed, tab, &replayed, ret, err);
	if (!ret)
		send_all(fd, &packed, 1);
	return ret;
}

int replay_send(int fd, const struct question *tab, const struct replay *replay,
		struct patience *patience, struct error *err)
{
	struct past_run run = { 0 };
	int ret;

	if (tab_more(tab)->follow)
		return replay_name_error(
			replay, send_asked(fd, tab, replay, patience, err),
			err);
	ret = past_run_read(&run, replay->path, store_kind_of(tab->recorded),
			    &replay->step, replay->most, patience, err);
	if (!ret)
		ret = send_run(fd, tab, &run, replay->is_patient, patience,
			       err);
	past_run_deinit(&run);
	return replay_name_error(replay, ret, err);
}

int replay_root(struct sysroot *root, const struct replay *replay,
		struct patience *patience, struct error *err)
{
	_cleanup_(pasts_deinit) struct pasts pasts = { 0 };
	int ret = pasts_find(&pasts, replay->path, STORE_DEVICES,
			     replay->step.real_ms, patience, err);

	/* Where the clock was set back, one of them is of this moment. */
	for (size_t i = 0; !ret && i < pasts.count; i++) {
		if (pasts.pasts[i].real_ms == replay->step.real_ms)
			return past_root(root, &pasts.pasts[i], err);
	}
	return ret   ?:
		       error_doing(err, ENODATA, "reading a recording",
				   replay->path, "not recorded");
}
