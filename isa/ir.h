/* The intermediate representation: modules of functions of basic blocks over typed, mutable virtual
 * registers. doc/ir.md is the reference of its text form. Everything of a module lives in the module's arena.
 *
 * isa/ is what a kernel is: the IR, its text, PTX and objects, the verifier, what each operation does to a
 * lane, and the reference interpreter. It knows no cycles and may include lib/ only. */
#ifndef GSIM_IR_H
#define GSIM_IR_H
#include "isa/ins.h"
#include "lib/arena.h"
#include "lib/bitset.h"
#include "lib/diag.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include <stdbool.h>
#include <stdint.h>

/* Places in the source, in lists that are never changed: copies of an instruction share them.
 *
 * The list of a melded instruction says where the other instructions stood that passes have made one of with
 * it. They were on different paths, and threads of all these paths execute what is left. Its own place stays
 * that of one of them. The list is in order of the files' names, lines and columns, and has each place once.
 *
 * The list of an instruction of a function that a compiler has inlined has the line that it was compiled
 * from, then the call that was replaced, then the call of the function that has that call, and so on to the
 * function in which the instruction is now. One place of the list is the instruction's own place: the first
 * that lies in the same file as the last one. So a line of a header gives way to the line that calls it,
 * which is the one that the program's author looks for. */
/* line 0: the place is unknown; next: index into module->place of the next place of the list, less than this
   one's own; 0 = the last */
typedef struct SourcePlace { uint16_t file; int32_t line, col, next; } SourcePlace;
static inline bool ins_melded(const Ins *i) { return i->melded != 0; }

/* ---- blocks, functions, modules ---- */
struct Block {
	const char *label;             /* unique in its function */
	/* the block is one of the source; its label stands in the source, or the reader gave it one */
	bool user;
	/* while text is read: the text has the block's marks at its instructions */
	bool marked;
	/* while the block is edited: marks of removed instructions, for the next one that is appended; 0:
	   none */
	int32_t pending;
	/* while the block is lowered: marks of what begins with it, for the instruction that comes to stand
	   first */
	int32_t begins;
	uint8_t origin;                /* 0, or index into module->origin: the pass that made it */
	int id;                        /* index in function->block; kept by function_number */
	Vec(Ins) ins;                  /* the last one is the terminator (ins_ends), and no other one is */

	int nsucc;                     /* bra: 1 (no condition) or 2 (true, false); brx: n; others: 0 */
	Block **succ;
	Block *reconverge;             /* reconvergence point asked for by the source, or NULL */
	/* while the block is lowered, where the mechanism's own operations take the place of its branch: `by`
	   is the predicate that decides, */
	Opd by;
	/* side[0] the successor for lanes for which `by` holds, side[1] the one for the others; NULL: the
	   terminator names the successors */
	Block *side[2];
	Loc loc;
};
typedef Vec(Block *) BlockList;

typedef struct Reg { const char *name; uint8_t type; } Reg; /* name with its %, unique in the function */

typedef struct Param {             /* of a kernel: a place in the param space */
	const char *name;
	uint8_t type;                  /* element type */
	uint32_t count;                /* elements; 1 for a scalar, more for a structure passed as bytes */
	uint32_t align, offset, size;  /* bytes */
	bool array;
	/* pointer: the parameter points to memory of `space` (SP_GENERIC: of any) that is aligned to
	   points_align bytes (PTX: .ptr) */
	bool pointer;
	uint8_t space;
	uint32_t points_align;         /* at least 1 */
} Param;

/* A function of kind FN_HOST without body (declared_only) is a function of Lua that host functions call. */
typedef enum { FN_KERNEL, FN_DEVICE, FN_HOST } FuncKind;

/* A function of Lua takes the address in argument arg as a buffer of elements of the type, which it may read
   or write. */
typedef struct LuaTouch { int arg; uint8_t type; bool reads, writes; } LuaTouch;
/* sources of a launch instruction: the kernel, grid and block of three numbers each, shared bytes, the
   stream, then the kernel's arguments */
enum { LAUNCH_STREAM = 8, LAUNCH_ARGS = 9 };
/* streams have numbers from 0, the default stream, to STREAM_LIMIT; events from 0 to EVENT_LIMIT - 1 */
enum { STREAM_LIMIT = 1024, EVENT_LIMIT = 1024 };

/* Something of PTX that gsim does not have. what: a clause about it for messages, NULL: nothing is refused;
   loc: where it stands. */
typedef struct Refusal { const char *what; Loc loc; } Refusal;

