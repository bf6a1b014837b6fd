// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <sys/sysmacros.h>

#include "drop.h"
#include "drop_json.h"
#include "drop_targets.h"
#include "errno_name.h"
#include "json_out.h"

static const char *text_of(const struct error *err)
{
	return *err->text ? err->text : NULL;
}

static void write_reading(struct json_out *json, const char *key,
			  const struct drop_reading *reading)
{
	static const struct {
		const char *key;
		enum figure figure;
	} figures[] = {
		{ "pages", FIGURE_PAGES },
		{ "dirty_pages", FIGURE_DIRTY },
		{ "writeback_pages", FIGURE_WRITEBACK },
	};
	int64_t buffers;

	json_out_object(json, key);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		if (sample_has(&reading->figures, figures[i].figure))
			json_out_unsigned(json, figures[i].key,
					  drop_figure(reading,
						      figures[i].figure));
		else
			json_out_null(json, figures[i].key);
	}
	if (meminfo_bytes(&reading->meminfo, MEMINFO_BUFFERS, &buffers))
		json_out_signed(json, "host_buffers_bytes", buffers);
	else
		json_out_null(json, "host_buffers_bytes");
	json_out_object_end(json);
}

static void write_write_error(struct json_out *json,
			      const struct drop_result *result)
{
	char name[ERRNO_NAME_SIZE] = "none";
	unsigned int error;

	if (!drop_knows_write_error(result, &error)) {
		json_out_null(json, "write_error");
		return;
	}
	if (error)
		errno_name(error, name);
	json_out_string(json, "write_error", name);
}

static void write_result(struct json_out *json,
			 const struct drop_result *result)
{
	const struct drop_target *target = result->target;
	dev_t device = target->found.number;
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", major(device), minor(device));
	json_out_object(json, NULL);
	json_out_string(json, "name", target->name);
	json_out_string(json, "maj:min", number);
	json_out_strings(json, "mountpoints",
			 device_names_mounts(&target->names));
	json_out_strings(json, "holders", &target->names.holders);
	json_out_string(json, "source", result->source);
	if (result->source)
		json_out_unsigned(json, "page_size_bytes", result->page_size);
	else
		json_out_null(json, "page_size_bytes");
	write_write_error(json, result);
	write_reading(json, "before", &result->before);
	if (result->done)
		write_reading(json, "after", &result->after);
	else
		json_out_null(json, "after");
	json_out_bool(json, "done", result->done);
	json_out_string(json, "error", text_of(&result->error));
	json_out_string(json, "not_measured",
			drop_target_is_empty(target) ? DROP_NO_SECTORS :
						       text_of(&result->why));
	json_out_object_end(json);
}

void drop_json_write(struct json_out *json, const struct drop_result *results,
		     size_t count)
{
	json_out_array(json, "devices");
	for (size_t i = 0; i < count; i++)
		write_result(json, &results[i]);
	json_out_array_end(json);
}
