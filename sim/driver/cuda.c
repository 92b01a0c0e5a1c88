#include "sim/driver/cuda.h"
#include <stdio.h>
#include <string.h>

typedef struct CudaRow { const char *name; size_t offset; int when; } CudaRow;
static const CudaRow cuda_rows[] = {
#define C(MEMBER, NAME, WHEN, ARGUMENTS) { #NAME, offsetof(CudaCalls, MEMBER), CUDA_##WHEN },
	CUDA_CALLS(C)
#undef C
};
enum { CUDA_ROWS = sizeof cuda_rows / sizeof *cuda_rows };

const char *cuda_find_calls(CudaCalls *calls, CudaFind find, void *self)
{
	for (int i = 0; i < CUDA_ROWS; i++) {
		void *entry = find(self, cuda_rows[i].name);
		if (!entry && cuda_rows[i].when == CUDA_NEEDED)
			return cuda_rows[i].name;
		/* C has no conversion from void * to a pointer to a function; POSIX says that both have the
		   same form */
		memcpy((char *)calls + cuda_rows[i].offset, &entry, sizeof entry);
	}
	return NULL;
}

const char *cuda_error(const CudaCalls *calls, CudaResult error, char text[CUDA_ERROR_TEXT])
{
	const char *name = NULL, *explained = NULL;
	if (calls->error_name(error, &name) || !name)
		snprintf(text, CUDA_ERROR_TEXT, "error %d of the driver, which has no name for it", error);
	else if (calls->error_text(error, &explained) || !explained)
		snprintf(text, CUDA_ERROR_TEXT, "%.100s", name);
	else
		snprintf(text, CUDA_ERROR_TEXT, "%.100s (%.140s)", name, explained);
	return text;
}
