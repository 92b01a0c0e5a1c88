/* Object files (.gso): ELF64 little-endian, relocatable, machine EM_NONE.
 *
 *   .note.gsim   owner "gsim", type 1: the version of this layout, one 32-bit word
 *   .gsim.ir     the module as text without initial data (doc/ir.md)
 *   .data        initial data of variables; .rela.data: the addresses in it (types R_ADDRESS, R_GENERIC)
 *   .symtab      local symbols: the variables of functions, by function; global symbols: functions, then the
 *                module's variables, each in the order of the text. A variable with initial data lies in
 *                .data, other variables are common symbols; extern variables and functions are undefined;
 *                other functions belong to .gsim.ir.
 *
 * This is the only file that uses libelf. Files may be hostile: everything in them is checked against the
 * file's size and the text. */
#include "isa/ir.h"
#include "isa/text_print.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GSO_VERSION = 1, NOTE_TYPE = 1, R_ADDRESS = 1, R_GENERIC = 2, MOST_SECTIONS = 64 };

static const char note_owner[] = "gsim";
typedef struct Note { uint32_t namesz, descsz, type; char name[8]; uint32_t version; } Note;

/* The numbers of all variables in the order of the symbol table: those declared in functions, by function,
   then the module's. *nowned: how many are declared in functions. */
static int *table_order(const Module *m, int *nowned)
{
	SymbolOrder by = symbol_order(m);
	int *order = xcalloc((size_t)m->symbol.n, sizeof *order), global = by.first[1];
	*nowned = m->symbol.n - global;
	for (int k = 0; k < m->symbol.n; k++)
		order[k < global ? *nowned + k : k - global] = by.id[k];
	symbol_order_free(&by);
	return order;
}

/* The index in the symbol table of the function or variable whose address stands in initial data. */
static uint64_t index_of(const Module *m, const Reloc *x, const int *place, int nowned)
{
	return 1 + (uint64_t)nowned + (x->func ? (uint64_t)x->id
		: (uint64_t)m->func.n + (uint64_t)(place[x->id] - nowned));
}

/* ---- writing ---- */

enum { S_NONE, S_NOTE, S_IR, S_DATA, S_RELA, S_SYMTAB, S_STRTAB, S_SHSTRTAB, S_COUNT };
static const struct { const char *name; uint32_t type; uint64_t flags, align, entry; Elf_Type data;
	} sections[S_COUNT] = {
	[S_NOTE] = { ".note.gsim", SHT_NOTE, 0, 4, 0, ELF_T_BYTE },
	[S_IR] = { ".gsim.ir", SHT_PROGBITS, 0, 1, 0, ELF_T_BYTE },
	[S_DATA] = { ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 256, 0, ELF_T_BYTE },
	[S_RELA] = { ".rela.data", SHT_RELA, SHF_INFO_LINK, 8, sizeof(Elf64_Rela), ELF_T_RELA },
	[S_SYMTAB] = { ".symtab", SHT_SYMTAB, 0, 8, sizeof(Elf64_Sym), ELF_T_SYM },
	[S_STRTAB] = { ".strtab", SHT_STRTAB, 0, 1, 0, ELF_T_BYTE },
	[S_SHSTRTAB] = { ".shstrtab", SHT_STRTAB, 0, 1, 0, ELF_T_BYTE },
};

typedef struct ElfWriter {
	const Module *m;
	StrBuf data, strings, names, text;
	Vec(Elf64_Sym) sym;
	Vec(Elf64_Rela) rela;
	uint32_t name[S_COUNT];
	int *order, *place, nowned;   /* place[symbol id] = the variable's position in the order */
} ElfWriter;

static uint32_t add_string(StrBuf *table, const char *s)
{
	size_t at = table->n;
	sb_write(table, s, strlen(s) + 1);
	return (uint32_t)at;
}

static void write_variable(ElfWriter *w, int id, int bind)
{
	const Symbol *s = w->m->symbol.v[id];
	Elf64_Sym e = { .st_name = add_string(&w->strings, s->name),
		.st_info = (uint8_t)ELF64_ST_INFO(bind, STT_OBJECT),
		.st_shndx = s->external ? SHN_UNDEF : SHN_COMMON, .st_value = s->external ? 0 : s->align,
		.st_size = s->size };
	if (s->init) {
		while (w->data.n % s->align)
			sb_putc(&w->data, 0);
		e.st_shndx = S_DATA;
		e.st_value = w->data.n;
		sb_write(&w->data, s->init, s->size);
	}
	for (int k = 0; k < s->reloc.n; k++) {
		const Reloc *x = &s->reloc.v[k];
		vec_push(&w->rela, ((Elf64_Rela){ e.st_value + x->offset,
			ELF64_R_INFO(index_of(w->m, x, w->place, w->nowned),
			x->generic ? R_GENERIC : R_ADDRESS), x->addend }));
	}
	vec_push(&w->sym, e);
}