struct Function {
	const char *name;
	FuncKind kind;
	int id;                        /* index in module->func */
	bool declared_only;            /* no body in this module */
	/* if set, gsim cannot take its body: only the header is kept, and it cannot run */
	Refusal refused;
	Vec(Reg) reg;
	Vec(Param) param;              /* parameters of a kernel */
	uint32_t param_bytes;
	/* device functions, and functions of Lua: the registers that hold arguments and results */
	Vec(int) arg, ret;
	/* functions of Lua: the buffers that they read and write, by argument, ascending */
	Vec(LuaTouch) touch;
	Vec(Block *) block;            /* [0] is the entry; the order is the source's */
	/* labels of the source's blocks, whether they are still there or not: statistics name these */
	Vec(const char *) source;
	Vec(Mark) mark;                /* [0] is no mark */
	Vec(SomeLanes) lanes;          /* [0] is the set of all lanes */
	/* code_stamp is incremented with every change of instructions, blocks or edges, graph_stamp with
	   every change of blocks or edges (isa/edit.h) */
	uint64_t code_stamp, graph_stamp;
	uint32_t maxntid[3], reqntid[3];  /* 0 = not given */
	uint32_t minnctapersm;
	Loc loc;
};

/* 64-bit address of a symbol or function inside initial data */
typedef struct Reloc { uint32_t offset; bool func, generic; int32_t id; int64_t addend; } Reloc;

typedef struct Symbol {            /* a variable */
	const char *name;              /* its name as it stands in the source */
	uint8_t space;                 /* SP_GLOBAL SP_CONST SP_SHARED SP_LOCAL */
	uint8_t type;                  /* element type */
	uint64_t count;                /* elements; 0 = size given at launch (.extern .shared) */
	uint32_t align;
	uint64_t size;                 /* bytes */
	bool array, external;
	/* why nothing that uses it can run (a texture, ...), as in a Refusal; NULL: it can */
	const char *refused;
	int owner;                     /* index of the function that declares it, or -1: the module does */
	uint8_t *init;                 /* size bytes, or NULL: zero */
	Vec(Reloc) reloc;
	Loc loc;
} Symbol;

struct Module {
	Arena arena;
	/* if this is a view (module_view): the module that it views; else NULL */
	const struct Module *of;
	const char *name;              /* path it was read from */
	Vec(const char *) file;        /* source files; [0] is the module's own text */
	StrMap file_index;             /* the first nindexed files by name; module_file keeps it */
	int nindexed;
	Vec(Function *) func;
	Vec(Symbol *) symbol;
	Vec(const char *) string;
	Vec(const char *) origin;      /* [0] = "user" */
	Vec(SourcePlace) place;        /* lists of places, linked by `next`; [0] is none */
};

/* Limits that hold in every form of a module, so that a module that one reader takes can be written and read
   in the other forms. */
enum { FILE_LIMIT = 65535, INLINED_LIMIT =
	255 /* places in the list of an inlined instruction that a reader of PTX keeps */,
	OPERAND_LIMIT = 32768 /* operands of one instruction, arguments of one header */,
	DATA_LIMIT = 64 << 20 /* bytes of initial data */ };

Module *module_new(const char *name);
void module_free(Module *);
Function *module_find_function(const Module *, const char *name);     /* NULL when there is none */
/* the variable of function `owner`, else the module's; NULL when there is none */
Symbol *module_find_symbol(const Module *, const char *name, int owner);
int module_symbol_id(const Module *, const Symbol *);
/* Adds to both sets, by number: the function, the functions that it names and those that these name, and so
   on; the variables that these functions name, and what the initial data of these variables names. */
void module_uses(const Module *, int function, BitSet func, BitSet symbol);
/* Removes these variables, which nothing may name any more. The others are numbered anew. */
void module_drop_symbols(Module *, BitSet which);
/* Removes functions with the variables that are declared in them; nothing that stays may name any of these.
   The others are numbered anew, so those behind a removed one get other addresses. The module must not be a
   view. */
void module_drop_functions(Module *, BitSet which);
/* Symbols by owner, those of one owner in the order of module->symbol: function f has id[first[f + 1]] up to
   but not including id[first[f + 2]]; f = -1 stands for the module. This is the order in which text and
   memory have them. */
