/* Questions about the SSA overlay, and its text. */
#include "passes/analysis/ssa.h"
#include "passes/analysis/print.h"

int ssa_guard(const Ssa *s, const Ins *i, int block, int ins)
{
	return i->guard < 0 ? -1 : s->use[s->use_first[s->ins_first[block] + ins]];
}

static int registers_before(const Opd *o, int k)
{
	int n = 0;
	for (int j = 0; j < k; j++)
		n += o[j].kind == OPD_REG;
	return n;
}

int ssa_src(const Ssa *s, const Ins *i, int block, int ins, int k)
{
	if (ins_src(i, k)->kind != OPD_REG)
		return -1;
	return s->use[s->use_first[s->ins_first[block] + ins] + (i->guard >= 0) +
		registers_before(i->opd + i->ndst, k)];
}

int ssa_dst(const Ssa *s, const Ins *i, int block, int ins, int k)
{
	if (ins_dst(i, k)->kind != OPD_REG)
		return -1;
	return s->def[s->def_first[s->ins_first[block] + ins] + registers_before(i->opd, k)];
}

static void skip_use(void *self, int reg)
{
	(void)reg;
	++*(int *)self;
}

int ssa_mark_use(const Ssa *s, const Function *f, const Ins *i, int number)
{
	int use = s->use_first[number];
	ins_reads(f, i, skip_use, &use);
	return use;
}

bool *ssa_used(Arena *a, const Ssa *s)
{
	Arena tmp = { 0 };
	bool *used = arena_array(a, bool, s->n + 1);
	int *todo = arena_array(&tmp, int, s->n + 1), n = 0;
#define USE(V) do { int v_ = (V); if (!used[v_]) { used[v_] = true; todo[n++] = v_; } } while (0)
	for (int k = 0; k < s->use_first[s->nins]; k++)
		USE(s->use[k]);
	while (n) {
		const SsaVersion *v = &s->version[todo[--n]];
		if (v->old >= 0)
			USE(v->old);
		for (int k = 0; v->phi >= 0 && k < s->phi[v->phi].narg; k++)
			USE(s->phi[v->phi].arg[k]);
	}
#undef USE
	arena_free(&tmp);
	return used;
}

static void put_version(const Cfg *c, const Ssa *s, int v, StrBuf *out)
{
	sb_printf(out, " %s.%d", function_value_name(c->f, s->version[v].reg), v);
}

void ssa_print(const Cfg *c, const Ssa *s, StrBuf *out)
{
	for (int i = 0; i < c->nreach; i++) {
		int b = c->rpo[i]->id;
		sb_printf(out, "  %s:\n", c->rpo[i]->label);
		for (int k = s->phi_first[b]; k < s->phi_first[b + 1]; k++) {
			sb_puts(out, "   ");
			put_version(c, s, s->phi[k].version, out);
			sb_puts(out, " = phi");
			for (int e = 0; e < s->phi[k].narg; e++) {
				put_version(c, s, s->phi[k].arg[e], out);
				sb_printf(out, " (%s)", e < c->graph->pred[b].n
					? print_label(c, c->graph->pred[b].v[e]) : "entry");
			}
			sb_putc(out, '\n');
		}
		for (int k = 0, at = s->ins_first[b]; k < c->rpo[i]->ins.n; k++, at++) {
			sb_puts(out, "   ");
			for (int d = s->def_first[at]; d < s->def_first[at + 1]; d++)
				put_version(c, s, s->def[d], out);
			sb_printf(out, "%s %s", s->def_first[at] < s->def_first[at + 1] ? " =" : "",
				op_info[c->rpo[i]->ins.v[k].op].name);
			for (int u = s->use_first[at]; u < s->use_first[at + 1]; u++)
				put_version(c, s, s->use[u], out);
			for (int d = s->def_first[at]; d < s->def_first[at + 1]; d++)
				if (s->version[s->def[d]].old >= 0) {
					sb_puts(out, ", else");
					put_version(c, s, s->version[s->def[d]].old, out);
				}
			sb_putc(out, '\n');
		}
	}
}
