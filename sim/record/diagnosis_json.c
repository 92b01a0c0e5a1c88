/* Writes a diagnosis as JSON: which lanes spin or wait, on which word, which thread changed it last, and
   which lanes are held where. */
#include "lib/json.h"
#include "sim/record/diagnosis.h"

static void put_triple(JsonSink *j, const char *key, const uint32_t v[3])
{
	j->key(j, key);
	j->begin(j, '[', true);
	for (int k = 0; k < 3; k++)
		j->count(j, v[k]);
	j->end(j);
}

static void json_put_lanes(JsonSink *j, const char *key, Mask m)
{
	j->key(j, key);
	j->begin(j, '[', true);
	for (int l = 0; l < 64; l++)
		if (m >> l & 1)
			j->count(j, (uint64_t)l);
	j->end(j);
}

static void json_put_place(JsonSink *j, const char *key, const CodePlace *p)
{
	j->key(j, key);
	if (!p->block) {
		j->text(j, NULL);
		return;
	}
	j->begin(j, '{', true);
	json_put_text(j, "function", p->function);
	json_put_text(j, "label", p->block);
	json_put_text(j, "file", p->file);
	json_put_count(j, "line", p->line > 0 ? (uint64_t)p->line : 0);
	place_list_json(j, "inlined", p->inlined);
	j->end(j);
}

static void put_stuck(JsonSink *j, const StuckLanes *x)
{
	j->begin(j, '{', false);
	put_triple(j, "block", x->block);
	json_put_count(j, "warp", (uint64_t)x->warp);
	json_put_lanes(j, "lanes", x->lanes);
	json_put_text(j, "state", stuck_name[x->how]);
	json_put_place(j, "at", &x->at);
	json_put_text(j, "in", x->in);
	json_put_lanes(j, "behind", x->others);
	json_put_place(j, "until", &x->until);
	j->end(j);
}

static void json_put_word(JsonSink *j, const Diagnosis *d)
{
	const StuckWord *w = &d->word;
	j->key(j, "word");
	if (!d->reads) {
		j->text(j, NULL);
		return;
	}
	j->begin(j, '{', true);
	json_put_text(j, "space", w->space == SP_SHARED ? "shared" : "global");
	json_put_count(j, "address", w->address);
	json_put_text(j, "buffer", w->buffer);
	json_put_count(j, "offset", w->offset);
	json_put_count(j, "bytes", w->bytes);
	json_put_count(j, "value", w->value);
	j->end(j);
}

static void put_writer(JsonSink *j, const Diagnosis *d)
{
	j->key(j, "writer");
	if (!d->written) {
		j->text(j, NULL);
		return;
	}
	j->begin(j, '{', false);
	put_triple(j, "thread", d->thread);
	json_put_place(j, "wrote", &d->by);
	j->key(j, "now");
	put_stuck(j, &d->writer);
	j->end(j);
}

void diagnosis_json(const Diagnosis *d, JsonSink *j)
{
	j->begin(j, '{', false);
	json_put_text(j, "kind", d->kind == FAULT_LIVELOCK ? "livelock" : "deadlock");
	j->key(j, "who");
	put_stuck(j, &d->who);
	json_put_count(j, "spinning", d->spinning);
	json_put_word(j, d);
	put_writer(j, d);
	j->key(j, "waiting");
	j->begin(j, '[', false);
	for (int k = 0; k < d->nheld; k++)
		put_stuck(j, &d->held[k]);
	j->end(j);
	json_put_count(j, "blocks_not_begun", d->unbegun);
	json_put_text(j, "mechanism", d->holds);
	j->end(j);
}