typedef struct SymbolOrder { int *id, *first; } SymbolOrder;
SymbolOrder symbol_order(const Module *);
void symbol_order_free(SymbolOrder *);
int module_origin(Module *, const char *pass);                       /* index of the pass in module->origin */
int module_file(Module *, const char *path);       /* index in module->file; -1: FILE_LIMIT of them already */
Module *module_copy(const Module *);                                  /* deep: nothing is shared */
/* A view: a module that shares all that another module has. Copies of functions (view_function), variables,
   files and strings can be added to it. The other module must stay as it is and outlive the view. */
Module *module_view(const Module *);
/* from now on the view has its own copy of the function, which is returned */
Function *view_function(Module *view, int id);
/* do they agree in all that text carries? */
bool module_equal(const Module *, const Module *);

Function *function_new(Module *, FuncKind, const char *name);
/* frees what is not in an arena; nothing may use the function any more */
void function_free(Function *);
/* number of a new register; name NULL: a fresh name */
int function_reg(Module *, Function *, const char *name, Type);
/* -1: there is none; slow: readers keep their own map */
int function_find_reg(const Function *, const char *name);
/* new block at the end; label NULL: a fresh label */
Block *function_block(Module *, Function *, const char *label);
/* has the label the form that blocks without label get: bb and a number? */
bool label_is_fresh(const char *);
void function_number(Function *);                                     /* sets Block.id from the order */
/* index in function->source of the source's block with this label, which is added at the end if it is not
   there; slow */
int function_source(Module *, Function *, const char *label);

/* ---- isa/marks.c ---- */
/* adds a mark in front of the list mark.next; returns its index, which stands for the new list */
int function_mark(Function *, Mark);
/* the set of those of `lanes` for which predicate `reg` holds (neg: does not hold), too; -1: no lane can be
   in it */
int function_lanes(Function *, int lanes, int reg, bool neg);
/* the set `lanes` where predicate `reg` is known to have this value for all lanes; -1: no lane is in it */
int function_lanes_known(Function *, int lanes, int reg, bool value);
/* Calls `change` for each mark of the list; it may write the mark's lanes and value, or return false to
   remove the mark. Returns the new list, or the same one if nothing has changed. */
int function_change_marks(Function *, int mark, bool (*change)(void *self, Mark *), void *self);
/* Gives the registers of the list's marks the names that `rename` returns, which is called for each mark
   first for the registers of its lanes in turn, then for its value. Returns the new list. */
int function_rename_marks(Function *, int mark, int (*rename)(void *self, int reg), void *self);
/* Joins both lists: a before b, but if a is long and b shorter, b before a. Returns the new list. */
int function_marks(Function *, int a, int b);
/* Sets the marks of a function where the text gives none: each block of the source begins at its first
   instruction and decides at its branch. */
void function_mark_blocks(Module *, Function *);
/* does this for one block, which is block `source` of the source */
void block_mark(Function *, Block *, int source);
/* Does the block have the marks that go without saying, which the text of a module leaves out? They say that
   the source's block of the same label begins at this block's first instruction for all lanes, and, if this
   block ends in a branch, that each lane's way out of the source's block is the way that this branch takes.
   Returns the index of the source's block; -1: this block does not have both marks. *first, *last: the other
   marks of the first instruction and of the terminator. */
int block_plain_marks(const Function *, const Block *, int *first, int *last);
static inline Ins *block_term(const Block *b) { return &b->ins.v[b->ins.n - 1]; }
/* Does the block end with an unconditional jump? (An indexed branch with one target is none: it may still
   fault.) */
static inline bool block_jumps(const Block *b) { return b->nsucc == 1 && block_term(b)->op == OP_BRA; }
/* Does the block do nothing but end the thread? */
static inline bool block_only_ends(const Function *f, const Block *b)
{
	Op op = (Op)block_term(b)->op;
	return b->ins.n == 1 && (op == OP_EXIT || (op == OP_RET && f->kind == FN_KERNEL));
}

Ins ins_make(Module *, Op, Type, int ndst, int nsrc);                 /* zeroed operands, no guard */
void block_jump(Module *, Block *, Block *to);                        /* appends bra to */
void block_branch(Module *, Block *, int pred, bool neg, Block *yes, Block *no); /* appends bra %p, yes, no */
/* type of source k; of the arguments of a call or launch the type that the callee declares */
Type ins_value_type(const Module *, const Ins *, int k);
Loc ins_loc(const Module *, const Ins *);
/* ---- isa/places.c ---- */
/* Goes through a list of places, i->inlined or i->melded. i->melded may also have the instruction's own
   place, where two that were melded stood at one place.
   	for (int at = i->melded; place_next(m, &at, &loc);) ...
 */
