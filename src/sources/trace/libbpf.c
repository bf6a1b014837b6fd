// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>

#include "lib/library.h"
#include "trace/libbpf.h"

int libbpf_init(struct libbpf *libbpf, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "libbpf_set_print", &libbpf->set_print },
		{ "bpf_object__open_mem", &libbpf->open },
		{ "bpf_object__load", &libbpf->load },
		{ "bpf_object__close", &libbpf->close },
		{ "bpf_object__find_program_by_name", &libbpf->find_program },
		{ "bpf_program__set_autoload", &libbpf->set_autoload },
		{ "bpf_program__fd", &libbpf->program_fd },
		{ "bpf_object__find_map_fd_by_name", &libbpf->find_map_fd },
		{ "bpf_raw_tracepoint_open", &libbpf->attach },
		{ "bpf_map_lookup_elem", &libbpf->lookup },
		{ "bpf_map_update_elem", &libbpf->update },
		{ "bpf_map_lookup_batch", &libbpf->lookup_batch },
		{ "bpf_map_delete_elem", &libbpf->remove },
		{ "bpf_obj_get_info_by_fd", &libbpf->info },
		{ "btf__load_vmlinux_btf", &libbpf->load_btf },
		{ "btf__free", &libbpf->free_btf },
		{ "btf__find_by_name_kind", &libbpf->find_type },
	};
	int ret;

	*libbpf = (struct libbpf){ 0 };
	ret = library_open(LIBRARY_BPF, symbols,
			   sizeof(symbols) / sizeof(*symbols), &libbpf->handle,
			   err);
	if (!ret)
		libbpf->set_print(NULL);
	return ret;
}

void libbpf_deinit(struct libbpf *libbpf)
{
	if (libbpf->handle)
		dlclose(libbpf->handle);
	*libbpf = (struct libbpf){ 0 };
}
