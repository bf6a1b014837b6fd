// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "ask/patience.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"

void patience_begin(struct patience *patience)
{
	if (!patience)
		return;
	patience->began_ns = monotonic_ns();
	patience->told = false;
	patience->about = NULL;
}

bool patience_is_over(const struct patience *patience)
{
	return patience && patience->seconds > 0 &&
	       patience_has_taken(patience, (int64_t)(patience->seconds * 1e3));
}

bool patience_has_taken(const struct patience *patience, int64_t ms)
{
	return patience && patience->began_ns &&
	       monotonic_ns() - patience->began_ns >= ms * 1000000;
}

bool patience_tells(const struct patience *patience)
{
	return patience && !patience->told && patience->tell &&
	       patience_has_taken(patience, patience->tells_early ?
						    PATIENCE_TELL_MS / 2 :
						    PATIENCE_TELL_MS);
}

void patience_tell(struct patience *patience, const char *what)
{
	char text[512];

	if (!patience_tells(patience))
		return;
	patience->told = true;
	snprintf(text, sizeof(text),
		 "measuring: %s: still working (--timeout N ends it with what "
		 "is known)",
		 what);
	patience->tell(text);
}

const char *patience_set_about(struct patience *patience, const char *about)
{
	const char *before = patience ? patience->about : NULL;

	if (patience)
		patience->about = about;
	return before;
}

int patience_look(struct patience *patience)
{
	if (!patience)
		return 0;
	if (patience->about)
		patience_tell(patience, patience->about);
	return patience_is_over(patience) ? -ETIMEDOUT : 0;
}

void patience_show_early(struct patience *patience)
{
	void (*early)(void *data) = patience ? patience->early : NULL;

	if (!early)
		return;
	patience->early = NULL;
	early(patience->early_data);
}

int patience_set_seconds(struct patience *patience, const char *text,
			 struct error *err)
{
	uint64_t number;

	if (!number_parse(text, PATIENCE_MOST_SECONDS, &number) || !number)
		return error_doing(err, EINVAL, "reading options", "--timeout",
				   "%s: not a number of seconds from 1 to %d",
				   text, PATIENCE_MOST_SECONDS);
	patience->seconds = (double)number;
	return 0;
}
