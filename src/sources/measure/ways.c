// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/debug.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "measure/module_absence.h"
#include "measure/ways.h"

/* As many as there are sources. */
#define MOST_WAYS 4

static int take_from(const struct ways *ways, size_t which, void *answer,
		     const struct sysroot *root, struct error *err)
{
	const int64_t began_ns = monotonic_ns();
	char took[SIZE_TEXT_LENGTH], text[ERROR_TEXT_SIZE];
	int ret;

	*err = (struct error){ 0 };
	ret = ways->take(answer, which, root, err);
	debug(DEBUG_SOURCE, "%s: %s after %s", ways->name(which),
	      ret ? error_text(err, text) : "measured",
	      duration_text(monotonic_ns() - began_ns, took));
	return ret < 0 ? error_within(err, ret, NULL, ways->name(which)) : 0;
}

int ways_take(const struct ways *ways, const char *name, void *answer,
	      const struct sysroot *root, struct error *failed,
	      struct error *err)
{
	struct error reasons[MOST_WAYS];
	size_t count = 0;
	int worst = -EOPNOTSUPP;

	for (size_t i = 0; ways->name(i); i++) {
		struct error *reason = &reasons[count];
		int ret;

		if (name && strcmp(ways->name(i), name) != 0)
			continue;
		ret = take_from(ways, i, answer, root, reason);
		if (ret == 0)
			return 0;
		count++;
		if (reason->class == ERROR_UNUSABLE)
			continue;
		worst = ret;
		if (!failed)
			break;
		error_append(failed, reason);
	}
	if (err)
		*err = (struct error){ 0 };
	/* To look why the module is not loaded takes long. */
	for (size_t i = 0; err && i < count; i++) {
		module_absence_complete(&reasons[i], root);
		error_add_next(err, &reasons[i]);
	}
	return worst;
}
