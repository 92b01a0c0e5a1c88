#include "isa/ir.h"
#include "isa/memory.h"
#include "lib/number.h"
#include <sys/mman.h>

enum { ALIGN = 256, LARGE = 1 << 20, PAGE = 4096 };

struct Memory {
	uint64_t limit, used, next;    /* limit, used: bytes; next: the next free address */
	Vec(Alloc *) live;             /* allocations in order of address */
	/* released allocations; they are kept so that hints to them stay readable */
	Vec(Alloc *) dead;
};

Memory *memory_new(uint64_t limit)
{
	Memory *m = xcalloc(1, sizeof *m);
	m->limit = limit;
	m->next = GLOBAL_BASE;
	return m;
}

/* Large buffers are mapped: pages that are never touched cost nothing. */
static uint8_t *data_new(uint64_t size)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	if (size < LARGE)
		return calloc(1, size ? size : 1);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		0);
	return p == MAP_FAILED ? NULL : p;
}

static void data_free(uint8_t *data, uint64_t size)
{
	if (size < LARGE)
		free(data);
	else if (data)
		munmap(data, size);
}

static void alloc_free(Alloc *a)
{
	data_free(a->data, a->size);
	free((char *)a->name);
	free(a);
}

void memory_free(Memory *m)
{
	if (!m)
		return;
	for (int i = 0; i < m->live.n; i++)
		alloc_free(m->live.v[i]);
	for (int i = 0; i < m->dead.n; i++)
		alloc_free(m->dead.v[i]);
	vec_free(&m->live);
	vec_free(&m->dead);
	free(m);
}

static uint64_t add_allocation(Memory *m, uint64_t size, uint64_t align, const char *name, bool read_only)
{
	uint64_t addr = align_up(m->next, align > ALIGN ? align : ALIGN);
	if (size > m->limit || m->used > m->limit - size || addr + size + MEMORY_GAP < addr)
		return 0;
	uint8_t *data = data_new(size);
	if (!data)
		return 0;
	Alloc *a = xcalloc(1, sizeof *a);
	*a = (Alloc){ addr, size, xstrdup(name ? name : ""), data, read_only, true };
	vec_push(&m->live, a);
	m->used += size;
	m->next = align_up(addr + size, ALIGN) + MEMORY_GAP;
	return addr;
}

uint64_t memory_alloc(Memory *m, uint64_t size, const char *name, bool read_only)
{
	return add_allocation(m, size, ALIGN, name, read_only);
}

