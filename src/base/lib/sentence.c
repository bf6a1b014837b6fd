// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/sentence.h"
#include "lib/text_stream.h"
#include "lib/utf8.h"
#include "lib/wrap.h"

void sentence_begin(struct sentence *to)
{
	*to = (struct sentence){ 0 };
	to->out = text_stream_open(&to->text, &to->size);
}

void sentence_begin_on(struct sentence *to, FILE *out)
{
	*to = (struct sentence){ .out = out };
}

int sentence_end(struct sentence *to, char **text)
{
	string_list_deinit(&to->pieces);
	if (text)
		*text = NULL;
	if (!to->out || (to->text && text_stream_close(to->out, &to->text) < 0))
		return -ENOMEM;
	if (to->failed)
		free(to->text);
	else if (text)
		*text = to->text;
	return to->failed ? -ENOMEM : 0;
}

void say(struct sentence *to, const char *format, ...)
{
	va_list args;

	if (!to->out)
		return;
	va_start(args, format);
	vfprintf(to->out, format, args);
	va_end(args);
}

/* Ends @part and keeps its text for the sentence. */
static const char *keep(struct sentence *to, struct sentence *part)
{
	_cleanup_(freep) char *text = NULL;

	if (sentence_end(part, &text) < 0 ||
	    string_list_add(&to->pieces, text) < 0) {
		to->failed = true;
		return "";
	}
	return to->pieces.strings[to->pieces.count - 1];
}

const char *piece(struct sentence *to, const char *format, ...)
{
	struct sentence part;
	va_list args;

	sentence_begin(&part);
	va_start(args, format);
	if (part.out)
		vfprintf(part.out, format, args);
	va_end(args);
	return keep(to, &part);
}

/* @is_word: each space becomes one at which no line ends. */
static const char *
make_safe(struct sentence *to, const char *text, bool is_word,
	  void (*put)(FILE *out, const char *text, size_t size))
{
	struct sentence part;

	for (sentence_begin(&part); part.out; text++) {
		size_t length = strcspn(text, is_word ? " " : "");

		put(part.out, text, length);
		text += length;
		if (!*text)
			break;
		putc(WRAP_HARD_SPACE, part.out);
	}
	return keep(to, &part);
}

const char *safe_name(struct sentence *to, const char *name)
{
	return make_safe(to, name, to->is_filled, safe_name_put_part);
}

const char *safe_text(struct sentence *to, const char *text)
{
	return make_safe(to, text, false, safe_text_put_part);
}

const char *safe_command(struct sentence *to, const char *command)
{
	return make_safe(to, command, true, safe_text_put_part);
}

const char *safe_names(struct sentence *to, char *const *names, size_t count,
		       size_t most, const char *last)
{
	struct sentence list;

	sentence_begin(&list);
	list.is_filled = to->is_filled;
	for (size_t i = 0; i < count && i < most; i++)
		say(&list, "%s%s", names_between(i, count, most, last),
		    safe_name(&list, names[i]));
	if (count > most)
		say(&list, " and %zu more", count - most);
	return keep(to, &list);
}

void add_text(char *text, size_t room, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, room - used, format, args);
	va_end(args);
}
