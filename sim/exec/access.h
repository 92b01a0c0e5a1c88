/* What the files that execute memory instructions use of each other. */
#ifndef GSIM_EXEC_ACCESS_H
#define GSIM_EXEC_ACCESS_H
#include "sim/exec/internal.h"

/* ---- memory.c ---- */
void access_count(Warp *, const MIns *, Space); /* counts an access of one home or split to the space */

/* ---- address.c ---- */
/* Returns the addresses by lane; those of a row are written down first. */
const uint64_t *addresses_list(Addresses *, int width);
/* Computes the addresses of lanes m, in the instruction's space. */
void access_addresses(const Warp *, const Split *, const MIns *, Mask m, Addresses *);
/* true: generic addresses that are all in global memory */
bool access_all_global(const Warp *, Mask m, const Addresses *);
/* Returns where the host has the bytes; NULL: there are none, or the instruction may not access them, and
   *why says which of the two. Not for local memory, whose data lie otherwise (local.c). */
uint8_t *access_bytes(Sm *, const Warp *, const MIns *, Space, uint64_t addr, unsigned size,
	const Alloc **hint, FaultKind *why);
/* As access_bytes; if that is NULL, a fault is recorded. */
uint8_t *access_bytes_of(Sm *, Warp *, const MIns *, int lane, Space, uint64_t addr, unsigned size,
	const Alloc **hint);
/* Returns the space of a generic address; *addr becomes the address in that space. */
Space access_space_of(const Warp *, uint64_t *addr);
/* Memory in one piece: an allocation of global memory, which `of` names, or the whole shared, local or
   parameter memory (of = NULL). data: where the host has it, NULL for local memory. */
typedef struct Area { uint8_t *data; uint64_t start, size; const Alloc *of; } Area;
/* Fills in the area that holds the address. False: no area does, or the instruction may not access it, or it
   is smaller than the access. */
bool access_area(Sm *, const Warp *, const MIns *, Space, uint64_t addr, unsigned size, Area *);
/* true: all lanes of the mask access bytes inside the area, at multiples of size */
bool access_inside(const Area *, Mask, const Addresses *, unsigned size);

/* ---- move.c ---- */
/* moves what the lane loads into its registers */
void move_load(Warp *, const MIns *, int lane, const uint8_t *from);
/* Writes to v the values that the lane stores or that its atomic operation takes. Returns how many, at most
   8. */
int move_values(const Warp *, const MIns *, int lane, uint64_t *v);
/* Moves the data of one lane's access; v: the lane's values (move_values). Returns whether memory has
   changed. */
bool move_lane(Warp *, const MIns *, int lane, Space, uint8_t *at, const uint64_t *v);
/* Is a lane's data one whole register, of a load or of a store that nobody waits for? */
static inline bool moves_rows(const MIns *i)
{
	return i->x.nrows == 1 && !i->sync && i->x.rows[0] != NO_ROW && i->kind != K_ATOM &&
		(i->wide_rows ? i->bytes == 8 : i->bytes == 4);
}
/* As move_all, for a store for which moves_rows() holds: row has the values by lane. */
bool move_stored(const MIns *, Mask, const Area *, const Addresses *, const void *row);
/* Moves the data of lanes m, in one area that is not local memory; what is stored comes from the registers.
   Returns whether memory has changed. */
bool move_all(Warp *, const MIns *, Mask, Space, const Area *, const Addresses *);
/* Moves the data of lanes m at once. The area's size is 0 where the lanes lie in several areas. */
void move_now(Sm *, Warp *, const MIns *, Mask, Space, Addresses *, const Area *);

/* ---- deferred.c ---- */
/* Keeps what is needed to move the data at the end of the window. */
void deferred_add(Sm *, Warp *, const MIns *, Mask, const Addresses *, Deferred *);

/* ---- nonfaulting.c ---- */
/* Writes 0 to the registers of lanes whose address is not mapped, and returns these lanes. to: gets the
   addresses for which the memory system is asked. */
Mask nonfaulting_take_zeros(Sm *, Warp *, const Split *, const MIns *, Mask, Space, Addresses *,
	Addresses *to);
void nonfaulting_count(Warp *, Mask lanes, Mask zero);
#endif
