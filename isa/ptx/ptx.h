/* Inside the PTX reader: tokens, names, the state of a function being read. Only isa/ptx/ includes this.
 *
 * PTX text -> lexer.c -> module.c (directives) -> decl.c, init.c (variables) -> header.c, func.c (bodies,
 * scopes)
 *          -> stmt.c (one instruction) -> operand.c, bind.c (operands -> Ins), flow.c (labels, terminators),
 *             call.c, paramvar.c (calling convention -> register arguments) -> ir_verify
 *
 * Functions that return bool return false after having reported an error; the caller then skips to the end of
 * the statement and goes on, so that one run reports several errors. doc/ptx.md says what is an error of the
 * module, and what only refuses the function in which it stands.
 *
 * isa/ptx/ makes IR of PTX. It may include isa/ and lib/. */
#ifndef GSIM_PTX_H
#define GSIM_PTX_H
#include "isa/edit.h"

/* ---- tokens ---- */
typedef enum {
	TK_EOF, TK_WORD,     /* name, register, label, dotted mnemonic: ld.global.u32, %tid.x, WARP_SZ */
	TK_DIRECTIVE,        /* .name, dot included */
	TK_INT, TK_F32, TK_F64, TK_STRING,
	TK_PUNCT
} PtxTokenKind;

typedef struct PtxToken {
	uint8_t kind;
	char punct;
	bool is_unsigned;    /* the integer was written with U, or is too large for 63 bits */
	int line, col;
	uint32_t n;
	const char *s;       /* n characters of the text; strings without their quotes */
	uint64_t bits;       /* the value: an integer, or the IEEE bits of a floating-point number */
} PtxToken;

/* ---- names of a function body ---- */
typedef enum { ENT_REG, ENT_SYMBOL, ENT_KPARAM, ENT_PVAR, ENT_TARGETS, ENT_PROTO } EntityKind;
/* what a name stands for. ENT_REG: has its type, and id -1 until it is used for the first time */
typedef struct Entity { uint8_t kind, type; int id; } Entity;

/* how many registers, and their type, a declaration as %r<9> gives */
typedef struct RegRange { uint32_t count; uint8_t type; } RegRange;

typedef struct NameScope {
	/* index of the scope around this one, -1: this is the function's own; number of scopes around it */
	int parent, depth;
	StrMap name;             /* name -> index in Body.entity */
	StrMap label;            /* name -> index in the function's list of blocks */
	StrMap range;            /* prefix -> index in Ptx.range */
} NameScope;

/* A .param variable of a device function or of a call. Its bytes live in registers of 4 bytes each (a scalar
   of 8 bytes: in one register of 8). */
typedef enum { PV_IN, PV_OUT, PV_CALL } PvarRole;
/* the word has been stored to, so far in the text; somewhere only a part of it is stored */
enum { WORD_WRITTEN = 1, WORD_PARTIAL = 2 };
typedef struct Pvar {
	const char *name;
	uint8_t role, type;      /* PvarRole; type of an element */
	bool array;
	uint32_t size, align;
	uint8_t unit;            /* bytes of one word */
	int nword;
	int *reg;                /* by word: its register; -1 = not made yet */
	uint8_t *state;          /* by word: WORD_* */
	int spill;               /* symbol id of its copy in local memory, or -1 */
	Loc loc;
} Pvar;

/* A use of a label. slot: which successor of `from` the label is; -1: the label is its reconvergence
   point. */
typedef struct LabelRef { Block *from; int slot, scope; const char *name; Loc loc; } LabelRef;
typedef struct TargetList { Vec(const char *) label; Vec(Loc) loc; } TargetList;
typedef struct BrxRef { Block *from; const char *list; int scope; Loc loc; } BrxRef;

typedef struct Body {
	Edit edit;               /* edits the function that is read */
	Refusal refused;         /* the first thing in it that gsim does not support */
	StrMap symbol_names;     /* names of symbols that the function has taken */
	Vec(NameScope) scope;
	int here;                /* index of the current scope */
	Vec(Entity) entity;
	Vec(Pvar) pvar;
	Vec(TargetList) targets;
	Vec(LabelRef) ref;
	Vec(BrxRef) brx;

	const char *point;       /* label that .pragma "reconverge L" names for the next branch, or NULL */
	Loc point_loc;
	int point_scope;

	Block *cur;              /* block that receives instructions; NULL after a terminator */
	Block *fall;  /* block that falls into the next block to come, its second successor; NULL = none */
	int nauto;               /* number of the next automatic label */
	int suffix;              /* ptx_rename tries no smaller number, since it has found them taken */
	int line, col;           /* place of the statement being read */
	const PtxToken *word;       /* mnemonic of the instruction being read, or NULL */
} Body;

