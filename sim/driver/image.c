#include "sim/driver/image.h"
#include "lib/number.h"
#include <stdlib.h>
#include <string.h>

/* ROOM: addresses that are reserved for each byte of the limit, since the memory leaves gaps between buffers;
   SPARE: and besides. PIECE: memory is asked for in pieces of so many bytes at least. */
enum { ROOM = 2 };
#define SPARE ((uint64_t)1 << 32)
#define PIECE ((uint64_t)1 << 22)

/* A call of the driver; if it fails, the function returns its name. */
#define TRY(CALL, NAME) do { if ((*error = (CALL))) return NAME; } while (0)

/* ---- variables of the module ---- */

void image_open(Image *image, const Launch *l)
{
	const Module *m = l->module;
	image->of = m;
	image->memory = l->memory;
	image->symbol_address = l->symbol_address;
	image->variable = xcalloc((size_t)m->symbol.n + 1, sizeof *image->variable);
	for (int i = 0; i < m->symbol.n; i++) {
		const Symbol *s = m->symbol.v[i];
		CudaAddress at;
		size_t size;
		if (!l->symbol_address[i])
			continue;
		if (l->symbol_address[i] >= image->behind_variables)
			image->behind_variables = l->symbol_address[i] + 1;
		/* the driver does not tell of variables that nothing uses, nor of those within functions */
		if (s->owner < 0 && !image->cuda->module_global(&at, &size, image->module, s->name) &&
			size == s->size)
			image->variable[i] = at;
	}
}

/* The number of the variable that is this allocation of the memory; -1: it is a buffer. */
static int variable_at(const Image *image, const Alloc *a)
{
	for (int i = 0; a->addr < image->behind_variables && i < image->of->symbol.n; i++)
		if (image->symbol_address[i] == a->addr)
			return i;
	return -1;
}

CudaAddress image_address(const Image *image, uint64_t v)
{
	const Alloc *a = memory_find(image->memory, v, 0, NULL);
	int variable = a ? variable_at(image, a) : -1;
	if (variable >= 0 && image->variable[variable])
		return image->variable[variable] + (v - a->addr);
	return a ? v - GLOBAL_BASE + image->base : v;
}

/* ---- where the copy lies ---- */

static CudaMemory memory_wanted(const Image *image)
{
	return (CudaMemory){ .type = CUDA_PINNED, .place = { CUDA_ON_DEVICE, image->device } };
}

static bool can_place(const CudaCalls *c)
{
	return c->reserve && c->unreserve && c->granularity && c->create && c->release && c->map &&
		c->unmap && c->set_access;
}

/* Reserves the addresses of the launch's memory. Where the driver has no such call or others have them
   already, the copy is moved. */
static void place_copy(Image *image)
{
	const CudaCalls *c = image->cuda;
	CudaMemory wanted = memory_wanted(image);
	size_t granule = 0;
	image->placed = image->moved = true;
	if (!can_place(c) || c->granularity(&granule, &wanted, 0) || !granule)
		return;
	uint64_t size = align_up(ROOM * image->limit + SPARE, granule);
	CudaAddress at = 0;
	if (GLOBAL_BASE % granule || c->reserve(&at, size, granule, GLOBAL_BASE, 0))
		return;
	if (at != GLOBAL_BASE) {
		c->unreserve(at, size);
		return;
	}
	image->moved = false;
	image->base = at;
	image->granule = granule;
	image->reserved = size;
}

/* Puts memory behind the next addresses. */
static const char *add_piece(Image *image, uint64_t size, CudaResult *error)
{
	const CudaCalls *c = image->cuda;
	CudaMemory wanted = memory_wanted(image);
	CudaAccess access = { wanted.place, CUDA_READ_WRITE };
	CudaAddress at = image->base + image->ready;
	CudaHandle handle;
	TRY(c->create(&handle, size, &wanted, 0), "cuMemCreate");
	if ((*error = c->map(at, size, 0, handle, 0))) {
		c->release(handle);
		return "cuMemMap";
	}
	vec_push(&image->handle, handle);
	vec_push(&image->piece, size);
	image->ready += size;
	TRY(c->set_access(at, size, &access, 1), "cuMemSetAccess");
	return NULL;
}

