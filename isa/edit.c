#include "isa/edit.h"

Edit edit_open(Module *m, Function *f, uint8_t origin) { return (Edit){ .m = m, .f = f, .origin = origin }; }

void edit_close(Edit *e)
{
	edit_settle(e);
	strmap_free(&e->label);
	strmap_free(&e->reg);
	strmap_free(&e->last);
	vec_free(&e->named);
}

/* ---- stamps ---- */

void edit_touch_code(Function *f) { f->code_stamp++; }

void edit_touch_graph(Function *f)
{
	f->graph_stamp++;
	f->code_stamp++;
}
