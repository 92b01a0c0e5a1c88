/* Numbers that a host gives, as elements of buffers and parameters of kernels: what a Lua workload and a
   program that calls the library have in common. */
#ifndef GSIM_PARAMETER_H
#define GSIM_PARAMETER_H
#include "isa/ir.h"

enum { MAX_PARAM_BYTES = 1 << 16 };    /* of all parameters of a kernel */
enum { PARAMETER_NAME = 200 };

/* The number as the bits of an element or parameter of the type. False: it does not fit. */
bool integer_bits(int64_t v, Type, uint64_t *bits);
bool real_bits(double v, Type, uint64_t *bits);
static inline bool holds_address(Type t) { return type_bits[t] == 64 && type_kind[t] != 'F'; }

/* The type of elements that a host names: u8 to u64, s8 to s64, f32, f64. T_NONE: there is no such one. */
Type element_named(const char *name);
#define ELEMENTS "u8 s8 u16 s16 u32 s32 u64 s64 f32 or f64"

/* "argument 2 (n) of axpy", for messages. */
const char *parameter_name(const Function *kernel, int i, char text[PARAMETER_NAME]);
/* Adds "kernel axpy takes 2 arguments: u64 x, u32 n; 1 given". */
void parameters_print(const Function *kernel, int given, struct StrBuf *);
#endif
