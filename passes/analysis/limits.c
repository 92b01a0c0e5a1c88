#include "passes/analysis/limits.h"
#include "passes/analysis/pressure.h"
#include "passes/constants.h"
#include "lib/number.h"

const MachineLimits limits_default = { .warp_size = 32, .block_threads = 1024, .block_shared = 49152,
	.thread_registers = 255, .sms = 1, .blocks = 16, .warps = 64,
	.registers = 65536, .shared = 49152, .register_unit = 256, .shared_unit = 256 };

/* ---- registers ---- */

/* by register: first and last place between which it is kept, where places number instructions from 1, in the
   order of the blocks; first 0: it is never used. at: the present place */
typedef struct RegSpans { const Function *f; int *first, *last; int at; } RegSpans;

static void touch_span(void *self, int reg)
{
	RegSpans *s = self;
	s->first[reg] = s->first[reg] ? s->first[reg] : s->at;
	s->last[reg] = s->at;
}

static void walk_spans(RegSpans *s, const Cfg *c, const Liveness *l)
{
	s->at = 1;
	for (int b = 0; b < c->n; b++) {
		if (!bs_has(c->reach, b))
			continue;
		const Block *block = c->f->block.v[b];
		live_each(l, l->in[b], in)
			touch_span(s, in);
		for (int k = 0; k < block->ins.n; k++, s->at++) {
			ins_uses(c->f, &block->ins.v[k], touch_span, s);
			ins_defs(c->f, &block->ins.v[k], touch_span, s);
		}
		live_each(l, l->out[b], out)
			touch_span(s, out);
	}
}

static int64_t words_of(const Function *f, int reg)
{
	return reg == function_carry(f) ? 0 : pressure_of((Type)f->reg.v[reg].type).words;
}

/* The greatest sum of words of registers whose spans have a place in common. */
int64_t limits_words(Function *f)
{
	Arena tmp = { 0 };
	const Cfg *c = cfg_build(&tmp, f);
	int n = function_values(f);
	RegSpans s = { .f = f, .first = arena_array(&tmp, int, n + 1),
		.last = arena_array(&tmp, int, n + 1) };
	walk_spans(&s, c, liveness_build(&tmp, c));
	int64_t *change = arena_array(&tmp, int64_t, s.at + 3), now = 0, most = 0;
	for (int r = 0; r < n; r++)
		if (s.first[r]) {
			change[s.first[r]] += words_of(f, r);
			/* the span ends one place later: a result takes no register of what its instruction
			   reads */
			change[s.last[r] + 2] -= words_of(f, r);
		}
	for (int k = 0; k <= s.at + 2; k++) {
		now += change[k];
		most = now > most ? now : most;
	}
	arena_free(&tmp);
	return most;
}

/* Adds up the registers of all functions that the kernel may call, each once: without recursion no chain of
   calls needs more. */
int64_t limits_registers(const MachineLimits *m, const EffectTable *effects, Function *kernel)
{
	Arena tmp = { 0 };
	BitSet func = bs_new(&tmp, effects->m->func.n);
	int64_t n = 0;
	module_uses(effects->m, kernel->id, func, bs_new(&tmp, effects->m->symbol.n));
	bs_each(func, k)
		n += effects->m->func.v[k]->block.n ? limits_words(effects->m->func.v[k])
			: m->thread_registers;
	arena_free(&tmp);
	n += n / FUSION_REGISTER_SHARE + FUSION_REGISTERS_MORE;
	return n < m->thread_registers ? n : m->thread_registers;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t limits_warps(const MachineLimits *m, int64_t words)
{
	return least(m->warps, m->registers / round_up((words > 0 ? words : 1) * m->warp_size,
		m->register_unit));
}

int64_t limits_room(const MachineLimits *m, int64_t words)
{
	int64_t warps = limits_warps(m, words), room = words;
	while (warps && room < m->thread_registers && limits_warps(m, room + 1) == warps)
		room++;
	return room;
}

/* ---- blocks ---- */

int64_t limits_resident(const MachineLimits *m, const EffectTable *effects, Function *kernel,
	const uint32_t block[3], uint32_t dynamic_shared)
{
	int64_t *offset = xcalloc((size_t)effects->m->symbol.n + 1, sizeof *offset);
	int64_t threads = block[0] && block[1] && block[2] ? (int64_t)block[0] * block[1] * block[2]
		: m->block_threads;
	int64_t shared = (int64_t)layout_shared(effects->m, kernel, offset) + dynamic_shared;
	free(offset);
	int64_t warps = (threads + m->warp_size - 1) / m->warp_size,
		regs = round_up(limits_registers(m, effects, kernel) * m->warp_size, m->register_unit) *
		warps;
	if (threads > m->block_threads || shared > m->block_shared)
		return 0;
	int64_t n = least(m->blocks, least(m->warps / warps, m->registers / regs));
	shared = round_up(shared, m->shared_unit);
	return m->sms * (shared ? least(n, m->shared / shared) : n);
}
