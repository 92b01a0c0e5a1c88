/* Reads special registers. */
#include "sim/exec/internal.h"

static uint64_t special_register(const Sm *sm, const Warp *w, const MIns *i, int l)
{
	const Launch *L = launch_of(w);
	int lane = l % PTX_WARP, warp = ptx_warp(w->lanes.width);
	switch (i->sreg) {
	case SREG_TID_X: case SREG_TID_Y: case SREG_TID_Z: return thread_id(w, i->sreg - SREG_TID_X, l);
	case SREG_NTID_X: case SREG_NTID_Y: case SREG_NTID_Z: return L->block[i->sreg - SREG_NTID_X];
	case SREG_CTAID_X: case SREG_CTAID_Y: case SREG_CTAID_Z: return w->cta->id[i->sreg - SREG_CTAID_X];
	case SREG_NCTAID_X: case SREG_NCTAID_Y: case SREG_NCTAID_Z: return L->grid[i->sreg - SREG_NCTAID_X];
	case SREG_LANEID: return (unsigned)lane;
	case SREG_WARPID: return (unsigned)((w->index * w->lanes.width + l) / warp);
	case SREG_NWARPID: return (unsigned)((threads_of(L) + (uint64_t)warp - 1) / (uint64_t)warp);
	case SREG_SMID: return (unsigned)sm->id;
	case SREG_NSMID: return (unsigned)sm->gpu->config.sm_count;
	case SREG_GRIDID: return w->share->grid->number;
	case SREG_LANEMASK_EQ: return 1u << lane;
	case SREG_LANEMASK_LT: return (uint32_t)lanes_below(lane);
	case SREG_LANEMASK_LE: return (uint32_t)lanes_below(lane + 1);
	case SREG_LANEMASK_GT: return (uint32_t)~lanes_below(lane + 1);
	case SREG_LANEMASK_GE: return (uint32_t)~lanes_below(lane);
	case SREG_CLOCK: return (uint32_t)sm->now;
	case SREG_CLOCK_HI: return (uint32_t)(sm->now >> 32);
	case SREG_CLOCK64: return sm->now;
	case SREG_GLOBALTIMER: return sm->now * 1000 / (uint64_t)sm->gpu->config.clock_mhz;
	case SREG_GLOBALTIMER_LO: return (uint32_t)(sm->now * 1000 / (uint64_t)sm->gpu->config.clock_mhz);
	case SREG_GLOBALTIMER_HI: return (sm->now * 1000 / (uint64_t)sm->gpu->config.clock_mhz) >> 32;
	case SREG_DYNAMIC_SMEM_SIZE: return L->dynamic_shared;
	case SREG_TOTAL_SMEM_SIZE: return w->cta->shared_bytes;
	case SREG_RESERVED_BEGIN: case SREG_RESERVED_END: case SREG_RESERVED_0: case SREG_RESERVED_1:
		return w->cta->shared_bytes; /* as interp_special does in the reference interpreter */
	case SREG_WARP_SZ: return (unsigned)warp;
	case SREG_ENVREG1: return w->share->grid->workspace >> 32;
	case SREG_ENVREG2: return (uint32_t)w->share->grid->workspace;
	case SREG_LOCAL_ADDRESS: return w->sp[l] + (uint64_t)i->offset;
	case SREG_PARAM_ADDRESS: return sm->gpu->param_address + (uint64_t)i->offset;
	default: return 0;
	}
}

/* Every lane of a warp reads the same. */
static bool same_in_warp(int sreg)
{
	return (sreg >= SREG_NTID_X && sreg <= SREG_NCTAID_Z) || (sreg >= SREG_SMID && sreg <= SREG_GRIDID) ||
		(sreg >= SREG_CLOCK && sreg < SREG_LOCAL_ADDRESS) || sreg == SREG_PARAM_ADDRESS;
}

/* Writes the value to lanes m of a row of 32 bits. */
static void write_same(uint32_t *d, uint32_t v, int width, Mask m)
{
	int l;
	if (m == lanes_below(width))
		for (l = 0; l < width; l++)
			d[l] = v;
	else
		each_lane(m, l)
			d[l] = v;
}

/* Copies the values of lanes m of a row of 32 bits. */
static void write_row(uint32_t *restrict d, const uint32_t *restrict v, int width, Mask m)
{
	int l;
	if (m == lanes_below(width))
		memcpy(d, v, sizeof *d * (size_t)width);
	else
		each_lane(m, l)
			d[l] = v[l];
}

static void write_by_lane(const Sm *sm, Warp *w, const MIns *i, Mask m, uint64_t keep)
{
	bool wide = type_bits[i->type] == 64;
	int l;
	each_lane(m, l) {
		uint64_t v = special_register(sm, w, i, l) & keep;
		if (wide)
			row64(&w->lanes, i->x.d)[l] = v;
		else
			row32(&w->lanes, i->x.d)[l] = (uint32_t)v;
	}
}

void exec_sreg(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	if (sm->gpu->watching && i->sreg >= SREG_CLOCK && i->sreg <= SREG_GLOBALTIMER_HI)
		livelock_clock(w, m);
	if (i->sreg == SREG_ZERO_PRED) {
		w->lanes.pred[i->x.d] &= ~m;
		return;
	}
	if (!m)
		return;
	int width = w->lanes.width, bits = type_bits[i->type];
	uint64_t keep = bits == 16 ? 0xffff : ~(uint64_t)0;
	if (bits == 64 || !(same_in_warp(i->sreg) || (i->sreg <= SREG_TID_Z && bits == 32)))
		write_by_lane(sm, w, i, m, keep);
	else if (i->sreg <= SREG_TID_Z)
		write_row(row32(&w->lanes, i->x.d), w->tid + (i->sreg - SREG_TID_X) * width, width, m);
	else
		write_same(row32(&w->lanes, i->x.d),
			(uint32_t)(special_register(sm, w, i, lowest_lane(m)) & keep), width, m);
}
