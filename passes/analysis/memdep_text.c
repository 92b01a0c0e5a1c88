/* What is known of accesses to memory, as text. */
#include "passes/analysis/memdep.h"

static void atom_text(const MemDep *d, int atom, StrBuf *s)
{
	const MemAtom *x = &d->atom[atom];
	const SsaVersion *v = x->kind == ATOM_VERSION ? &d->ssa->version[x->id] : NULL;
	switch (x->kind) {
	case ATOM_SREG: sb_puts(s, sreg_name[x->id]); break;
	case ATOM_PARAM:
		sb_puts(s, d->c->f->param.v[x->id].name);
		if (x->sub)
			sb_printf(s, "[%d]", x->sub);
		break;
	case ATOM_SYMBOL: sb_puts(s, d->m->symbol.v[x->id]->name); break;
	case ATOM_WINDOW: sb_printf(s, "generic(%s)", space_name[x->id]); break;
	case ATOM_VERSION: sb_printf(s, "%s.%d", function_value_name(d->c->f, v->reg), x->id); break;
	case ATOM_SIGNED: case ATOM_ZERO:
		sb_printf(s, "%c%d(", x->kind == ATOM_SIGNED ? 's' : 'u', d->form[x->id].bits);
		memdep_form_text(d, x->id, s);
		sb_putc(s, ')');
		break;
	case ATOM_PRODUCT:
		atom_text(d, x->id, s);
		sb_putc(s, '*');
		atom_text(d, x->sub, s);
		break;
	case ATOM_TURN: sb_printf(s, "turn(%s)", d->c->f->block.v[d->c->nest->header[x->id]]->label); break;
	}
}

void memdep_form_text(const MemDep *d, int form, StrBuf *s)
{
	const MemForm *f = &d->form[form];
	for (int k = 0; k < f->n; k++) {
		int64_t c = f->term[k].k;
		sb_puts(s, k ? (c < 0 ? " - " : " + ") : c < 0 ? "-" : "");
		if (c != 1 && c != -1)
			sb_printf(s, "%llu*", c < 0 ? -(unsigned long long)c : (unsigned long long)c);
		atom_text(d, f->term[k].atom, s);
	}
	if (f->constant || !f->n)
		sb_printf(s, "%s%llu", f->n ? (f->constant < 0 ? " - " : " + ") : f->constant < 0 ? "-" : "",
			f->constant < 0 ? -(unsigned long long)f->constant : (unsigned long long)f->constant);
}

void memdep_print(const Cfg *c, const MemDep *d, StrBuf *s)
{
	for (int k = 0; k < d->naccess; k++) {
		const MemAccess *a = &d->access[k];
		const Block *b = c->f->block.v[a->block];
		sb_printf(s, "  %s:%d %s", b->label, a->ins, op_info[b->ins.v[a->ins].op].name);
		if (a->generic)
			sb_puts(s, " generic");
		else
			for (int x = 0; x < SP_COUNT; x++)
				if ((a->reads | a->writes) & SPACE_BIT(x))
					sb_printf(s, " %s", space_name[x]);
		if (a->size)
			sb_printf(s, ", %d byte%s", a->size, a->size == 1 ? "" : "s");
		sb_puts(s, a->ordered ? ", ordered: " : ": ");
		if (a->form[0] >= 0)
			memdep_form_text(d, a->form[0], s);
		else
			sb_puts(s, a->reads || a->writes ? "anywhere" : "no address");
		if (a->form[1] >= 0 && a->form[1] != a->form[0]) {
			sb_puts(s, "; no-wrap: ");
			memdep_form_text(d, a->form[1], s);
		}
		sb_putc(s, '\n');
	}
}
