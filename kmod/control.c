// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/bufstat: reads requests, checks them and writes the answers. Other files
 * of the module get no unchecked flag, version or size.
 */
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <bufstat/version.h>

#include "bufstat.h"
#include "compat.h"
#include "late.h"
#include "walk.h"

static int answer_version(void __user *argument)
{
	struct bufstat_version answer = {
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.page_size = PAGE_SIZE,
		.module_version = BUFSTAT_VERSION,
	};

	return copy_to_user(argument, &answer, sizeof(answer)) ? -EFAULT : 0;
}

static int answer_filesystem(void __user *argument)
{
	struct bufstat_filesystem request;
	int ret;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	if (request.version != BUFSTAT_FILESYSTEMS_VERSION || request.flags ||
	    memchr_inv(request.reserved, 0, sizeof(request.reserved)))
		return -EINVAL;
	request = (struct bufstat_filesystem){
		.version = request.version,
		.fd = request.fd,
	};
	ret = bufstat_filesystem(&request);
	if (ret)
		return ret;
	return copy_to_user(argument, &request, sizeof(request)) ? -EFAULT : 0;
}

static int answer_files(void __user *argument)
{
	struct bufstat_files request;
	int ret;

	if (copy_from_user(&request, argument, sizeof(request)))
		return -EFAULT;
	if (request.version != BUFSTAT_FILESYSTEMS_VERSION ||
	    request.flags & ~BUFSTAT_FILES_ONE || !request.capacity ||
	    request.capacity > BUFSTAT_FILES_MAX ||
	    memchr_inv(request.reserved, 0, sizeof(request.reserved)))
		return -EINVAL;
	request = (struct bufstat_files){
		.version = request.version,
		.fd = request.fd,
		.flags = request.flags,
		.capacity = request.capacity,
		.rows = request.rows,
	};
	ret = bufstat_files(&request);
	if (ret)
		return ret;
	return copy_to_user(argument, &request, sizeof(request)) ? -EFAULT : 0;
}

static int answer_held(void __user *argument)
{
	struct bufstat_held held;
	u32 version;

	if (copy_from_user(&held, argument, sizeof(held)))
		return -EFAULT;
	version = held.version;
	held.version = 0;
	if (version != BUFSTAT_FILESYSTEMS_VERSION ||
	    memchr_inv(&held, 0, sizeof(held)))
		return -EINVAL;
	held.version = version;
	bufstat_late_report(&held);
	return copy_to_user(argument, &held, sizeof(held)) ? -EFAULT : 0;
}

static long control_ioctl(struct file *file, unsigned int command,
			  unsigned long argument)
{
	void __user *pointer = (void __user *)argument;

	switch (command) {
	case BUFSTAT_IOC_VERSION:
		return answer_version(pointer);
	case BUFSTAT_IOC_FILESYSTEM:
		return answer_filesystem(pointer);
	case BUFSTAT_IOC_FILES:
		return answer_files(pointer);
	case BUFSTAT_IOC_HELD:
		return answer_held(pointer);
	}
	return -ENOTTY;
}

/* In some containers the mode of the node protects nothing. */
static int control_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return nonseekable_open(inode, file);
}

/* The owner makes the kernel refuse to unload while the device is open. */
static const struct file_operations control_operations = {
	.owner = THIS_MODULE,
	.open = control_open,
	.unlocked_ioctl = control_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice control_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = BUFSTAT_DEVICE,
	.fops = &control_operations,
	.mode = 0600,
};

int bufstat_control_init(void)
{
	/* The sizes are the same for 32-bit callers, whose u64 aligns to 4. */
	BUILD_BUG_ON(sizeof(struct bufstat_version) != 32);
	BUILD_BUG_ON(sizeof(struct bufstat_filesystem) != 200);
	BUILD_BUG_ON(sizeof(struct bufstat_file) != 4096);
	BUILD_BUG_ON(sizeof(struct bufstat_files) != 104);
	BUILD_BUG_ON(sizeof(struct bufstat_held) != 720);
	return misc_register(&control_device);
}

void bufstat_control_exit(void)
{
	misc_deregister(&control_device);
}
