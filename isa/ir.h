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
 * Of a melded instruction: where those stood that passes have made one of with it: they were on different
 * paths, and threads of both execute what is left. Its own place stays that of one of them. In order of the
 * files' names, lines and columns, each once.
 *
 * Of an instruction of a function that a compiler has inlined: the line that it was compiled from, then the
 * call that was replaced, then the call of the function that has that call, and so on to the function that is
 * there. One of them is its own place, the one that its writer looks for: the first of them that lies in the
 * file of the last, so a line of a header gives way to the line that calls it. */
/* line 0: unknown; next: index into module->place, less than its own; 0 = the last */
typedef struct SourcePlace { uint16_t file; int32_t line, col, next; } SourcePlace;
static inline bool ins_melded(const Ins *i) { return i->melded != 0; }

/* ---- blocks, functions, modules ---- */
struct Block {
	const char *label;             /* unique in its function */
	bool user;      /* a block of the source; its label stands there, or is one that its reader gave it */
	bool marked;                   /* while text is read: its marks are written at its instructions */
	/* while it is edited: marks of instructions that have gone, for the next one appended */
	int32_t pending;
	/* while it is lowered: marks of what begins with it, whatever instruction comes to stand first */
	int32_t begins;
	uint8_t origin;                /* 0, or the pass that made it */
	int id;                        /* index in function->block; kept by function_number */
	Vec(Ins) ins;                  /* the last one is the terminator (ins_ends) and the only one */

	int nsucc;                     /* bra: 1 (no condition) or 2 (true, false); brx: n; others: 0 */
	Block **succ;
	Block *reconverge;             /* reconvergence point asked for by the source, or NULL */
	/* while it is lowered, where a mechanism's own operations take the branch's place: a predicate, */
	Opd by;
	/* and the successors to which lanes go for which it holds, and does not; NULL: the terminator says
	   it */
	Block *side[2];
	Loc loc;
};

typedef struct Reg { const char *name; uint8_t type; } Reg; /* name with its %, unique in the function */

typedef struct Param {             /* of a kernel: a place in the param space */
	const char *name;
	uint8_t type;                  /* element type */
	uint32_t count;                /* elements; 1 for a scalar, more for a structure passed as bytes */
	uint32_t align, offset, size;  /* bytes */
	bool array;
	/* it points to memory of the space (PTX: .ptr), or, SP_GENERIC, to any, aligned to so many bytes */
	bool pointer;
	uint8_t space;
	uint32_t points_align;         /* at least 1 */
} Param;

/* FN_HOST without body (declared_only): a function of Lua that host functions call */
typedef enum { FN_KERNEL, FN_DEVICE, FN_HOST } FuncKind;

/* A function of Lua takes the address in argument arg as a buffer of elements of the type, which it may read
   or write. */
typedef struct LuaTouch { int arg; uint8_t type; bool reads, writes; } LuaTouch;
/* sources of launch: the kernel, grid and block of three each, shared bytes, the stream, then the kernel's
   arguments */
enum { LAUNCH_STREAM = 8, LAUNCH_ARGS = 9 };
/* streams are 0, the default stream, to STREAM_LIMIT; events 0 to EVENT_LIMIT - 1 */
enum { STREAM_LIMIT = 1024, EVENT_LIMIT = 1024 };

/* Something of PTX that gsim has not: what, as a clause for messages, and where it stands. what NULL: nothing
   is. */
typedef struct Refusal { const char *what; Loc loc; } Refusal;

struct Function {
	const char *name;
	FuncKind kind;
	int id;                        /* index in module->func */
	bool declared_only;            /* no body in this module */
	Refusal refused;              /* its body cannot be had: only the header is kept, and it cannot run */
	Vec(Reg) reg;
	Vec(Param) param;              /* kernels */
	uint32_t param_bytes;
	/* device functions, and functions of Lua: the registers that hold arguments and results */
	Vec(int) arg, ret;
	/* functions of Lua: the buffers that they read and write, by argument, ascending */
	Vec(LuaTouch) touch;
	Vec(Block *) block;            /* [0] is the entry; the order is the source's */
	/* labels of the source's blocks, whether they are still there or not: statistics name these */
	Vec(const char *) source;
	Vec(Mark) mark;                /* [0] is no mark */
	Vec(SomeLanes) lanes;          /* [0]: all */
	/* move on with every change of instructions, of blocks and edges (isa/edit.h) */
	uint64_t code_stamp, graph_stamp;
	uint32_t maxntid[3], reqntid[3];  /* 0 = not given */
	uint32_t minnctapersm;
	Loc loc;
};

/* 64-bit address of a symbol or function inside initial data */
typedef struct Reloc { uint32_t offset; bool func, generic; int32_t id; int64_t addend; } Reloc;