/* Position of the last allocation that begins at or below addr, or -1. */
static int alloc_below(const Memory *m, uint64_t addr)
{
	int lo = 0, hi = m->live.n;
	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (m->live.v[mid]->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

bool memory_release(Memory *m, uint64_t addr)
{
	int i = alloc_below(m, addr);
	if (i < 0 || m->live.v[i]->addr != addr)
		return false;
	Alloc *a = m->live.v[i];
	a->live = false;
	m->used -= a->size;
	data_free(a->data, a->size);
	a->data = NULL;
	vec_remove(&m->live, i);
	vec_push(&m->dead, a);
	return true;
}

static bool alloc_holds(const Alloc *a, uint64_t addr, uint64_t size)
{
	return a->live && addr >= a->addr && addr - a->addr <= a->size && size <= a->size - (addr - a->addr);
}

const Alloc *memory_find(const Memory *m, uint64_t addr, uint64_t size, const Alloc **hint)
{
	if (hint && *hint && alloc_holds(*hint, addr, size))
		return *hint;
	int i = alloc_below(m, addr);
	if (i < 0 || !alloc_holds(m->live.v[i], addr, size))
		return NULL;
	if (hint)
		*hint = m->live.v[i];
	return m->live.v[i];
}

static uint64_t distance(const Alloc *a, uint64_t addr)
{
	return addr < a->addr ? a->addr - addr : addr - a->addr < a->size ? 0 : addr - a->addr - a->size;
}

const Alloc *memory_nearest(const Memory *m, uint64_t addr)
{
	int i = alloc_below(m, addr);
	const Alloc *lower = i >= 0 ? m->live.v[i] : NULL,
		*upper = i + 1 < m->live.n ? m->live.v[i + 1] : NULL;
	if (!lower || !upper)
		return lower ? lower : upper;
	return distance(upper, addr) < distance(lower, addr) ? upper : lower;
}

uint64_t memory_count(const Memory *m) { return (uint64_t)m->live.n; }
const Alloc *memory_nth(const Memory *m, uint64_t i) { return i < (uint64_t)m->live.n ? m->live.v[i] : NULL; }

unsigned long long memory_hash(const Memory *m)
{
	unsigned long long h = 0;
	for (int i = 0; i < m->live.n; i++) {
		const Alloc *a = m->live.v[i];
		uint64_t head[2] = { a->addr, a->size };
		h = hash_bytes(head, sizeof head, h);
		h = hash_bytes(a->data, a->size, h);
	}
	return h;
}

/* ---- copies ---- */

typedef struct SavedAlloc { uint64_t size; uint8_t *data; } SavedAlloc;
struct MemoryCopy { Vec(SavedAlloc) of; };          /* for each live allocation; data NULL: it is read-only */

/* Copies bytes page by page. Pages that are equal already are not written, so that they stay untouched. */
static void copy_pages(uint8_t *to, const uint8_t *from, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += PAGE) {
		size_t n = size - at < PAGE ? (size_t)(size - at) : PAGE;
		if (memcmp(to + at, from + at, n))
			memcpy(to + at, from + at, n);
	}
}

MemoryCopy *memory_copy(const Memory *m)
{
	MemoryCopy *c = xcalloc(1, sizeof *c);
	for (int i = 0; i < m->live.n; i++) {
		const Alloc *a = m->live.v[i];
		SavedAlloc s = { a->size, a->read_only ? NULL : data_new(a->size) };
		if (!a->read_only) {
			must(s.data);
			copy_pages(s.data, a->data, a->size);
		}
		vec_push(&c->of, s);
	}
	return c;
}

void memory_put_back(Memory *m, const MemoryCopy *c)
{
	must(m->live.n == c->of.n);
	for (int i = 0; i < c->of.n; i++)
		if (c->of.v[i].data)
			copy_pages(m->live.v[i]->data, c->of.v[i].data, c->of.v[i].size);
}

void memory_copy_free(MemoryCopy *c)
{
	for (int i = 0; i < c->of.n; i++)
		data_free(c->of.v[i].data, c->of.v[i].size);
	vec_free(&c->of);
	free(c);
}

/* ---- a module's variables ---- */

static void relocate(const Module *m, const Symbol *s, const uint64_t *address, uint8_t *data)
{
	for (int i = 0; i < s->reloc.n; i++) {
		const Reloc *r = &s->reloc.v[i];
		uint64_t v = (uint64_t)r->addend;
		if (r->func) {
			v += FUNCTION_ADDRESS(r->id);
		} else {
			const Symbol *to = m->symbol.v[r->id];
			v += address[r->id];
			if (r->generic && to->space == SP_SHARED)
				v += SHARED_WINDOW;
		}
		if (s->size >= 8 && r->offset <= s->size - 8)
			memcpy(data + r->offset, &v, 8);
	}
}

bool memory_load_module(Memory *mem, const Module *m, uint64_t *address)
{
	for (int i = 0; i < m->symbol.n; i++) {
		const Symbol *s = m->symbol.v[i];
		address[i] = 0;
		if (s->space != SP_GLOBAL && s->space != SP_CONST)
			continue;
		address[i] = add_allocation(mem, s->size, s->align, s->name, s->space == SP_CONST);
		if (!address[i])
			return false;
	}
	for (int i = 0; i < m->symbol.n; i++) {
		const Symbol *s = m->symbol.v[i];
		if (!address[i])
			continue;
		uint8_t *data = memory_find(mem, address[i], s->size, NULL)->data;
		if (s->init)
			memcpy(data, s->init, s->size);
		relocate(m, s, address, data);
	}
	return true;
}
