/* Where the lanes of a memory instruction access: addresses, spaces, the host's copy of the bytes. */
#include "sim/exec/access.h"

/* Computes the addresses of all lanes. W: the warp's width, which callers give as a constant where that makes
   the code faster. */
static inline __attribute__((always_inline)) void all_addresses(const Warp *w, const MIns *i, int W,
	uint64_t *restrict addr)
{
	uint64_t off = (uint64_t)i->offset;
	int l;
	if (i->x.a == NO_ROW) {
		for (l = 0; l < W; l++)
			addr[l] = off;
	} else if (i->flags & MI_ADDR64) {
		const uint64_t *restrict a = row64(&w->lanes, i->x.a);
		for (l = 0; l < W; l++)
			addr[l] = a[l] + off;
	} else {
		const uint32_t *restrict a = row32(&w->lanes, i->x.a);
		for (l = 0; l < W; l++)
			addr[l] = (uint32_t)(a[l] + (uint32_t)off);
	}
}

static inline __attribute__((always_inline)) void plain_addresses(const Warp *w, const MIns *i, Mask m,
	uint64_t *addr)
{
	int l;
	if (w->lanes.width == 32)
		all_addresses(w, i, 32, addr);
	else
		all_addresses(w, i, w->lanes.width, addr);
	if (i->space == SP_LOCAL && i->x.a == NO_ROW)
		each_lane(m, l)
			addr[l] += w->sp[l];
}

static __attribute__((noinline)) void home_addresses(const Split *s, const MIns *i, Mask m, uint64_t *addr)
{
	uint64_t of[64];
	int l;
	each_part(s, p) {
		plain_addresses(p->home, i, m & p->mask, of);
		each_lane(m & p->mask, l)
			addr[l] = of[l];
	}
}

void access_addresses(const Warp *w, const Split *s, const MIns *i, Mask m, uint64_t *addr)
{
	int l;
	if (s->parts)
		home_addresses(s, i, m, addr);
	else
		plain_addresses(w, i, m, addr);
	if (i->space == SP_PARAM && i->x.a == NO_ROW)
		each_lane(m, l)
			addr[l] += w->sm->gpu->param_address;
}

static bool ins_stores(const MIns *i) { return i->kind == K_ST || i->kind == K_ATOM; }

uint8_t *access_bytes(Sm *sm, const Warp *w, const MIns *i, Space space, uint64_t a, unsigned size,
	const Alloc **hint, FaultKind *why)
{
	const Alloc *al;
	uint64_t offset = a - sm->gpu->param_address;
	uint32_t bytes = launch_of(w)->kernel->param_bytes;
	*why = FAULT_BOUNDS;
	switch (space) {
	case SP_SHARED:
		return a + size <= w->cta->shared_bytes && a + size >= size ? w->cta->shared + a : NULL;
	case SP_PARAM:
		if (offset >= bytes || offset + size > bytes)
			return NULL;
		*why = FAULT_READ_ONLY;
		return ins_stores(i) ? NULL : (uint8_t *)(uintptr_t)launch_of(w)->params + offset;
	default:
		al = memory_find(sm->gpu->memory, a, size, hint);
		if (!al)
			return NULL;
		*why = FAULT_READ_ONLY;
		return ins_stores(i) && al->read_only ? NULL : al->data + (a - al->addr);
	}
}

uint8_t *access_bytes_of(Sm *sm, Warp *w, const MIns *i, int lane, Space space, uint64_t a,
	unsigned size, const Alloc **hint)
{
	FaultKind why;
	uint8_t *p = access_bytes(sm, w, i, space, a, size, hint, &why);
	if (!p)
		sm_fault_memory(sm, w, i, why, lane, space, a, size);
	return p;
}

Space access_space_of(const Warp *w, uint64_t *addr)
{
	Space s = address_space(*addr);
	if (*addr - w->sm->gpu->param_address < launch_of(w)->kernel->param_bytes)
		s = SP_PARAM;
	else if (s == SP_SHARED)
		*addr -= SHARED_WINDOW;
	else if (s == SP_LOCAL)
		*addr -= LOCAL_WINDOW;
	return s;
}

bool exec_byte(Sm *sm, Warp *w, const MIns *i, int lane, uint64_t addr, uint8_t *v)
{
	Space s = access_space_of(w, &addr);
	uint64_t by_lane[64];
	if (s == SP_LOCAL && addr < (uint64_t)sm->gpu->config.sm_local) {
		by_lane[lane] = addr;
		local_reserve(w, (Mask)1 << lane, by_lane, 1);
		local_read(w, lane, addr, 1, v);
		return true;
	}
	const uint8_t *p = access_bytes_of(sm, w, i, lane, s, addr, 1, &sm->hint);
	if (p)
		*v = *p;
	return p != NULL;
}

bool access_area(Sm *sm, const Warp *w, const MIns *i, Space space, uint64_t a, unsigned size, Area *r)
{
	const Launch *L = launch_of(w);
	const Alloc *al;
	switch (space) {
	case SP_SHARED:
		*r = (Area){ w->cta->shared, 0, w->cta->shared_bytes };
		break;
	case SP_LOCAL: /* the data of local memory lie otherwise (local.c) */
		*r = (Area){ NULL, 0, (uint64_t)sm->gpu->config.sm_local };
		break;
	case SP_PARAM:
		*r = (Area){ (uint8_t *)(uintptr_t)L->params, sm->gpu->param_address,
			L->kernel->param_bytes };
		if (i->kind != K_LD)
			return false;
		break;
	default:
		al = memory_find(sm->gpu->memory, a, size, &sm->hint);
		if (!al || (al->read_only && i->kind != K_LD))
			return false;
		*r = (Area){ al->data, al->addr, al->size, al };
		break;
	}
	return size <= r->size;
}

/* As sizes are below 2^63, an offset is beyond `last` when its highest bit is set, or that of last -
   offset. */
bool access_inside(const Area *r, Mask m, const uint64_t *addr, unsigned size)
{
	uint64_t bad = 0, any = 0, start = r->start, last = r->size - size;
	int l;
	if (m == 0xffffffffu) {
		AddrPair bads = { 0 }, anys = { 0 };
		for (l = 0; l < 32; l += 2) {
			AddrPair a = *(const AddrPair *)(addr + l), offset = a - start;
			bads |= (last - offset) | offset;
			anys |= a;
		}
		bad = bads[0] | bads[1];
		any = anys[0] | anys[1];
	} else {
		each_lane(m, l) {
			bad |= (last - (addr[l] - start)) | (addr[l] - start);
			any |= addr[l];
		}
	}
	return !(bad >> 63) && !(any & (size - 1));
}