/* Has room for the first `size` bytes of the memory. A copy that is moved is allocated anew when it grows:
   the memory gets all that it does not have, and the next copy all that is in memory. */
static const char *make_room(Image *image, uint64_t size, CudaResult *error)
{
	const CudaCalls *c = image->cuda;
	if (size <= image->ready)
		return NULL;
	if (!image->moved) {
		uint64_t more = size - image->ready;
		if (size > image->reserved) {
			*error = CUDA_OUT_OF_MEMORY;
			return "cuMemAddressReserve";
		}
		more = align_up(more > PIECE ? more : PIECE, image->granule);
		return add_piece(image, more < image->reserved - image->ready ? more
			: image->reserved - image->ready, error);
	}
	const char *failed = image_copy_all_out(image, error);
	if (failed)
		return failed;
	for (int i = 0; i < image->copied.n; i++)
		image->copied.v[i].on_gpu = false;
	if (image->ready)
		TRY(c->memory_free(image->base), "cuMemFree");
	image->ready = 0;
	TRY(c->memory_alloc(&image->base, size), "cuMemAlloc");
	image->ready = size;
	return NULL;
}

/* ---- copies ---- */

/* Where the allocation's bytes lie on the GPU; 0: nowhere, or its values there are the driver's own affair,
   since they are addresses of variables. */
static CudaAddress copy_at(const Image *image, const Alloc *a)
{
	int variable = variable_at(image, a);
	if (variable < 0)
		return a->addr - GLOBAL_BASE + image->base;
	return image->of->symbol.v[variable]->reloc.n ? 0 : image->variable[variable];
}

/* Which side has the allocation's bytes. One that has not been met is in memory alone. */
static Copied *copied_of(Image *image, const Alloc *a)
{
	int low = 0, high = image->copied.n;
	while (low < high) {
		int middle = (low + high) / 2;
		if (image->copied.v[middle].addr < a->addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == image->copied.n || image->copied.v[low].addr != a->addr)
		vec_insert(&image->copied, low, ((Copied){ a->addr, true, false }));
	return &image->copied.v[low];
}

const char *image_copy_in(Image *image, CudaResult *error)
{
	uint64_t n = memory_count(image->memory);
	if (!image->placed)
		place_copy(image);
	if (n) {
		const Alloc *last = memory_nth(image->memory, n - 1);
		const char *failed = make_room(image, last->addr + last->size - GLOBAL_BASE, error);
		if (failed)
			return failed;
	}
	for (uint64_t i = 0; i < n; i++) {
		const Alloc *a = memory_nth(image->memory, i);
		CudaAddress at = copy_at(image, a);
		Copied *copied = copied_of(image, a);
		if (!at || !a->size)
			continue;
		if (!copied->on_gpu)
			TRY(image->cuda->copy_in(at, a->data, a->size), "cuMemcpyHtoD");
		copied->on_gpu = true;
		copied->in_memory = a->read_only;
	}
	return NULL;
}

const char *image_copy_out(Image *image, const Alloc *a, bool writes, CudaResult *error)
{
	Copied *copied = copied_of(image, a);
	if (!copied->in_memory)
		TRY(image->cuda->copy_out(a->data, copy_at(image, a), a->size), "cuMemcpyDtoH");
	copied->in_memory = true;
	if (writes)
		copied->on_gpu = false;
	return NULL;
}

const char *image_copy_all_out(Image *image, CudaResult *error)
{
	const char *failed = NULL;
	for (uint64_t i = 0; i < memory_count(image->memory) && !failed; i++)
		failed = image_copy_out(image, memory_nth(image->memory, i), false, error);
	return failed;
}

void image_close(Image *image, bool give_back)
{
	const CudaCalls *c = image->cuda;
	CudaAddress at = image->base;
	if (give_back && image->placed && image->moved && image->ready)
		c->memory_free(image->base);
	for (int i = 0; give_back && i < image->handle.n; i++) {
		c->unmap(at, image->piece.v[i]);
		c->release(image->handle.v[i]);
		at += image->piece.v[i];
	}
	if (give_back && image->reserved)
		c->unreserve(image->base, image->reserved);
	vec_free(&image->handle);
	vec_free(&image->piece);
	vec_free(&image->copied);
	free(image->variable);
}
