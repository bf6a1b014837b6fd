// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: fills TTM's pool, as a graphics driver does that frees an object
 * whose pages were write-combined. No graphics card of the emulator has such.
 */
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/version.h>

#include <drm/drm_vma_manager.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#include <drm/ttm/ttm_bo_api.h>
#else
#include <drm/ttm/ttm_bo.h>
#endif
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_pool.h>
#include <drm/ttm/ttm_tt.h>

static unsigned int pages = 256;
module_param(pages, uint, 0444);
MODULE_PARM_DESC(pages, "pages that the pool gets");

static struct ttm_device device;
static struct ttm_device_funcs funcs;
static struct drm_vma_offset_manager offsets;
static struct address_space mapping;

static int fill(void)
{
	struct ttm_operation_ctx context = {};
	struct ttm_tt object = {
		.num_pages = pages,
		.caching = ttm_write_combined,
	};
	int ret;

	object.pages = kvcalloc(pages, sizeof(*object.pages), GFP_KERNEL);
	if (!object.pages)
		return -ENOMEM;
	ret = ttm_pool_alloc(&device.pool, &object, &context);
	if (!ret)
		ttm_pool_free(&device.pool, &object);
	kvfree(object.pages);
	return ret;
}

static int __init ttm_pages_init(void)
{
	int ret;

	drm_vma_offset_manager_init(&offsets, 1, 1 << 20);
	ret = ttm_device_init(&device, &funcs, NULL, &mapping, &offsets, false,
			      false);
	if (!ret) {
		ret = fill();
		if (ret)
			ttm_device_fini(&device);
	}
	if (ret)
		drm_vma_offset_manager_destroy(&offsets);
	return ret;
}

static void __exit ttm_pages_exit(void)
{
	ttm_device_fini(&device);
	drm_vma_offset_manager_destroy(&offsets);
}

module_init(ttm_pages_init);
module_exit(ttm_pages_exit);
MODULE_LICENSE("GPL");
