// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "text_stream.h"

int text_stream_close(FILE *out, char **text)
{
	/* Closing it may succeed after a write failed, and may leave no text. */
	bool failed = ferror(out);

	if (fclose(out) == 0 && !failed && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}