typedef struct Symbol {            /* a variable */
	const char *name;              /* as in the source */
	uint8_t space;                 /* SP_GLOBAL SP_CONST SP_SHARED SP_LOCAL */
	uint8_t type;                  /* element type */
	uint64_t count;                /* elements; 0 = size given at launch (.extern .shared) */
	uint32_t align;
	uint64_t size;                 /* bytes */
	bool array, external;
	/* why nothing that uses it can run (a texture, ...), as in a Refusal; NULL: it can */
	const char *refused;
	int owner;                     /* function it is declared in, or -1: the module's */
	uint8_t *init;                 /* size bytes, or NULL: zero */
	Vec(Reloc) reloc;
	Loc loc;
} Symbol;

struct Module {
	Arena arena;
	const struct Module *of;       /* a view of that module (module_view), or NULL */
	const char *name;              /* path it was read from */
	Vec(const char *) file;        /* source files; [0] is the module's own text */
	StrMap file_index;             /* of the first nindexed of them, by name; module_file's */
	int nindexed;
	Vec(Function *) func;
	Vec(Symbol *) symbol;
	Vec(const char *) string;
	Vec(const char *) origin;      /* [0] = "user" */
	Vec(SourcePlace) place;        /* lists of them; [0] is none */
};

/* What every form of a module keeps to: a module that one reader takes can be written and read in the
   others. */
enum { FILE_LIMIT = 65535, INLINED_LIMIT =
	255 /* places of inlined code, one in the other, that a reader of PTX keeps */,
	OPERAND_LIMIT = 32768 /* of one instruction or header */,
	DATA_LIMIT = 64 << 20 /* bytes of initial data */ };

Module *module_new(const char *name);
void module_free(Module *);
Function *module_find_function(const Module *, const char *name);     /* NULL when there is none */
/* owner's, else the module's; NULL */
Symbol *module_find_symbol(const Module *, const char *name, int owner);
int module_symbol_id(const Module *, const Symbol *);
/* Adds the function with all functions and variables that it, what it calls and the data of these variables
   name, to both sets, by number. */
void module_uses(const Module *, int function, BitSet func, BitSet symbol);
/* the others are numbered anew; nothing may name those that go */
void module_drop_symbols(Module *, BitSet which);
/* Functions go with the variables that are declared in them; nothing that stays may name them. The others are
   numbered anew: those behind one that goes have other addresses. Not of views. */
void module_drop_functions(Module *, BitSet which);
/* Symbols by owner, each owner's in order: id[first[f + 1]] up to id[first[f + 2]] are those of function f, f
   = -1: the module's. This is the order of the text, and of layout. */
typedef struct SymbolOrder { int *id, *first; } SymbolOrder;
SymbolOrder symbol_order(const Module *);
void symbol_order_free(SymbolOrder *);
int module_origin(Module *, const char *pass);                       /* index of the pass in module->origin */
int module_file(Module *, const char *path);       /* index in module->file; -1: FILE_LIMIT of them already */
Module *module_copy(const Module *);                                  /* deep: nothing is shared */
/* A module to which functions' copies, variables, files and strings can be added, and which shares the rest
   with another one: that must stay as it is and outlive the view. */
Module *module_view(const Module *);
Function *view_function(Module *view, int id);                /* from now on the view has a copy of its own */
bool module_equal(const Module *, const Module *);                    /* everything that text carries */

Function *function_new(Module *, FuncKind, const char *name);
void function_free(Function *);               /* what is not in an arena; the module must no longer have it */
int function_reg(Module *, Function *, const char *name, Type);     /* new register; name NULL: a fresh one */
int function_find_reg(const Function *, const char *name);            /* slow: readers keep their own map */
Block *function_block(Module *, Function *, const char *label);  /* new block at the end; label NULL: fresh */
bool label_is_fresh(const char *);            /* of the form that blocks without label get: bb and a number */
void function_number(Function *);                                     /* sets Block.id from the order */
/* index of the source's block, a new one at the end if there is none; slow */
int function_source(Module *, Function *, const char *label);

/* ---- isa/marks.c ---- */
int function_mark(Function *, Mark);     /* index of a new mark; mark.next: the marks that it stands before */
/* of these lanes those for which the predicate holds (neg: does not), too; -1: none */
int function_lanes(Function *, int lanes, int reg, bool neg);
/* these where the predicate is known to have that value; -1: none */
int function_lanes_known(Function *, int lanes, int reg, bool value);
/* The list after each mark was given to change, which may write its lanes and value, or says false: it goes.
   The same list where nothing has changed. */
int function_change_marks(Function *, int mark, bool (*change)(void *self, Mark *), void *self);
/* The list with other registers: each mark's lanes in turn, then its value. */
int function_rename_marks(Function *, int mark, int (*rename)(void *self, int reg), void *self);
/* both lists in one: a before b, but for long ones, where the shorter one comes first */
int function_marks(Function *, int a, int b);
/* Marks of a function as a reader has it, where none are written: each block of the source begins at its
   first instruction and decides at its branch. */
void function_mark_blocks(Module *, Function *);
void block_mark(Function *, Block *, int source);                     /* this for one block */
/* The source's block that begins at the block's first instruction for all lanes, whose label the block has,
   and whose branch, if it has one, decides as the source's: these marks need not be written. -1: there is
   none. *first, *last: the other marks of the first instruction and of the terminator. */
