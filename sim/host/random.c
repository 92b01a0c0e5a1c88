/* Numbers for workloads: gpu.random, which look random and are the same on every run, and gpu.f32. */
#include "sim/host/workload.h"

/* Below this bound a number is made of one step of the small generator, whose upper 15 bits it takes. */
enum { SMALL_BOUND = 32768 };

/* small: the linear congruential generator of the C standard's example, whose upper bits rand() returns.
   large: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), which
   comes to each number of 64 bits once. */
typedef struct RandomState { uint64_t small, large; } RandomState;

static uint64_t next_small(RandomState *s)
{
	s->small = (s->small * 1103515245 + 12345) & 0x7fffffff;
	return s->small;
}

static uint64_t next_large(RandomState *s)
{
	uint64_t z = s->large += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A number below k; each has the same share of the numbers of 63 bits, of which the rest is drawn again. */
static uint64_t below_large(RandomState *s, uint64_t k)
{
	uint64_t all = (uint64_t)1 << 63, v;
	do
		v = next_large(s) >> 1;
	while (v >= all - all % k);
	return v % k;
}

/* What gpu.random returns: a function of k, or of nothing. */
static int draw_number(lua_State *L)
{
	RandomState *s = lua_touserdata(L, lua_upvalueindex(1));
	if (lua_isnoneornil(L, 1)) {
		lua_pushinteger(L, (lua_Integer)next_small(s));
		return 1;
	}
	lua_Integer k = luaL_checkinteger(L, 1);
	if (k < 1)
		return luaL_error(L, "expected a whole number from 1 on, found %I: results are below it",
			k);
	lua_pushinteger(L, k <= SMALL_BOUND ? (lua_Integer)(next_small(s) >> 16) % k
		: (lua_Integer)below_large(s, (uint64_t)k));
	return 1;
}

int host_random(lua_State *L)
{
	uint64_t seed = (uint64_t)luaL_checkinteger(L, 1);
	RandomState *s = lua_newuserdatauv(L, sizeof *s, 0);
	*s = (RandomState){ .small = seed, .large = seed };
	lua_pushcclosure(L, draw_number, 1);
	return 1;
}

/* gpu.f32: the number as an element of a buffer of f32 holds it. */
int host_f32(lua_State *L)
{
	lua_pushnumber(L, (lua_Number)(float)luaL_checknumber(L, 1));
	return 1;
}
