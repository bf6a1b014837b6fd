// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cgroups/charges.h"
#include "cli/command_line.h"
#include "cli/table_options.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "measure/provenance.h"
#include "table/cell.h"
#include "table/table.h"
#include "who/advice.h"
#include "who/tracing.h"
#include "who/who_report.h"

static void write_rows(struct json_out *json, const char *key,
		       const struct who_report *report,
		       const struct who_rows *rows)
{
	json_out_array(json, key);
	for (size_t i = 0; i < rows->shown; i++)
		table_json_write_row(json, &report->table->columns,
				     &rows->rows[i]);
	json_out_array_end(json);
}

static void print_json(const struct who_report *report,
		       const struct traced *traced)
{
	const struct provenance provenance = provenance_of(report->root, NULL);
	const char *source = traced->caches.has_devices ?
				     traced->caches.devices.source :
				     NULL;
	struct json_out json;

	document_begin(
		&json, stdout, report->common->json_lines, &provenance, source,
		!traced->totals.lost_events && !traced->totals.unknown_needs &&
			!error_is_set(&traced->caches.why));
	json_out_decimal(&json, "seconds", (double)traced->took_ns / 1e9);
	write_rows(&json, "filled", report, &traced->rows);
	culprits_write(&json, &traced->culprits, &traced->losses,
		       traced->totals.knows_evictions);
	advice_write(&json, &traced->totals, &traced->rows);
	json_out_string(&json, "engine", report->engine);
	json_out_unsigned(&json, "lost_events", traced->totals.lost_events);
	document_end(&json);
}

static int print_rows(const struct who_report *report,
		      const struct who_rows *rows,
		      const struct table_style *style)
{
	const struct table_rows printed = TABLE_ROWS(rows->rows, rows->shown);

	return table_print(stdout, &printed, &report->table->columns, style);
}

int who_report_print(const struct who_report *report,
		     const struct traced *traced)
{
	const struct table_style style = table_options_style(report->table);

	if (report->common->json) {
		print_json(report, traced);
		return 0;
	}
	/* Scripts get rows alone. */
	if (style.format == TABLE_PLAIN && !style.no_headings) {
		int ret = culprits_print(stdout, &traced->culprits,
					 &traced->losses, style.unit);

		if (!ret)
			ret = advice_print(stdout, &traced->totals,
					   &traced->rows, style.unit);
		if (ret < 0)
			return ret;
	}
	return print_rows(report, &traced->rows, &style);
}

static void print_json_now(const struct who_report *report,
			   const struct who_rows *rows,
			   const struct charges *charges)
{
	const struct provenance provenance = provenance_of(report->root, NULL);
	struct json_out json;

	document_begin(&json, stdout, report->common->json_lines, &provenance,
		       "kcore", charges_are_whole(charges));
	json_out_unsigned(&json, "page_size_bytes", charges->page_size);
	write_rows(&json, "now", report, rows);
	document_end(&json);
}

int who_report_print_now(const struct who_report *report,
			 const struct who_rows *rows,
			 const struct charges *charges)
{
	const struct table_style style = table_options_style(report->table);

	if (!report->common->json)
		return print_rows(report, rows, &style);
	print_json_now(report, rows, charges);
	return 0;
}
