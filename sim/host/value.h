/* Convert elements of buffers to numbers and back. Simulated memory is little-endian, like all hosts that
   gsim supports. */
#ifndef GSIM_VALUE_H
#define GSIM_VALUE_H
#include "isa/ir.h"

static inline uint64_t value_bits(Type t, const uint8_t *data, uint64_t i)
{
	uint64_t v = 0;
	size_t n = (size_t)type_bytes(t);
	for (size_t k = 0; k < n; k++)
		v |= (uint64_t)data[i * n + k] << 8 * k;
	return v;
}

/* The element as an integer, sign-extended if the type is signed. */
static inline int64_t value_integer(Type t, const uint8_t *data, uint64_t i)
{
	uint64_t v = value_bits(t, data, i);
	int spare = 64 - type_bits[t];
	return type_kind[t] == 'S' ? (int64_t)(v << spare) >> spare : (int64_t)v;
}

static inline double value_real(Type t, const uint8_t *data, uint64_t i)
{
	uint64_t v = value_bits(t, data, i);
	uint32_t low = (uint32_t)v;
	float f;
	double d;
	memcpy(&f, &low, sizeof f);
	memcpy(&d, &v, sizeof d);
	return t == T_F64 ? d : t == T_F32 ? (double)f
		: type_kind[t] == 'S' ? (double)value_integer(t, data, i) : (double)v;
}

static inline void value_store(Type t, uint8_t *data, uint64_t i, uint64_t bits)
{
	size_t n = (size_t)type_bytes(t);
	for (size_t k = 0; k < n; k++)
		data[i * n + k] = (uint8_t)(bits >> 8 * k);
}

static inline uint64_t value_of_real(Type t, double v)
{
	uint64_t bits = 0;
	float f = (float)v;
	if (t == T_F64)
		memcpy(&bits, &v, sizeof v);
	else
		memcpy(&bits, &f, sizeof f);
	return bits;
}
#endif