/* ---- the whole file ---- */
typedef struct RelocFix { int symbol, reloc; const char *name; Loc loc; } RelocFix;
/* A register of module scope. users: number of functions that use it; called: one of them is a device
   function; slot: symbol of the variable through which its value passes between functions, -1: none. */
typedef struct ModuleReg { const char *name; uint8_t type; bool called; int users, slot; } ModuleReg;
/* func: the function that is declared with the second name; to: the one for which that name stands */
typedef struct Alias { int func, to; Loc loc; } Alias;
typedef struct RegUse { int module_reg, func, reg; } RegUse;
/* a .file directive. file: the module's number of the file; -1: no instruction comes from it yet */
typedef struct FileNo { uint64_t number; const PtxToken *name; int file; } FileNo;

typedef struct Ptx {
	Module *m;
	Diag *diag;
	Arena arena;             /* names that outlive a function */
	Vec(PtxToken) tok;
	int at;
	int version, sm;         /* version: 75 for 7.5; sm: 75 for sm_75; 0 = not given */
	int address_size;

	StrMap funcs, symbols;   /* module scope: name -> id */
	/* registers of module scope: name -> index in module_reg, prefix -> index in range */
	StrMap reg_name, reg_range;
	Vec(ModuleReg) module_reg;
	Vec(RegUse) reg_use;
	Vec(RegRange) range;
	Vec(FileNo) file;        /* in the order of their numbers */
	Vec(RelocFix) fix;
	Vec(Alias) alias;
	/* numbers of words of parameters and branch targets, and of bytes of initial data, in the file so
	   far; they have limits, so that hostile input cannot take all memory */
	uint64_t words, init_bytes;

	int loc_file, loc_line, loc_col;  /* place that the last .loc names; loc_line 0 = none */
	/* list in m->place of inlined code: its own place, then the calls; 0: the code was not inlined */
	int loc_inlined;
	/* "file line column" of a .loc of this function -> the value of loc_inlined behind that .loc */
	StrMap call_at;
	/* "file line column call" -> the list in m->place that begins with this place and goes on with list
	   `call`, that of the call through which the place was inlined */
	StrMap inlined;
	Body *b;                 /* the function being read, or NULL */
} Ptx;

/* Reports an error. Always returns false. Texts are cut at 500 characters, since names may have any
   length. */
