/* The simulated memory: one flat generic address space.
 *
 * Global buffers, module data (global and const) and kernel parameters are allocations at 256-byte aligned
 * addresses with unmapped space between them. Shared and local memory appear in it as windows of each
 * thread's own. */
#ifndef GSIM_MEMORY_H
#define GSIM_MEMORY_H
#include "isa/ins.h"

#define SHARED_WINDOW 0x0000010000000000u  /* generic address of shared offset 0 */
#define LOCAL_WINDOW  0x0000020000000000u  /* generic address of local offset 0 */
#define GLOBAL_BASE   0x0000100000000000u  /* first address of allocations */
#define WINDOW_SIZE   0x0000000100000000u
#define MEMORY_GAP    4096                 /* unmapped bytes behind each allocation, at least */

typedef struct Alloc {
	uint64_t addr, size;           /* bytes */
	const char *name;              /* variable or buffer; for messages */
	uint8_t *data;
	bool read_only, live;
} Alloc;

typedef struct Memory Memory;

Memory *memory_new(uint64_t limit);        /* at most `limit` bytes may be allocated at once */
void memory_free(Memory *);
/* Allocates zeroed memory and returns its address; 0 when the limit does not allow that. */
uint64_t memory_alloc(Memory *, uint64_t size, const char *name, bool read_only);
bool memory_release(Memory *, uint64_t addr);
/* The allocation that holds all of [addr, addr+size), or NULL. hint: a variable of the caller's that keeps
   the last answer, or NULL. */
const Alloc *memory_find(const Memory *, uint64_t addr, uint64_t size, const Alloc **hint);
/* the allocation nearest to the address, for messages; NULL when there are none */
const Alloc *memory_nearest(const Memory *, uint64_t addr);
uint64_t memory_count(const Memory *);
/* number i in order of address; NULL: there is none */
const Alloc *memory_nth(const Memory *, uint64_t i);
/* memory_copy keeps all that stores can change, and memory_put_back restores it; the same allocations must be
   live at both calls. Pages that are all 0 cost nothing. */
typedef struct MemoryCopy MemoryCopy;
MemoryCopy *memory_copy(const Memory *);
void memory_put_back(Memory *, const MemoryCopy *);
void memory_copy_free(MemoryCopy *);
/* hash of addresses, sizes and bytes of all live allocations */
unsigned long long memory_hash(const Memory *);

/* Allocates and initialises the module's global and const symbols; address[symbol id] = address, 0 for other
   spaces. */
bool memory_load_module(Memory *, const Module *, uint64_t *address);
static inline Space address_space(uint64_t generic)
{
	if (generic - SHARED_WINDOW < WINDOW_SIZE)
		return SP_SHARED;
	if (generic - LOCAL_WINDOW < WINDOW_SIZE)
		return SP_LOCAL;
	return SP_GLOBAL;
}
#define FUNCTION_ADDRESS(ID) (0x100u + 16u * (unsigned)(ID))  /* the address of a function, which mov gives */
#endif
