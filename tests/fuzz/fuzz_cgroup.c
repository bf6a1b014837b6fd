// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as each file of a cgroup, and as its name: an absent figure has no
 * value, and a container's name is not empty.
 */
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroup_files.h"
#include "cgroups/container.h"
#include "fuzz.h"

static void check_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *text;

	fuzz_require(container_name(slash ? slash + 1 : path, path, &text) ==
		     0);
	fuzz_require(!text || strchr(text, ':'));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cgroup_figures figures = { 0 };
	char *text = malloc(size + 1);

	fuzz_require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	cgroup_parse_stat(&figures, CGROUP_V2, text);
	cgroup_parse_stat(&figures, CGROUP_V1, text);
	cgroup_parse_events(&figures, text);
	cgroup_parse_pressure(&figures, text);
	cgroup_parse_nodes(&figures, text);
	for (unsigned int i = 0; i < CGROUP_FIGURES; i++)
		fuzz_require(cgroup_has(&figures, i) || !figures.values[i]);
	check_name(text);
	free(text);
	return 0;
}