bool place_next(const Module *, int *at, Loc *);
/* makes a list for i->melded of these n places, given in any order; 0: n is 0 */
int module_melded(Module *, const SourcePlace *, int n);
/* makes a list for i->inlined: `inner`, and behind it `list`, which is that of the call (0: nothing
   follows) */
int module_inlined(Module *, SourcePlace inner, int list);
/* the own place of an instruction with this list of inlined code */
SourcePlace places_own(const Module *, int list);
/* gives the instruction this list of inlined places, and with it its own place */
void ins_place_inlined(const Module *, Ins *, int list);
/* gives the instruction the place of `like` */
void ins_place(Ins *, const Ins *like);
/* the *n places of the list that are known; file names are the module's */
Loc *places_list(const Module *, int list, Arena *, int *n);
/* prints file and line without the folder: math.h:12 */
void place_print(Loc, StrBuf *);
/* Prints what a user wants to know about inlined code behind its place file:line, as in " (inlined math.h:12,
   at k.cu:30)": the innermost place, if it is another one, and the calls further outside, if there are any.
   Prints nothing for other code. v: the n places of its list. */
void places_print_inlined(const char *file, int line, const Loc *v, int n, StrBuf *);
void ins_print_inlined(const Module *, const Ins *, StrBuf *);
/* Makes the instruction stand for the n others, too, and for what these stand for. Of all these the first
   that no pass has inserted, if there is one, gives it its own place and origin. */
void ins_meld(Module *, Ins *, const Ins *const *others, int n);
/* lets the instruction take the place of `old` in the program: it gets its origin, its place in the source
   and its list of melded places */
void ins_instead(Ins *, const Ins *old);

/* Lays out the shared memory of a kernel from offset 0 on: the symbols that the kernel and what it calls use,
   in the order of symbol_order. offset[symbol id] gets the offset of each in bytes (extern symbols: the end
   of the others), -1 for symbols that are not used. Returns the static size in bytes. */
uint32_t layout_shared(const Module *, const Function *, int64_t *offset);
/* Lays out the local memory of one call of the function: offset[symbol id] gets the offsets of its local
   symbols and of the module's, -1 for the others. Returns bytes, a multiple of 16. The module's local symbols
   lie at the bottom of the thread's local memory, in the part of the kernel, whose call is the outermost: in
   every function their offsets count from there. */
uint32_t layout_local(const Module *, const Function *, int64_t *offset);

/* ---- text form ---- */
/* reads a module and verifies it; NULL after errors */
Module *ir_read(const char *text, size_t n, const char *path, Diag *);
struct StrBuf;
void ir_print(const Module *, struct StrBuf *);
/* Does the same without places in the source: who reads the text takes those in the text. */
void ir_print_without_places(const Module *, struct StrBuf *);
/* prints one function alone: to read it again, what it uses of the module must be declared before it */
void ir_print_function(const Module *, const Function *, struct StrBuf *);
/* prints one line without newline; bra and brx get the targets of the block (NULL: they get none) */
void ir_print_ins(const Module *, const Function *, const Block *, const Ins *, struct StrBuf *);
/* prints name, parameters, results and attributes in one line */
void ir_print_signature(const Function *, struct StrBuf *);
bool ir_verify(const Module *, Diag *);               /* true when the module keeps every rule of doc/ir.md */
/* Checks the rules for one instruction alone, wherever it stands. false: it breaks one, and *why gets the
   rest of a sentence that begins with the instruction. */
bool ir_verify_ins(const Module *, const Function *, const Ins *, struct StrBuf *why);
/* ---- other forms ---- */
Module *ptx_read(const char *text, size_t n, const char *path, Diag *);
Module *elf_read(const void *, size_t n, const char *path, Diag *);     /* reads a .gso file */
bool elf_write(const Module *, const char *path, Diag *);
/* warns of registers that are read where no definition reaches; module_read calls it */
void ir_warn_undefined(Module *, Diag *);
/* recognises the form by content: ELF magic, .ptx directives, else IR */
Module *module_read(const char *path, Diag *);
/* Does the same; the module may import files of this folder or below; NULL: of the folder it is in. */
Module *module_read_below(const char *path, const char *folder, Diag *);
/* Does the same when the n bytes of the file are there already, with a 0 byte behind them. */
Module *module_read_bytes(const char *data, size_t n, const char *path, const char *folder, Diag *);
/* Does the same with n bytes in memory. name: what messages call them; folder NULL: the module may not import
   anything. */
Module *module_read_text(const char *text, size_t n, const char *name, const char *folder, Diag *);
#endif