int block_plain_marks(const Function *, const Block *, int *first, int *last);
static inline Ins *block_term(const Block *b) { return &b->ins.v[b->ins.n - 1]; }
/* The block goes on to one block without asking anything: an indexed branch with one target may still
   fault. */
static inline bool block_jumps(const Block *b) { return b->nsucc == 1 && block_term(b)->op == OP_BRA; }
/* All that the block does is to end the thread. */
static inline bool block_only_ends(const Function *f, const Block *b)
{
	Op op = (Op)block_term(b)->op;
	return b->ins.n == 1 && (op == OP_EXIT || (op == OP_RET && f->kind == FN_KERNEL));
}

Ins ins_make(Module *, Op, Type, int ndst, int nsrc);                 /* zeroed operands, no guard */
void block_jump(Module *, Block *, Block *to);                        /* appends bra to */
void block_branch(Module *, Block *, int pred, bool neg, Block *yes, Block *no); /* appends bra %p, yes, no */
/* of source k; of call and launch: what the callee declares */
Type ins_value_type(const Module *, const Ins *, int k);
Loc ins_loc(const Module *, const Ins *);
/* ---- isa/places.c ---- */
/* A list of places: i->inlined, or i->melded, which may have the instruction's own again: of two at one
   place.
   	for (int at = i->melded; place_next(m, &at, &loc);) ... */
bool place_next(const Module *, int *at, Loc *);
/* a list for i->melded of these places, in any order; 0: n is 0 */
int module_melded(Module *, const SourcePlace *, int n);
/* a list for i->inlined: `inner`, and behind it the list that the call has; 0: of one place */
int module_inlined(Module *, SourcePlace inner, int list);
/* the own place of an instruction with this list of inlined code */
SourcePlace places_own(const Module *, int list);
/* the list and with it the instruction's own place */
void ins_place_inlined(const Module *, Ins *, int list);
void ins_place(Ins *, const Ins *like);                               /* it stands where the other stands */
/* the n of it that are known; file names are the module's */
Loc *places_list(const Module *, int list, Arena *, int *n);
void place_print(Loc, StrBuf *);                                      /* math.h:12, without the folder */
/* What a reader wants to know behind a place of inlined code, " (inlined math.h:12, at k.cu:30)": the
   innermost place, if it is another one, and the calls outside, if there are any. Nothing for other
   instructions. v: the n places of its list. */
void places_print_inlined(const char *file, int line, const Loc *v, int n, StrBuf *);
void ins_print_inlined(const Module *, const Ins *, StrBuf *);
/* it stands for the others, too, and for what these stand for; its own place and origin: those of the first
   that no pass has inserted, if there is one */
void ins_meld(Module *, Ins *, const Ins *const *others, int n);
/* it takes the old one's place in the program: it is as much the source's, at its place, or melded */
void ins_instead(Ins *, const Ins *old);

/* Bytes at offset 0 of a kernel's shared memory, in this order: the symbols that the kernel and what it calls
   use. offset[symbol id] gets each one's offset (extern symbols: the end), -1 for the others. Returns the
   static size. */
uint32_t layout_shared(const Module *, const Function *, int64_t *offset);
/* The local memory of one call of the function: offset[symbol id] for its local symbols; returns bytes
   (multiple of 16). The module's local symbols lie at the bottom of the thread's local memory, in the part of
   the kernel, whose call is the outermost: their offsets count from there, in every function. */
uint32_t layout_local(const Module *, const Function *, int64_t *offset);

/* ---- text form ---- */
/* NULL after errors; a read module is verified */
Module *ir_read(const char *text, size_t n, const char *path, Diag *);
struct StrBuf;
void ir_print(const Module *, struct StrBuf *);
/* alone: what it uses of the module must be declared before it to read it again */
void ir_print_function(const Module *, const Function *, struct StrBuf *);
/* one line, no newline; the block gives bra its targets */
void ir_print_ins(const Module *, const Function *, const Block *, const Ins *, struct StrBuf *);
/* name, parameters, results, attributes: in one line */
void ir_print_signature(const Function *, struct StrBuf *);
bool ir_verify(const Module *, Diag *);               /* true when the module keeps every rule of doc/ir.md */
/* The rules for one instruction alone, wherever it stands. false: *why gets the rest of a sentence about
   it. */
bool ir_verify_ins(const Module *, const Function *, const Ins *, struct StrBuf *why);
/* ---- other forms ---- */
Module *ptx_read(const char *text, size_t n, const char *path, Diag *);
Module *elf_read(const void *, size_t n, const char *path, Diag *);     /* .gso */
bool elf_write(const Module *, const char *path, Diag *);
/* of registers that are read where no definition reaches; module_read does it */
void ir_warn_undefined(Module *, Diag *);
Module *module_read(const char *path, Diag *);           /* by content: ELF magic, .ptx directives, else IR */
/* The same; it imports files of this folder or below, NULL: of its own folder. */
Module *module_read_below(const char *path, const char *folder, Diag *);
#endif
