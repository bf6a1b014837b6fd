// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "lib/error.h"
#include "top/request.h"
#include "top/script.h"

static const struct {
	const char *name;
	int key;
} names[] = {
	{ "Enter", '\n' },
	{ "Escape", KEY_ESCAPE },
	{ "Tab", '\t' },
	{ "BackTab", KEY_TAB_BACK },
	{ "BackSpace", KEY_BACKSPACE },
	{ "Up", KEY_UP },
	{ "Down", KEY_DOWN },
	{ "Left", KEY_LEFT },
	{ "Right", KEY_RIGHT },
	{ "PageUp", KEY_PAGE_UP },
	{ "PageDown", KEY_PAGE_DOWN },
	{ "Home", KEY_HOME },
	{ "End", KEY_END },
	{ "F1", KEY_F1 },
	{ "F3", KEY_F3 },
	{ "F5", KEY_F5 },
	{ "F6", KEY_F6 },
	{ "F10", KEY_F10 },
	{ "C-c", KEY_CTRL('C') },
	{ "C-l", KEY_CTRL('L') },
	{ "C-u", KEY_CTRL('U') },
	{ "lt", '<' },
};

/* The text gets two NULs at its end: one ends the last line. */
static char *read_all(FILE *file)
{
	size_t size = 0;
	char *text = NULL, *longer;
	ssize_t length = getdelim(&text, &size, '\0', file);

	if (length < 0)
		length = 0;
	longer = realloc(text, (size_t)length + 2);
	if (!longer) {
		free(text);
		return NULL;
	}
	longer[length] = longer[length + 1] = '\0';
	return longer;
}

int script_open(struct script *script, struct error *err)
{
	const char *path = getenv(SCRIPT_VARIABLE);
	FILE *file;

	*script = (struct script){ 0 };
	if (!path || !*path)
		return 0;
	file = fopen(path, "re");
	if (!file)
		return error_errno(err, errno, "reading a script", path);
	script->text = script->next = read_all(file);
	fclose(file);
	return script->text ?
		       0 :
		       error_errno(err, ENOMEM, "reading a script", path);
}

void script_close(struct script *script)
{
	free(script->text);
	*script = (struct script){ 0 };
}

/* Takes a key off the rest of a line; KEY_NONE if it is none. */
static int take_key(char **rest)
{
	const size_t count = sizeof(names) / sizeof(*names);
	mbstate_t state = { 0 };
	wchar_t character;
	size_t length;

	for (size_t i = 0; **rest == '<' && i < count; i++) {
		length = strlen(names[i].name);
		if (strncmp(*rest + 1, names[i].name, length) == 0 &&
		    (*rest)[length + 1] == '>') {
			*rest += length + 2;
			return names[i].key;
		}
	}
	length = mbrtowc(&character, *rest, strlen(*rest), &state);
	if (**rest == '<' || !length || length > strlen(*rest))
		return KEY_NONE;
	*rest += length;
	return (int)character;
}

static bool take_rest_of_keys(struct script *script, struct script_step *step)
{
	if (!script->in_keys)
		return false;
	if (*script->next) {
		step->kind = SCRIPT_KEY;
		step->key = take_key(&script->next);
		if (step->key == KEY_NONE) {
			step->kind = SCRIPT_WRONG;
			step->text = script->next;
		}
		return true;
	}
	script->in_keys = false;
	script->next++;
	return false;
}

static void read_line(char *line, struct script_step *step)
{
	if (sscanf(line, "size %zu %zu", &step->width, &step->height) == 2)
		step->kind = SCRIPT_SIZE;
	else if (strncmp(line, "save ", 5) == 0)
		step->kind = SCRIPT_SAVE;
	else if (strncmp(line, "clock ", 6) == 0)
		step->kind = SCRIPT_CLOCK;
	else if (sscanf(line, "wait %" SCNu64, &step->count) == 1)
		step->kind = SCRIPT_WAIT;
	else if (sscanf(line, "sleep %" SCNu64, &step->count) == 1)
		step->kind = SCRIPT_SLEEP;
	else if (strcmp(line, "hurry") == 0)
		step->kind = SCRIPT_HURRY;
	else
		step->kind = SCRIPT_WRONG;
	step->text = line;
	if (step->kind == SCRIPT_SAVE || step->kind == SCRIPT_CLOCK)
		step->text = strchr(line, ' ') + 1;
}

void script_next(struct script *script, struct script_step *step)
{
	char *line, *end;

	*step = (struct script_step){ 0 };
	if (take_rest_of_keys(script, step))
		return;
	while (*script->next == '\n')
		script->next++;
	if (!*script->next)
		return;
	line = script->next;
	end = line + strcspn(line, "\n");
	script->next = end + 1;
	*end = '\0';
	if (strncmp(line, "keys ", 5) != 0) {
		read_line(line, step);
		return;
	}
	script->in_keys = true;
	script->next = line + 5;
	script_next(script, step);
}
