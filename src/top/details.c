// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "lib/error.h"
#include "lib/number.h"
#include "names/openers.h"
#include "top/details.h"
#include "top/tab.h"

static void print_openers(FILE *out, const char *key,
			  const struct openers *openers)
{
	unsigned int major, minor;
	const struct opener *found;
	size_t count;

	if (!dev_number_parse(key, &major, &minor))
		return;
	found = openers_find(openers, major, minor, &count);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%-14s %s(%u)\n", i ? "" : "OPEN-BY",
			found[i].comm, found[i].pid);
	if (!openers_are_whole(openers))
		fprintf(out, "%-14s not all processes could be asked\n",
			count ? "" : "OPEN-BY");
}

/* Whether the line has the name as a word of its own. */
static bool names(const char *line, size_t length, const char *name)
{
	static const char inner[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	const char *at = line;
	size_t size = strlen(name);

	while (size &&
	       (at = memmem(at, length - (size_t)(at - line), name, size))) {
		bool begins = at == line || !strchr(inner, at[-1]);
		bool ends = at + size == line + length ||
			    !strchr(inner, at[size]);

		if (begins && ends)
			return true;
		at++;
	}
	return false;
}

static void print_sentences(FILE *out, const struct explanation *explanation,
			    const char *name)
{
	for (size_t i = 0; i < explanation->count; i++) {
		const char *line = explanation->paragraphs[i].text;

		while (line && *line) {
			size_t length = strcspn(line, "\n");

			if (names(line, length, name))
				fprintf(out, "\n%.*s\n", (int)length, line);
			line += length + (line[length] == '\n');
		}
	}
}

void details_print(FILE *out, const struct tab *tab, const char *key,
		   const char *name, const struct sysroot *root)
{
	struct explain_facts facts;
	struct explanation explanation;
	struct error err;
	char text[ERROR_TEXT_SIZE];
	unsigned int columns = 0;

	if (tab != &tab_devices && tab != &tab_filesystems)
		return;
	if (explain_facts_init(&facts, root, NULL, &err) < 0) {
		fprintf(out, "\n%s\n", error_text(&err, text));
	} else {
		if (tab == &tab_devices)
			print_openers(out, key, &facts.openers);
		explain_column_add(&columns,
				   tab == &tab_devices ? "buffers" : "cache",
				   NULL);
		if (explanation_init(&explanation, &facts, columns) == 0)
			print_sentences(out, &explanation, name);
		explanation_deinit(&explanation);
	}
	explain_facts_deinit(&facts);
}
