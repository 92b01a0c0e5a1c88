/* Where the lanes of a memory instruction access: addresses, spaces, the host's copy of the bytes. */
#include "sim/exec/access.h"

typedef uint32_t Words __attribute__((vector_size(16), aligned(4), may_alias));

/* Is each of the n numbers *step more than the one before? n is at least 1; nothing overflows. */
static inline __attribute__((always_inline)) bool even_row64(const uint64_t *v, int n, uint64_t *step)
{
	uint64_t d = n > 1 ? v[1] - v[0] : 0;
	*step = d;
	if (d > MOST_STEP || v[n - 1] - v[0] != d * (uint64_t)(n - 1) || v[n - 1] < v[0])
		return false;
	AddrPair wrong = { 0 }, want = { v[0], v[0] + d };
	for (int l = 0; l + 1 < n; l += 2, want += 2 * d)
		wrong |= *(const AddrPair *)(v + l) ^ want;
	return !(wrong[0] | wrong[1]);
}

static inline __attribute__((always_inline)) bool even_row32(const uint32_t *v, int n, uint64_t *step)
{
	uint32_t d = n > 1 ? v[1] - v[0] : 0;
	*step = d;
	if (d > MOST_STEP || v[n - 1] - v[0] != d * (uint32_t)(n - 1) || v[n - 1] < v[0])
		return false;
	Words wrong = { 0 }, want = { v[0], v[0] + d, v[0] + 2 * d, v[0] + 3 * d };
	int l = 0;
	for (; l + 3 < n; l += 4, want += 4 * d)
		wrong |= *(const Words *)(v + l) ^ want;
	for (; l < n; l++)
		wrong[0] |= v[l] ^ (v[0] + d * (uint32_t)l);
	return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
}

/* Computes the addresses of all lanes. W: the warp's width, which callers give as a constant where that makes
   the code faster. */
static inline __attribute__((always_inline)) void all_addresses(const Warp *w, const MIns *i, int W,
	Addresses *to)
{
	uint64_t off = (uint64_t)i->offset, *restrict addr = to->at;
	bool wide = i->flags & MI_ADDR64;
	const uint64_t *restrict a = row64(&w->lanes, i->x.a);
	const uint32_t *restrict b = row32(&w->lanes, i->x.a);
	int l;
	to->first = wide ? a[0] + off : (uint32_t)(b[0] + (uint32_t)off);
	to->row = wide ? even_row64(a, W, &to->step) : even_row32(b, W, &to->step);
	to->row &= to->first <= (wide ? UINT64_MAX : UINT32_MAX) - to->step * (uint64_t)(W - 1);
	to->listed = !to->row;
	if (to->row)
		return;
	if (wide)
		for (l = 0; l < W; l++)
			addr[l] = a[l] + off;
	else
		for (l = 0; l < W; l++)
			addr[l] = (uint32_t)(b[l] + (uint32_t)off);
}

/* The addresses are those of a place in the frames of lanes m. */
static void frame_addresses(const Warp *w, uint64_t off, Mask m, Addresses *to)
{
	int l;
	to->first = off + w->sp[0];
	to->row = even_row32(w->sp, w->lanes.width, &to->step);
	to->listed = !to->row;
	if (!to->row)
		each_lane(m, l)
			to->at[l] = off + w->sp[l];
}

static inline __attribute__((always_inline)) void plain_addresses(const Warp *w, const MIns *i, Mask m,
	Addresses *to)
{
	if (i->x.a != NO_ROW) {
		if (w->lanes.width == 32)
			all_addresses(w, i, 32, to);
		else
			all_addresses(w, i, w->lanes.width, to);
	} else if (i->space == SP_LOCAL) {
		frame_addresses(w, (uint64_t)i->offset, m, to);
	} else {
		to->first = (uint64_t)i->offset + (i->space == SP_PARAM ? w->sm->gpu->param_address : 0);
		to->step = 0;
		to->row = true;
		to->listed = false;
	}
}

static __attribute__((noinline)) void home_addresses(const Split *s, const MIns *i, Mask m, Addresses *to)
{
	uint64_t at[64];
	Addresses of = { .at = at };
	int l, W = 0;
	each_part(s, p) {
		plain_addresses(p->home, i, m & p->mask, &of);
		each_lane(m & p->mask, l)
			to->at[l] = lane_address(&of, l);
		W = p->home->lanes.width;
	}
	to->listed = true;
	to->first = to->at[0];
	to->row = m == lanes_below(W) && even_row64(to->at, W, &to->step);
}

void access_addresses(const Warp *w, const Split *s, const MIns *i, Mask m, Addresses *to)
{
	if (s->parts)
		home_addresses(s, i, m, to);
	else
		plain_addresses(w, i, m, to);
}

const uint64_t *addresses_list(Addresses *a, int width)
{
	if (!a->listed)
		for (int l = 0; l < width; l++)
			a->at[l] = a->first + a->step * (uint64_t)l;
	a->listed = true;
	return a->at;
}

bool access_all_global(const Warp *w, Mask m, const Addresses *a)
{
	if (!a->row)
		return false;
	/* no window is as small as the distance of the two */
	uint64_t low = lane_address(a, lowest_lane(m)), high = lane_address(a, last_lane(m)),
		param = w->sm->gpu->param_address;
	return address_space(low) == SP_GLOBAL && address_space(high) == SP_GLOBAL &&
		(high < param || low >= param + launch_of(w)->kernel->param_bytes);
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
	if (s == SP_LOCAL && addr < (uint64_t)sm->gpu->config.sm_local) {
		local_reserve(w, (Mask)1 << lane, &(Addresses){ .row = true, .first = addr }, 1);
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
static bool listed_inside(const Area *r, Mask m, const uint64_t *addr, unsigned size)
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

bool access_inside(const Area *r, Mask m, const Addresses *a, unsigned size)
{
	if (!a->row)
		return listed_inside(r, m, a->at, size);
	uint64_t low = lane_address(a, lowest_lane(m)), high = lane_address(a, last_lane(m)),
		last = r->size - size, wrong = low;
	int l;
	if (low - r->start > last || high - r->start > last)
		return false;
	if (a->step & (size - 1))      /* those of the lanes may be aligned all the same */
		each_lane(m, l)
			wrong |= lane_address(a, l);
	return !(wrong & (size - 1));
}
