// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/json_out.h"
#include "lib/utc.h"
#include "recorded/growth_json.h"
#include "recorded/recorded_who.h"
#include "table/cell.h"

void growth_json_moment(struct json_out *json, const char *key, int64_t ms)
{
	char text[UTC_TEXT_SIZE];

	json_out_string(json, key, utc_text((time_t)(ms / 1000), text));
}

void growth_json_gaps(struct json_out *json, const char *key,
		      const struct gaps *gaps)
{
	json_out_array(json, key);
	for (size_t i = 0; i < gaps->count; i++) {
		const struct gap *gap = &gaps->gaps[i];

		json_out_object(json, NULL);
		growth_json_moment(json, "from", gap->from_ms);
		growth_json_moment(json, "to", gap->to_ms);
		json_out_string(json, "cause", gap->cause);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void growth_json_filled(struct json_out *json, const struct growth *growth,
			const struct recorded_who *who,
			const struct column_choice *columns)
{
	const struct fills *fills = &growth->fills;

	if (!fills->report_count) {
		json_out_null(json, "filled");
		json_out_null(json, "engine");
		json_out_null(json, "lost_events");
		json_out_null(json, "estimated");
	} else {
		table_json_write_rows(json, "filled", columns,
				      &TABLE_OF(who->rows.rows,
						who->rows.shown));
		json_out_string(json, "engine", fills->engine);
		json_out_unsigned(json, "lost_events", fills->lost_events);
		json_out_bool(json, "estimated", who->is_estimated);
	}
	growth_json_gaps(json, "untraced", &fills->untraced);
}
