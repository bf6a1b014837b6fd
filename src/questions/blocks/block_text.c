// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/block_rows.h"
#include "blocks/block_text.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "lib/terminal.h"

/* Columns, where no terminal says how wide it is. */
#define USUAL_WIDTH 80
#define LEAST_PARTS 10

/* Of a strip, and in a sentence. The colours are those of SGR. */
static const struct {
	char letter;
	unsigned char colour;
	const char *many;
} marks[BLOCK_KINDS] = {
	[BLOCK_UNKNOWN] = { '?', 37, "unknown blocks" },
	[BLOCK_SUPER] = { 's', 95, "superblocks and descriptors" },
	[BLOCK_BITMAP] = { 'b', 35, "bitmaps" },
	[BLOCK_INODE_TABLE] = { 'i', 34, "inode tables" },
	[BLOCK_JOURNAL] = { 'j', 33, "journal" },
	[BLOCK_OTHER] = { 'm', 95, "other metadata" },
	[BLOCK_DIRECTORY] = { 'd', 36, "directories" },
	[BLOCK_MAP] = { 'e', 94, "extents" },
	[BLOCK_XATTR] = { 'x', 96, "extended attributes" },
	[BLOCK_SYMLINK] = { 'l', 96, "symlinks" },
	[BLOCK_DATA] = { 'f', 32, "file data" },
	[BLOCK_IN_USE] = { 'u', 92, "blocks in use by what is not cached" },
	[BLOCK_FREE] = { '-', 90, "free blocks" },
	[BLOCK_RAW] = { 'r', 31, "raw data" },
	[BLOCK_OUTSIDE] = { 'o', 91, "blocks outside the filesystem" },
	[BLOCK_UNREAD] = { '.', 90, "parts that were never read" },
	[BLOCK_UNSEEN] = { ',', 37, "pages not looked at" },
	[BLOCK_GONE] = { '~', 37, "pages that came or went" },
};

/* Bytes that there was time to look at. */
static uint64_t looked_at(const struct device_blocks *device)
{
	return device->pages * device->page_size -
	       device->blocks.bytes[BLOCK_UNSEEN];
}

/* In percent of what was looked at, which must be something. */
static double share_of(const struct device_blocks *device, enum block_kind kind)
{
	return 100 * (double)device->blocks.bytes[kind] /
	       (double)looked_at(device);
}

/*
 * In percent of what was read, of which there must be some. A page of 64 KiB is
 * mostly not: ext4 reads its metadata block by block.
 */
static double share_of_read(const struct device_blocks *device,
			    enum block_kind kind)
{
	return 100 * (double)device->blocks.bytes[kind] /
	       (double)(looked_at(device) - device->blocks.bytes[BLOCK_UNREAD]);
}

/* What leads to such a cache, or NULL if many things do. */
static const char *typical_of(const struct device_blocks *device)
{
	double inodes, directories, maps, bitmaps, data;

	if (looked_at(device) == device->blocks.bytes[BLOCK_UNREAD])
		return NULL;
	inodes = share_of_read(device, BLOCK_INODE_TABLE);
	directories = share_of_read(device, BLOCK_DIRECTORY);
	maps = share_of_read(device, BLOCK_MAP);
	bitmaps = share_of_read(device, BLOCK_BITMAP);
	data = share_of_read(device, BLOCK_DATA) +
	       share_of_read(device, BLOCK_FREE) +
	       share_of_read(device, BLOCK_RAW);
	if (data >= 50)
		return "something that reads the device itself (dd, a backup "
		       "of the image, a check of the disk)";
	if (share_of_read(device, BLOCK_JOURNAL) >= 50)
		return "many small changes: the journal is written through "
		       "this cache";
	if (inodes + directories + maps + bitmaps < 70)
		return NULL;
	if (directories >= 2)
		return "something that walks the whole tree (updatedb, backup, "
		       "find), or checks it (fsck)";
	return inodes >= 50 ? "something that looks at every inode (fsck, "
			      "quotacheck, dump)" :
			      NULL;
}

/* "41 million files", or a plain number below a million. */
static const char *files_text(struct sentence *out, uint64_t count)
{
	return count >= 1000000 ? piece(out, ", of %.*f million files",
					count < 10000000, (double)count / 1e6) :
				  piece(out, ", of %" PRIu64 " files", count);
}

/* The two kinds with most of what was looked at, and what that is typical of. */
static void print_kinds(struct sentence *out,
			const struct device_blocks *device)
{
	const uint64_t *bytes = device->blocks.bytes;
	enum block_kind first = BLOCK_UNSEEN, second = BLOCK_UNSEEN;
	const char *typical = typical_of(device);

	for (unsigned int kind = 0; kind < BLOCK_KINDS; kind++) {
		if (kind == BLOCK_UNSEEN || !bytes[kind])
			continue;
		if (first == BLOCK_UNSEEN || bytes[kind] > bytes[first]) {
			second = first;
			first = kind;
		} else if (second == BLOCK_UNSEEN ||
			   bytes[kind] > bytes[second]) {
			second = kind;
		}
	}
	say(out, ": %.0f %% %s", share_of(device, first), marks[first].many);
	if (second != BLOCK_UNSEEN && share_of(device, second) >= 1)
		say(out, " and %.0f %% %s", share_of(device, second),
		    marks[second].many);
	say(out, "%s%s%s.\n",
	    device->blocks.has_inodes ? files_text(out, device->blocks.inodes) :
					"",
	    typical ? ": typical of " : "", typical ? typical : "");
}

