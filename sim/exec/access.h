/* Between the files that execute memory instructions. */
#ifndef GSIM_EXEC_ACCESS_H
#define GSIM_EXEC_ACCESS_H
#include "sim/exec/internal.h"

/* ---- address.c ---- */
/* The addresses of lanes m, in the instruction's space. addr has a place for each lane. */
void access_addresses(const Warp *, const Split *, const MIns *, Mask m, uint64_t *addr);
/* The host's copy of the bytes; NULL: there is none that may be accessed so, and why. Local memory lies
   otherwise. */
uint8_t *access_bytes(Sm *, const Warp *, const MIns *, Space, uint64_t addr, unsigned size,
	const Alloc **hint, FaultKind *why);
/* The same; NULL after a fault. */
uint8_t *access_bytes_of(Sm *, Warp *, const MIns *, int lane, Space, uint64_t addr, unsigned size,
	const Alloc **hint);
/* The space of a generic address, which becomes an address in it. */
Space access_space_of(const Warp *, uint64_t *addr);
/* An allocation, or the whole of shared, local or parameter memory. of: global memory only. */
typedef struct Area { uint8_t *data; uint64_t start, size; const Alloc *of; } Area;
/* The area that holds the address; false: none that may be accessed so. */
bool access_area(Sm *, const Warp *, const MIns *, Space, uint64_t addr, unsigned size, Area *);
bool access_inside(const Area *, Mask, const uint64_t *addr, unsigned size); /* all lanes, and aligned */

/* ---- move.c ---- */
void move_load(Warp *, const MIns *, int lane, const uint8_t *from); /* into the lane's registers */
/* what the lane stores: how many, at most 8 */
int move_values(const Warp *, const MIns *, int lane, uint64_t *v);
/* One lane's access; v: what it stores. Returns whether memory changed. */
bool move_lane(Warp *, const MIns *, int lane, Space, uint8_t *at, const uint64_t *v);
/* All lanes', in one area that is not local memory; what is stored comes from the registers. Returns whether
   memory changed. */
bool move_all(Warp *, const MIns *, Mask, Space, const Area *, const uint64_t *addr);
/* Moves the data at once. The area's size is 0 where lanes lie in several areas. */
void move_now(Sm *, Warp *, const MIns *, Mask, Space, const uint64_t *addr, const Area *);

/* ---- deferred.c ---- */
/* Keeps what is needed to move the data at the end of the window. */
void deferred_add(Sm *, Warp *, const MIns *, Mask, const uint64_t *addr, Deferred *);

/* ---- nonfaulting.c ---- */
/* Lanes that get 0 have it when this returns; they are returned. to: the addresses that the memory system is
   asked for. */
Mask nonfaulting_take_zeros(Sm *, Warp *, const Split *, const MIns *, Mask, Space, const uint64_t *addr,
	uint64_t *to);
void nonfaulting_count(Warp *, Mask lanes, Mask zero);
#endif