static void write_symbol_table(ElfWriter *w)
{
	const Module *m = w->m;
	w->order = table_order(m, &w->nowned);
	w->place = xcalloc((size_t)m->symbol.n, sizeof *w->place);
	for (int k = 0; k < m->symbol.n; k++)
		w->place[w->order[k]] = k;
	sb_putc(&w->strings, 0);
	vec_push(&w->sym, (Elf64_Sym){ 0 });
	for (int k = 0; k < w->nowned; k++)
		write_variable(w, w->order[k], STB_LOCAL);
	for (int k = 0; k < m->func.n; k++)
		vec_push(&w->sym, ((Elf64_Sym){ .st_name = add_string(&w->strings, m->func.v[k]->name),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = m->func.v[k]->declared_only ? SHN_UNDEF : S_IR }));
	for (int k = w->nowned; k < m->symbol.n; k++)
		write_variable(w, w->order[k], STB_GLOBAL);
}

static bool add_section(ElfWriter *w, Elf *elf, int s, void *p, size_t n)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *d = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr h;
	if (!d || !gelf_getshdr(scn, &h))
		return false;
	d->d_buf = p;
	d->d_size = n;
	d->d_align = sections[s].align;
	d->d_type = sections[s].data;
	d->d_version = EV_CURRENT;
	h.sh_name = w->name[s];
	h.sh_type = sections[s].type;
	h.sh_flags = sections[s].flags;
	h.sh_entsize = sections[s].entry;
	h.sh_link = s == S_RELA ? S_SYMTAB : s == S_SYMTAB ? S_STRTAB : 0;
	h.sh_info = s == S_RELA ? S_DATA : s == S_SYMTAB ? 1 + (uint32_t)w->nowned : 0;
	return gelf_update_shdr(scn, &h) != 0;
}

static bool write_elf(ElfWriter *w, Elf *elf)
{
	Note note = { sizeof note_owner, sizeof note.version, NOTE_TYPE, "gsim", GSO_VERSION };
	GElf_Ehdr h;
	if (!gelf_newehdr(elf, ELFCLASS64) || !gelf_getehdr(elf, &h))
		return false;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	h.e_type = ET_REL;
	h.e_machine = EM_NONE;
	h.e_version = EV_CURRENT;
	h.e_shstrndx = S_SHSTRTAB;
	return gelf_update_ehdr(elf, &h) &&
		add_section(w, elf, S_NOTE, &note, sizeof note) &&
		add_section(w, elf, S_IR, w->text.s, w->text.n) &&
		add_section(w, elf, S_DATA, w->data.s, w->data.n) &&
		add_section(w, elf, S_RELA, w->rela.v, sizeof *w->rela.v * (size_t)w->rela.n) &&
		add_section(w, elf, S_SYMTAB, w->sym.v, sizeof *w->sym.v * (size_t)w->sym.n) &&
		add_section(w, elf, S_STRTAB, w->strings.s, w->strings.n) &&
		add_section(w, elf, S_SHSTRTAB, w->names.s, w->names.n) &&
		elf_update(elf, ELF_C_WRITE) >= 0;
}

static bool complain(Diag *d, const char *path, const char *what)
{
	diag_error(d, (Loc){ path, 0, 0 }, "%s", what);
	return false;
}

bool elf_write(const Module *m, const char *path, Diag *diag)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		return complain(diag, path, strerror(errno));
	ElfWriter w = { .m = m };
	sb_putc(&w.names, 0);
	for (int s = 1; s < S_COUNT; s++)
		w.name[s] = add_string(&w.names, sections[s].name);
	ir_print_without_data(m, &w.text);
	write_symbol_table(&w);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	bool ok = elf && write_elf(&w, elf);
	const char *why = ok ? NULL : elf_errmsg(-1);
	elf_end(elf);
	if (close(fd) && ok) {
		why = strerror(errno);
		ok = false;
	}
	sb_free(&w.data);
	sb_free(&w.strings);
	sb_free(&w.names);
	sb_free(&w.text);
	vec_free(&w.sym);
	vec_free(&w.rela);
	free(w.order);
	free(w.place);
	return ok || complain(diag, path, why);
}

/* ---- reading ---- */

