// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs "bufstat/devices", in the format of <bufstat/devices.h>.
 *
 * The file has mode 0444 and no write, ioctl or mmap: otherwise a kernel under
 * lockdown refuses the open (5496197f9b08 "debugfs: Restrict debugfs when the
 * kernel is locked down", 5.4; RHEL 8 has it). debugfs itself is 0700.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include <bufstat/devices.h>
#include <bufstat/version.h>

#include "bufstat.h"

static struct dentry *directory;

/*
 * The file is a sequence of count + 2 records: the header, the rows, the end.
 * seq_file renders record by record into a buffer of one page, so it renders
 * nothing twice. The snapshot does not change, so nothing is torn.
 */
static void *devices_record(const struct bufstat_snapshot *snapshot,
			    loff_t position)
{
	if (position > snapshot->count + 1)
		return NULL;
	return (void *)(unsigned long)(position + 1);
}

static void *devices_start(struct seq_file *seq, loff_t *position)
{
	return devices_record(seq->private, *position);
}

static void *devices_next(struct seq_file *seq, void *record, loff_t *position)
{
	return devices_record(seq->private, ++*position);
}

static void devices_stop(struct seq_file *seq, void *record)
{
}

static void show_header(struct seq_file *seq, const struct bufstat_snapshot *s)
{
	seq_printf(seq, BUFSTAT_DEVICES_FORMAT " %d.%d\n",
		   BUFSTAT_DEVICES_MAJOR, BUFSTAT_DEVICES_MINOR);
	seq_puts(seq, BUFSTAT_KEY_MODULE_VERSION " " BUFSTAT_VERSION "\n");
	seq_printf(seq, BUFSTAT_KEY_PAGE_SIZE " %lu\n", PAGE_SIZE);
	seq_printf(seq, BUFSTAT_KEY_DEVICES " %lu\n", s->devices);
	seq_printf(seq, BUFSTAT_KEY_PAGES " %lu\n", s->pages);
	seq_printf(seq, BUFSTAT_KEY_BUFFERRAM_PAGES " %lu\n",
		   s->bufferram_pages);
	seq_printf(seq, BUFSTAT_KEY_FILE_PAGES " %lu\n", s->file_pages);
	seq_puts(seq, BUFSTAT_KEY_COLUMNS
		 " " BUFSTAT_COL_MAJOR " " BUFSTAT_COL_MINOR
		 " " BUFSTAT_COL_NAME " " BUFSTAT_COL_PAGES
		 " " BUFSTAT_COL_DIRTY " " BUFSTAT_COL_WRITEBACK
		 " " BUFSTAT_COL_OPENERS " " BUFSTAT_COL_WB_ERR "\n");
}

static void show_figure(struct seq_file *seq, s64 figure)
{
	if (figure == BUFSTAT_NO_FIGURE)
		seq_puts(seq, " " BUFSTAT_ABSENT);
	else
		seq_put_decimal_ull(seq, " ", figure);
}

static void show_row(struct seq_file *seq, const struct bufstat_row *row)
{
	/* There may be thousands of rows, so do without a format string. */
	seq_put_decimal_ull(seq, "", MAJOR(row->dev));
	seq_put_decimal_ull(seq, " ", MINOR(row->dev));
	seq_putc(seq, ' ');
	if (row->name[0])
		seq_escape(seq, row->name, " \t\n\\#");
	else
		seq_puts(seq, BUFSTAT_ABSENT);
	seq_put_decimal_ull(seq, " ", row->pages);
	show_figure(seq, row->dirty);
	show_figure(seq, row->writeback);
	show_figure(seq, row->openers);
	show_figure(seq, row->write_error);
	seq_putc(seq, '\n');
}

static int devices_show(struct seq_file *seq, void *record)
{
	const struct bufstat_snapshot *snapshot = seq->private;
	unsigned long position = (unsigned long)record - 1;

	if (position == 0)
		show_header(seq, snapshot);
	else if (position <= snapshot->count)
		show_row(seq, &snapshot->rows[position - 1]);
	else
		seq_printf(seq, BUFSTAT_KEY_END " %zu\n", snapshot->count);
	return 0;
}

static const struct seq_operations devices_records = {
	.start = devices_start,
	.next = devices_next,
	.stop = devices_stop,
	.show = devices_show,
};

static int devices_open(struct inode *inode, struct file *file)
{
	struct bufstat_snapshot *snapshot;
	struct seq_file *seq;
	int ret;

	snapshot = bufstat_snapshot_create();
	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);

	ret = seq_open(file, &devices_records);
	if (ret) {
		bufstat_snapshot_destroy(snapshot);
		return ret;
	}
	seq = file->private_data;
	seq->private = snapshot;
	return 0;
}

static int devices_release(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;

	bufstat_snapshot_destroy(seq->private);
	return seq_release(inode, file);
}

/* The owner makes the kernel refuse to unload while the file is open. */
static const struct file_operations devices_operations = {
	.owner = THIS_MODULE,
	.open = devices_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = devices_release,
};

/*
 * Pins the module by hand. debugfs would do it for operations with an owner.
 * But if that fails in the instant before rmmod marks the module as going,
 * debugfs warns that the owner did not clean up. While this function runs,
 * debugfs does not remove the file; afterwards the owner of
 * devices_operations pins the module.
 */
static int devices_enter(struct inode *inode, struct file *file)
{
	if (!try_module_get(THIS_MODULE))
		return -ENXIO;
	/* Closing the file puts the owner of its new operations. */
	replace_fops(file, &devices_operations);
	return devices_open(inode, file);
}

static const struct file_operations devices_entry = {
	.open = devices_enter,
};

void bufstat_debugfs_init(void)
{
	directory = debugfs_create_dir(BUFSTAT_DEBUGFS_DIR, NULL);
	if (IS_ERR_OR_NULL(directory))
		return;
	/* Safe here: no file is open when the module is unloaded. */
	debugfs_create_file_unsafe(BUFSTAT_DEBUGFS_DEVICES, 0444, directory,
				   NULL, &devices_entry);
}

/* If the directory was not created, debugfs_remove_recursive() does nothing. */
void bufstat_debugfs_exit(void)
{
	debugfs_remove_recursive(directory);
}