bool ptx_error(Ptx *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Reports PTX that exists but that gsim does not have; the text says "... not supported by gsim". The
   function being read is refused, which is no error of the module; outside of functions it is an error.
   Always returns false. */
bool ptx_refuse(Ptx *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Like ptx_refuse, for the instruction being read: gsim has the operation, but not in this form. The text
   says why. */
bool ptx_refuse_ins(Ptx *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- lexer.c ---- */
/* fills Ptx.tok; false: there were errors, which are reported */
bool ptx_lex(Ptx *, const char *text, size_t n);
static inline const PtxToken *tok(const Ptx *p) { return &p->tok.v[p->at]; }
const PtxToken *tok_ahead(const Ptx *, int k);
void tok_next(Ptx *);
Loc tok_loc(const Ptx *, const PtxToken *);
Loc tok_here(const Ptx *);
bool tok_is(const Ptx *, char);
bool tok_is_directive(const Ptx *, const char *);
bool tok_is_word(const Ptx *, const char *);
bool tok_accept(Ptx *, char);
bool tok_accept_directive(Ptx *, const char *);
/* takes this character; false: another one stands there (reported) */
bool tok_expect(Ptx *, char, const char *where);
/* the text of a token for messages, cut at 40 characters */
const char *tok_text(const Ptx *, const PtxToken *);
char *tok_name(Ptx *);  /* takes the word at hand and returns a copy; NULL (reported): there is no word */
void tok_skip_statement(Ptx *);  /* goes behind the next ';' outside of braces, or to a '}' */
bool tok_skip_braces(Ptx *);  /* at '{': goes behind the '}' that closes it; false: there is none */

/* ---- expr.c ---- */
/* type: T_S64, T_U64, T_F64, or T_F32 of a 0f literal */
typedef struct Const { uint8_t type; uint64_t bits; } Const;
bool ptx_constant(Ptx *, Const *);                   /* reads a constant expression */
/* reads a constant expression that must have an integer value */
bool ptx_const(Ptx *, int64_t *value);
bool ptx_const_small(Ptx *, uint64_t limit, uint32_t *value, const char *what);

/* ---- decl.c, init.c ---- */
typedef struct Decl {       /* a declaration: .space .align 8 .v2 .b32 name[3][4] */
	Type type;
	int vec;
	uint32_t align;
	bool array;
	int ndim;
	uint64_t dim[8];        /* size of each dimension; the parts of a vector are the last one */
	uint64_t count;         /* elements; 0: the size is left out, as in name[] */
	uint64_t size;
	const char *name;
	Loc loc;
	bool pointer;  /* .ptr: the parameter points to memory of `space`, aligned to points_align bytes */
	uint8_t space;
	uint32_t points_align;
	Refusal refused;        /* the reason, if gsim does not have its type */
} Decl;
Type ptx_type_directive(const PtxToken *);  /* the type that a directive such as .u32 names; T_NONE: none */
bool ptx_type(Ptx *, Decl *);  /* reads [.align n] [.v2] .type with .ptr annotations, up to the name */
bool ptx_usable(Ptx *, const Decl *);  /* false: gsim does not have the type, and the function is refused */
bool ptx_declarator(Ptx *, Decl *);                 /* reads name and dimensions, and computes the size */
bool ptx_variable(Ptx *, Space, bool external);     /* reads from behind .space to behind ';' */
bool ptx_texture(Ptx *, bool external);             /* the same for a texture, from behind .tex */
/* makes a local variable that the source does not have, such as a copy of a parameter; returns the id of its
   symbol */
int ptx_local_bytes(Ptx *, const char *name, uint32_t size, uint32_t align);
/* reads the initial value of a variable, from behind '=' */
bool ptx_init(Ptx *, Symbol *, int id, const Decl *);
void ptx_resolve_inits(Ptx *);

/* ---- module.c ---- */
bool ptx_loc(Ptx *);                                  /* reads a .loc directive */

/* ---- header.c ---- */
/* reads a function from behind .entry or .func; after an error goes on behind the function */
bool ptx_function(Ptx *, bool entry);
bool ptx_same_prototype(const Function *, const Function *);

/* ---- alias.c ---- */
bool ptx_alias(Ptx *);                                /* reads an .alias directive */
/* when all functions are read: replaces second names by the functions for which they stand */
void ptx_resolve_aliases(Ptx *);

/* ---- func.c ---- */
bool body_scope(Ptx *);                               /* opens a scope in the current one */
bool body_read(Ptx *);  /* reads a body from '{' to behind its '}'; completes the function, or refuses it */
void body_free(Body *);
bool ptx_registers(Ptx *);                            /* declares registers, from behind .reg */
/* what a name of the body stands for, from the innermost scope outwards; NULL: not declared */
Entity *ptx_find(Ptx *, const char *name);
bool ptx_declare(Ptx *, const char *name, Entity, Loc);
/* makes a register, with a unique IR name made of the PTX name; NULL: a temporary */
int ptx_new_reg(Ptx *, const char *name, Type);
/* Makes a name that is not taken of this one and a number, `least` or more. Body.suffix holds the numbers
   found taken, so that they are not tried again for each name. */
const char *ptx_rename(Ptx *, Arena *, const char *name, int least,
	bool (*is_taken)(const Ptx *, const char *));

/* ---- module_reg.c ---- */
bool ptx_module_reg(Ptx *, const char *name, Type, Loc); /* declares a register of module scope */
/* notes that the function being read has register `reg` for it */
void ptx_use_module_reg(Ptx *, int id, int reg);
/* when all functions are read: emits what passes the values of these registers between functions */
void ptx_pass_module_regs(Ptx *);

/* ---- flow.c ---- */
typedef struct Guard { int reg; bool neg; } Guard;    /* a guard; reg -1: there is none */
Block *flow_block(Ptx *);  /* the block to which instructions go now; starts one if there is none */
/* appends an instruction with the current source place; refuses one that breaks the rules of the IR */
void flow_emit(Ptx *, Ins *);
void flow_label(Ptx *, const char *name, Loc);
void flow_branch(Ptx *, Guard, const char *label, Loc, int flags);
void flow_end(Ptx *, Op, Guard, int flags);           /* ends the block with ret, exit or trap */
void flow_brx(Ptx *, Guard, Opd index, const char *list, Loc, int flags);
bool flow_targets(Ptx *, const char *name, Loc);
bool flow_pragma(Ptx *);                              /* reads a .pragma directive in a body */
void flow_finish(Ptx *);                              /* resolves labels and completes the function */
/* removes blocks that have no label of the source and that nothing leads to */
void flow_drop_unreachable(Function *);

/* ---- operand.c ---- */
typedef enum { A_SINK, A_REG, A_INT, A_F32, A_F64, A_SREG, A_SYM, A_KPARAM, A_PVAR, A_FUNC, A_ADDR } ArgKind;
typedef struct Arg {
	uint8_t kind, base;      /* ArgKind; base: ArgKind of what stands in the brackets of an address */
	bool neg;                /* a predicate is negated: !%p */
	int id;                  /* number of the register, special register, symbol, parameter or function */
	int64_t imm;             /* value of a number (bits of a floating-point one); offset of an address */
	Loc loc;
} Arg;
/* one operand between commas: n arguments, of which the first is arg[first]. vector: {a, b}; dual: a|b */
typedef struct ArgGroup { int first, n; bool vector, dual; Loc loc; } ArgGroup;
typedef struct Args { Vec(Arg) arg; Vec(ArgGroup) group; } Args;
bool ptx_args(Ptx *, Args *);                         /* reads operands up to the ';', which is not taken */
bool ptx_arg(Ptx *, Arg *);                           /* reads one register, number or name */
void args_free(Args *);

/* ---- bind.c ---- */
/* makes an operand of an argument: a number becomes an immediate of the type; checks nothing else */
bool bind_opd(Ptx *, const Arg *, Type, Opd *);
/* gives *i the operands that the operation table asks for, and appends it to the current block */
bool bind_ins(Ptx *, Ins *, const Args *, Guard);
/* false (reported): a register argument has not the width of the type, or a greater one if `wider` */
bool bind_width(Ptx *, const Arg *, Type, bool wider);
Opd bind_register(Ptx *, Opd, Type, Guard);  /* emits a move of the operand to a new register; returns that */
/* canonical form of an immediate: sign-extended from the width of the type; of .f32 zero-extended, of .pred 0
   or 1 */
int64_t bind_imm(Type, int64_t);
void bind_emit(Ptx *, Op, Type, Type type2, Guard, Opd d, int nsrc, const Opd *src);

/* ---- stmt.c ---- */
bool ptx_statement(Ptx *);                            /* reads an instruction: [@p] op operands ; */

/* ---- expand.c ---- */
/* true: the mnemonic is one that expand.c writes out; *ok: the instruction was read without an error */
bool ptx_expand(Ptx *, const char *mnemonic, size_t n, Guard, bool *ok);

/* ---- unsupported.c ---- */
/* the feature to which a PTX operation belongs that gsim does not have, such as "textures"; NULL: none */
const char *ptx_unsupported(const char *mnemonic, size_t n);

/* ---- runtime.c ---- */
/* puts operations in the place of such calls in the whole module, or refuses them */
void ptx_runtime_calls(Ptx *);

/* ---- paramvar.c, call.c ---- */
bool ptx_count(Ptx *, int words, Loc);     /* adds to Ptx.words; false (reported): the file has too many */
/* declares a .param variable; returns its id, or -1 (reported) */
int ptx_pvar(Ptx *, PvarRole, const Decl *);
int pvar_word(Ptx *, Pvar *, int k);                  /* the register of word k, which is made if need be */
bool pvar_load(Ptx *, const Ins *, const Args *, Guard);
bool pvar_store(Ptx *, const Ins *, const Args *, Guard);
/* address of a local copy of a parameter, which is made if the address is taken */
bool pvar_address(Ptx *, int id, Loc, Opd *);
/* emits the prologue: copies parameters to local memory, sets results to 0 that are stored in parts */
void pvar_finish(Ptx *);
bool ptx_call(Ptx *, Guard, int flags);               /* reads a call from behind call[.uni] */

#endif