typedef struct File {
	Elf *elf;
	size_t size;              /* bytes of the whole file */
	const char *path;
	Diag *diag;
	Elf_Scn *scn[S_COUNT];
	GElf_Shdr hdr[S_COUNT];
	Elf_Data *data[S_COUNT];
	Module *m;
	int *order, nowned;
} File;

static bool refuse_object(File *f, const char *what) { return complain(f->diag, f->path, what); }

static int known_section(const char *name)
{
	for (int s = 1; s < S_COUNT; s++)
		if (name && !strcmp(name, sections[s].name))
			return s;
	return S_NONE;
}

/* Finds the sections by name; each must lie inside the file and be there once. */
static bool find_sections(File *f)
{
	size_t names, n;
	if (elf_getshdrnum(f->elf, &n) || elf_getshdrstrndx(f->elf, &names) || n > MOST_SECTIONS)
		return refuse_object(f, "the object file's section table is damaged");
	for (Elf_Scn *scn = elf_nextscn(f->elf, NULL); scn; scn = elf_nextscn(f->elf, scn)) {
		GElf_Shdr h;
		if (!gelf_getshdr(scn, &h))
			return refuse_object(f, "the object file's section table is damaged");
		int s = known_section(elf_strptr(f->elf, names, h.sh_name));
		if (!s)
			continue;
		if (f->scn[s] || h.sh_type != sections[s].type || h.sh_offset > f->size ||
			h.sh_size > f->size - h.sh_offset || h.sh_flags & SHF_COMPRESSED ||
			(sections[s].entry && h.sh_entsize != sections[s].entry) ||
			(sections[s].entry && h.sh_size % sections[s].entry))
			return refuse_object(f, "a section of the object file is damaged");
		f->scn[s] = scn;
		f->hdr[s] = h;
		f->data[s] = elf_getdata(scn, NULL);
		if (h.sh_size && (!f->data[s] || f->data[s]->d_size != h.sh_size))
			return refuse_object(f, "a section of the object file is damaged");
	}
	for (int s = 1; s < S_COUNT; s++)
		if (!f->scn[s])
			return refuse_object(f, "this ELF file is no gsim object: a section is missing");
	if (elf_ndxscn(f->scn[S_STRTAB]) != f->hdr[S_SYMTAB].sh_link ||
		elf_ndxscn(f->scn[S_SYMTAB]) != f->hdr[S_RELA].sh_link ||
		elf_ndxscn(f->scn[S_DATA]) != f->hdr[S_RELA].sh_info)
		return refuse_object(f, "the object file's sections refer to the wrong ones");
	return true;
}

static bool check_note(File *f)
{
	Note n;
	if (f->hdr[S_NOTE].sh_size != sizeof n)
		return refuse_object(f, "the object file's version note is damaged");
	memcpy(&n, f->data[S_NOTE]->d_buf, sizeof n);
	if (n.namesz != sizeof note_owner || n.descsz != sizeof n.version || n.type != NOTE_TYPE ||
		memcmp(n.name, note_owner, sizeof note_owner))
		return refuse_object(f, "the object file's version note is damaged");
	return n.version == GSO_VERSION || refuse_object(f,
		"the object file was written by another version of gsim");
}

static size_t section_entries(const File *f, int s) { return f->hdr[s].sh_size / sections[s].entry; }

/* The name of a symbol; NULL if it does not lie in the string table. */
static const char *symbol_name(const File *f, const GElf_Sym *e)
{
	const Elf_Data *d = f->data[S_STRTAB];
	if (!f->hdr[S_STRTAB].sh_size || e->st_name >= d->d_size)
		return NULL;
	const char *s = (const char *)d->d_buf + e->st_name;
	return memchr(s, 0, d->d_size - e->st_name) ? s : NULL;
}

static bool check_symbol_entry(File *f, const GElf_Sym *e, const char *name, int type)
{
	const char *is = symbol_name(f, e);
	return (is && !strcmp(is, name) && GELF_ST_TYPE(e->st_info) == type) ||
		refuse_object(f, "the object file's symbol table does not agree with its text");
}

/* Gives a variable its initial data. *used: bytes of .data that the variables before it take up; data of two
   variables may not overlap. false: reported. */
static bool read_variable(File *f, Symbol *s, const GElf_Sym *e, uint64_t *used)
{
	uint64_t have = f->hdr[S_DATA].sh_size;
	if (e->st_shndx != elf_ndxscn(f->scn[S_DATA]))
		return true;
	if (e->st_size != s->size || e->st_value < *used || e->st_value > have ||
		s->size > have - e->st_value)
		return refuse_object(f, "a variable's initial data lies outside of the object file's data");
	*used = e->st_value + s->size;
	s->init = arena_alloc(&f->m->arena, s->size ? s->size : 1);
	if (s->size)
		memcpy(s->init, (char *)f->data[S_DATA]->d_buf + e->st_value, s->size);
	return true;
}

