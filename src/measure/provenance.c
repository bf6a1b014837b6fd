// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bufstat/version.h>

#include "json_out.h"
#include "provenance.h"
#include "sysroot.h"

#define OSRELEASE "/proc/sys/kernel/osrelease"
#define MAX_RELEASE 4096

/* When a captured tree was taken is not known. */
static void take_time(struct provenance *provenance, const struct sysroot *root)
{
	time_t now = time(NULL);
	struct tm utc;

	if (sysroot_is_live(root) && gmtime_r(&now, &utc))
		strftime(provenance->taken_at, sizeof(provenance->taken_at),
			 "%Y-%m-%dT%H:%M:%SZ", &utc);
}

int provenance_init(struct provenance *provenance, const struct sysroot *root)
{
	int ret;

	*provenance = (struct provenance){ 0 };
	take_time(provenance, root);
	ret = sysroot_read(root, OSRELEASE, MAX_RELEASE, &provenance->kernel,
			   NULL);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	provenance->kernel[strcspn(provenance->kernel, "\n")] = '\0';
	return 0;
}

int provenance_set_kernel(struct provenance *provenance, const char *release)
{
	char *kernel = strdup(release);

	if (!kernel)
		return -ENOMEM;
	free(provenance->kernel);
	provenance->kernel = kernel;
	return 0;
}

void provenance_deinit(struct provenance *provenance)
{
	free(provenance->kernel);
	*provenance = (struct provenance){ 0 };
}

void provenance_write(struct json_out *json,
		      const struct provenance *provenance, const char *source,
		      bool complete)
{
	json_out_string(json, "bufstat", BUFSTAT_VERSION);
	json_out_string(json, "kernel", provenance->kernel);
	json_out_string(json, "taken_at",
			*provenance->taken_at ? provenance->taken_at : NULL);
	json_out_string(json, "source", source);
	json_out_bool(json, "complete", complete);
}
