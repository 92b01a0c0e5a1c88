/* Facts that are no analyses, as text: effects of instructions, costs of blocks with how often they were
   executed. */
#include "isa/effects.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/print.h"

static void print_spaces(const char *what, uint8_t set, StrBuf *s)
{
	if (!set)
		return;
	sb_printf(s, " %s", what);
	for (int k = 0, n = 0; k < SP_COUNT; k++)
		if (set & SPACE_BIT(k))
			sb_printf(s, "%s%s", n++ ? "," : " ", space_name[k]);
	sb_putc(s, ';');
}

static void print_effects(const Effects *e, StrBuf *s)
{
	const struct { bool is; const char *name; } words[] = {
		{ e->ordered, "ordered" }, { e->convergent, "convergent" }, { e->carry_in, "carry in" },
		{ e->carry_out, "carry out" }, { e->faults, "may fault" },
		{ e->ends, "may not go on" }, { e->varies, "varies" }, { e->visible, "visible" },
	};
	print_spaces("reads", e->reads, s);
	print_spaces("writes", e->writes, s);
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (words[k].is)
			sb_printf(s, " %s;", words[k].name);
}

void effects_print(const Cfg *c, const Module *m, const EffectTable *table, StrBuf *s)
{
	sb_printf(s, "  a call of it:");
	print_effects(&table->function[c->f->id], s);
	sb_putc(s, '\n');
	for (int i = 0; i < c->nreach; i++)
		for (int k = 0; k < c->rpo[i]->ins.n; k++) {
			const Ins *ins = &c->rpo[i]->ins.v[k];
			Effects e = ins_effects(table, ins);
			StrBuf text = { 0 };
			ir_print_ins(m, c->f, c->rpo[i], ins, &text);
			sb_printf(s, "  %s: %s:", c->rpo[i]->label, text.s);
			print_effects(&e, s);
			sb_putc(s, '\n');
			sb_free(&text);
		}
}

void costs_print(const Cfg *c, const CostTable *cost, const Profile *profile, StrBuf *s)
{
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		const ProfileBlock *p = profile ? profile_find(profile, c->f->name, b->label) : NULL;
		sb_printf(s, "  %s: %lld cycles", b->label, (long long)cost_block(cost, b));
		if (p)
			sb_printf(s, ", %llu fetches for %llu threads", (unsigned long long)p->fetches,
				(unsigned long long)p->threads);
		sb_putc(s, '\n');
	}
}