static bool read_symbols(File *f)
{
	Module *m = f->m;
	uint64_t used = 0;
	size_t n = section_entries(f, S_SYMTAB);
	f->order = table_order(m, &f->nowned);
	if (n != 1 + (size_t)m->symbol.n + (size_t)m->func.n || n > INT_MAX)
		return refuse_object(f, "the object file's symbol table does not agree with its text");
	for (int k = 1; k < (int)n; k++) {
		GElf_Sym e;
		if (!gelf_getsym(f->data[S_SYMTAB], k, &e))
			return refuse_object(f, "the object file's symbol table is damaged");
		int func = k - 1 - f->nowned, var = func < 0 ? k - 1 : k - 1 - m->func.n;
		if (func >= 0 && func < m->func.n) {
			if (!check_symbol_entry(f, &e, m->func.v[func]->name, STT_FUNC))
				return false;
			continue;
		}
		Symbol *s = m->symbol.v[f->order[var]];
		if (!check_symbol_entry(f, &e, s->name, STT_OBJECT) || !read_variable(f, s, &e, &used))
			return false;
	}
	return true;
}

/* The variable whose initial data has room for an address at this offset of .data, or NULL; *inside: the
   offset in the variable. Variables lie in .data in the order of the symbol table, so the search begins at
   position *from of the order, and moves *from on. */
static Symbol *variable_at(File *f, uint64_t offset, int *from, uint64_t *inside)
{
	for (; *from < f->m->symbol.n; ++*from) {
		GElf_Sym e;
		int k = *from;
		Symbol *s = f->m->symbol.v[f->order[k]];
		if (!s->init || !gelf_getsym(f->data[S_SYMTAB], 1 + k + (k < f->nowned ? 0 : f->m->func.n),
			&e))
			continue;
		if (offset >= e.st_value + s->size)
			continue;
		*inside = offset - e.st_value;
		return offset >= e.st_value && s->size - *inside >= 8 ? s : NULL;
	}
	return NULL;
}

static bool read_addresses(File *f)
{
	size_t n = section_entries(f, S_RELA);
	int from = 0;
	for (size_t k = 0; k < n; k++) {
		GElf_Rela x;
		uint64_t inside = 0;
		if (k > INT_MAX || !gelf_getrela(f->data[S_RELA], (int)k, &x))
			return refuse_object(f, "the object file's table of addresses is damaged");
		Symbol *s = variable_at(f, x.r_offset, &from, &inside);
		uint64_t to = GELF_R_SYM(x.r_info), type = GELF_R_TYPE(x.r_info);
		int64_t func = (int64_t)to - 1 - f->nowned, var = func - f->m->func.n;
		if (!s || inside > UINT32_MAX || (type != R_ADDRESS && type != R_GENERIC) || func < 0 ||
			var >= f->m->symbol.n - f->nowned)
			return refuse_object(f, "the object file's table of addresses refers to nothing");
		Reloc r = { .offset = (uint32_t)inside, .func = var < 0, .generic = type == R_GENERIC,
			.addend = x.r_addend };
		r.id = var < 0 ? (int)func : f->order[f->nowned + (int)var];
		vec_push(&s->reloc, r);
	}
	return true;
}

static bool read_file(File *f)
{
	GElf_Ehdr h;
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &h))
		return refuse_object(f, "the ELF header is damaged");
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL ||
		h.e_machine != EM_NONE)
		return refuse_object(f, "this ELF file is no gsim object; gsim-opt -o NAME.gso writes those, "
			"and cuobjdump -ptx takes PTX out of a CUDA program");
	if (!find_sections(f) || !check_note(f))
		return false;
	f->m = ir_read(f->hdr[S_IR].sh_size ? f->data[S_IR]->d_buf : "", f->hdr[S_IR].sh_size, f->path,
		f->diag);
	return f->m && read_symbols(f) && read_addresses(f) && ir_verify(f->m, f->diag);
}

Module *elf_read(const void *p, size_t n, const char *path, Diag *diag)
{
	File f = { .size = n, .path = path, .diag = diag };
	char *image = xmalloc(n); /* libelf wants memory that it may write to */
	memcpy(image, p, n);
	elf_version(EV_CURRENT);
	f.elf = elf_memory(image, n);
	bool ok = f.elf ? read_file(&f) : refuse_object(&f, "the ELF header is damaged");
	free(f.order);
	elf_end(f.elf);
	free(image);
	if (ok)
		return f.m;
	module_free(f.m);
	return NULL;
}
