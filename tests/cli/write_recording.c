// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write_recording FILE: writes a recording of the lines that it reads: the time
 * in seconds since 1970, the kind (store/format.h) and the document. All of
 * them are key records, of a host that was started at the first one.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/segment_write.h"

enum { SEGMENT = 1 << 20 };

struct writing {
	FILE *out;
	struct segment_writer *writer;
	uint8_t data[SEGMENT];
	struct segment_identity identity;
	int64_t began_ms;
};

static void end_segment(struct writing *writing)
{
	if (writing->identity.number &&
	    fwrite(writing->data, SEGMENT, 1, writing->out) != 1)
		err(1, "writing");
}

static void begin_segment(struct writing *writing,
			  const struct store_time *time)
{
	memset(writing->data, 0, SEGMENT);
	writing->identity.number++;
	writing->identity.seed = 0x9e3779b97f4a7c15 * writing->identity.number;
	writing->identity.boot_id[0] = 1;
	writing->identity.sequence = segment_sequence(writing->writer);
	writing->identity.time = *time;
	segment_begin(writing->writer, writing->data, SEGMENT,
		      &writing->identity);
}

static void add(struct writing *writing, char *line)
{
	char *at = line;
	struct store_time time = { .real_ms = strtoll(at, &at, 10) * 1000 };
	enum store_kind kind = (enum store_kind)strtol(at, &at, 10);

	at += strspn(at, " ");
	at[strcspn(at, "\n")] = '\0';
	if (!writing->began_ms)
		writing->began_ms = time.real_ms;
	time.boot_ms = time.real_ms - writing->began_ms + 60000;
	if (!writing->identity.number)
		begin_segment(writing, &time);
	if (segment_append(writing->writer, kind, &time, at, strlen(at),
			   true) == 0)
		return;
	end_segment(writing);
	begin_segment(writing, &time);
	if (segment_append(writing->writer, kind, &time, at, strlen(at), true) <
	    0)
		errx(1, "this cannot be recorded: %s", at);
}

int main(int count, char **words)
{
	static struct writing writing;
	char *line = NULL;
	size_t room = 0;

	if (count != 2)
		errx(1, "usage: write_recording FILE");
	writing.out = fopen(words[1], "w");
	writing.writer = segment_writer_create();
	if (!writing.out || !writing.writer)
		err(1, "%s", words[1]);
	while (getline(&line, &room, stdin) > 0)
		add(&writing, line);
	end_segment(&writing);
	free(line);
	segment_writer_destroy(writing.writer);
	if (fclose(writing.out) != 0)
		err(1, "%s", words[1]);
	return 0;
}