/* A label may have any byte. */
static const char *identity_text(struct sentence *out,
				 const struct identity *identity)
{
	if (!identity->fstype)
		return "";
	return piece(out, " (%s%s%s%s)",
		     identity->is_proven ? "" : "looks like ",
		     safe_text(out, identity->fstype),
		     identity->label ? ", " : "",
		     identity->label ? safe_text(out, identity->label) : "");
}

int block_sentence_print(FILE *stream, const struct device_blocks *device,
			 const struct table_style *style)
{
	const uint64_t all = device->pages * device->page_size;
	const uint64_t looked = looked_at(device);
	struct sentence out;

	sentence_begin_on(&out, stream);
	if (!all) {
		say(&out, "Nothing of %s is cached.\n", device->name);
		return sentence_end(&out, NULL);
	}
	say(&out, "%s of %s%s", SIZE_IN((int64_t)all, style->unit),
	    device->name, identity_text(&out, &device->identity));
	if (looked && looked != all)
		say(&out, ", of which %s were looked at",
		    SIZE_IN((int64_t)looked, style->unit));
	if (looked)
		print_kinds(&out, device);
	else
		say(&out, ", of which nothing was looked at in time.\n");
	if (!device->is_dump)
		say(&out, "To release it: bufstat drop %s\n", device->name);
	return sentence_end(&out, NULL);
}

static void print_cells(FILE *out, const struct blocks_part *parts,
			size_t count, uint64_t part_bytes, bool colours)
{
	static const char *const blocks[] = { " ",	"\u2581", "\u2582",
					      "\u2583", "\u2584", "\u2585",
					      "\u2586", "\u2587", "\u2588" };
	static const char *const digits[] = { " ", "1", "2", "3", "4",
					      "5", "6", "7", "8" };
	const char *const *heights = terminal_is_utf8() ? blocks : digits;

	for (size_t i = 0; i < count; i++) {
		double full = (double)parts[i].bytes / (double)part_bytes;
		int height = (int)(full * 8 + 0.5);

		if (height > 8)
			height = 8;
		if (!height && parts[i].bytes)
			height = 1;
		if (colours && height)
			fprintf(out, "\033[%um", marks[parts[i].kind].colour);
		fputs(heights[height], out);
		if (colours && height)
			fputs("\033[m", out);
	}
}

/* Which letter, or colour, is which kind. */
static void print_legend(FILE *out, const struct rows *rows,
			 const struct blocks_part *parts, size_t count,
			 bool colours)
{
	const char *between = "  ";

	for (size_t row = 0; row < rows->count; row++) {
		enum block_kind kind =
			((const struct block_row *)rows_at(rows, row))->kind;
		bool is_there = false;

		for (size_t i = 0; !is_there && i < count; i++)
			is_there = parts[i].bytes && parts[i].kind == kind;
		if (!is_there)
			continue;
		if (colours)
			fprintf(out, "%s\033[%um%s\033[m", between,
				marks[kind].colour, block_kinds[kind]);
		else
			fprintf(out, "%s%c %s", between, marks[kind].letter,
				block_kinds[kind]);
		between = ", ";
	}
	fputc('\n', out);
}

int block_strip_print(FILE *out, const struct block_answer *answer,
		      const struct table_style *style)
{
	const struct device_blocks *device = &answer->device;
	size_t width = style->terminal_width ?: USUAL_WIDTH, count;
	bool colours = style->emphasis;
	struct blocks_part *parts;
	const char *size =
		SIZE_IN((int64_t)device->cached.device_bytes, style->unit);

	/* Parts that are not in the list would look as if nothing is cached. */
	if (!device->cached.device_bytes || !device->pages ||
	    device->cached.list.left_out)
		return 0;
	count = width > text_width(size, strlen(size)) + 3 + LEAST_PARTS ?
			width - text_width(size, strlen(size)) - 3 :
			LEAST_PARTS;
	parts = calloc(count, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	blocks_strip(&device->cached.cache, device->cached.device_bytes, parts,
		     count);
	fputs("0 ", out);
	print_cells(out, parts, count, device->cached.device_bytes / count + 1,
		    colours);
	fprintf(out, " %s\n", size);
	if (!colours) {
		fputs("  ", out);
		for (size_t i = 0; i < count; i++)
			fputc(parts[i].bytes ? marks[parts[i].kind].letter :
					       ' ',
			      out);
		fputc('\n', out);
	}
	print_legend(out, &answer->head.rows, parts, count, colours);
	free(parts);
	return 0;
}
