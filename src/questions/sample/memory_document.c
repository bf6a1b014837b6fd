// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "devices/devices.h"
#include "filesystems/fs_saved.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "measure/provenance.h"
#include "measure/saved.h"
#include "memory/memory_heads.h"
#include "memory/memory_json.h"
#include "memory/memory_reading.h"
#include "memory/memory_saved.h"
#include "sample/baseline_file.h"
#include "sample/memory_document.h"

static void memory_document_write(struct json_out *json, const void *data)
{
	const struct memory_answer *answer = data;

	saved_begin(json);
	devices_write(json, NULL);
	fs_saved_write(json, NULL);
	memory_saved_write(json, answer->of->reading);
	json_out_object_end(json);
}

int memory_document_save(const char *path, const struct document *document,
			 struct error *err)
{
	return document_save(path, &memory_document, document,
			     memory_document_write, err);
}

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
