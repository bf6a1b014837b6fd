// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "lib/error.h"
#include "measure/saved.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_saved.h"
#include "sample/baseline_file.h"
#include "sample/memory_document.h"

int memory_document_read(struct memory_heads *heads, const char *path,
			 const struct sysroot *root, struct error *err)
{
	struct memory_reading reading = { 0 };
	struct saved saved;
	int ret = saved_open_file(&saved, path, err);

	if (ret < 0)
		return ret;
	ret = memory_saved_read(&saved, &reading);
	if (ret < 0)
		saved_failed(&saved, ret, err);
	else if (!ret)
		ret = error_doing(err, EBADMSG, "reading a saved sample", path,
				  "it has no memory to compare with");
	else
		ret = baseline_check_boot(&saved, path, root, err);
	if (!ret)
		memory_heads_init(heads, &reading);
	memory_reading_deinit(&reading);
	saved_close(&saved);
	return ret;
}
