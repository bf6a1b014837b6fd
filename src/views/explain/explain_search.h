/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for who has what the first sentence is about (explain_holder.h). */
#ifndef BUFSTAT_EXPLAIN_SEARCH_H
#define BUFSTAT_EXPLAIN_SEARCH_H

struct explain_facts;
struct sysroot;

/*
 * Needs all other facts. Asks for the lists of owners of one head, and only
 * what a list needs, so slab caches are not counted unless slab is that head.
 * What is not found is no error. Returns 0 or -ENOMEM.
 */
int explain_search(struct explain_facts *facts, const struct sysroot *root);

/* The same once more: the first sentence turned out to be of something else. */
int explain_search_again(struct explain_facts *facts,
			 const struct sysroot *root);

#endif
