/* In a browser there are no object files: libelf is left out. */
#include "isa/ir.h"

Module *elf_read(const void *p, size_t n, const char *path, Diag *diag)
{
	diag_error(diag, (Loc){ path, 0, 0 }, "object files cannot be read in the browser; expected IR or "
		"PTX");
	return NULL;
}

bool elf_write(const Module *m, const char *path, Diag *diag)
{
	diag_error(diag, (Loc){ path, 0, 0 }, "object files cannot be written in the browser");
	return false;
}
