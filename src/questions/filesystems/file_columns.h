/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FILE_COLUMNS_H
#define BUFSTAT_FILE_COLUMNS_H

#include "filesystems/measured_files.h"
#include "question/question.h"
#include "table/column.h"

struct command_line;
struct fields;

struct file_row {
	const struct cached_file *file;
	uint64_t page_size; /* bytes */
	bool has_users; /* they were looked for */
};

/* The rows are struct file_row. */
extern const struct column_set file_columns;

struct files_answer {
	struct answer head;
	struct cached_files files;
	const char *capture; /* where it was read; or NULL */
	size_t most; /* that were asked for */
	bool hides_paths; /* where it is saved */
};

/* Those with most pages, as many as were asked for, with their users. */
extern const struct question file_question;
extern const struct command_line command_files;

/* Of a document whose answer is that of this question. */
extern const struct fields file_document;

#endif
