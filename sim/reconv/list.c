/* The table of all mechanisms, in the order of sim/config/mechanisms.def. */
#include "sim/reconv/seam.h"

#define MODEL(NAME) extern const ReconvModel reconv_##NAME;
#include "sim/config/mechanisms.def"
#undef MODEL
const ReconvModel *const reconv_models[] = {
#define MODEL(NAME) &reconv_##NAME,
#include "sim/config/mechanisms.def"
#undef MODEL
	NULL
};
enum { MODELS = sizeof reconv_models / sizeof *reconv_models - 1 };

const ModelKeys *model_keys(int model)
{
	return model < 0 || model >= MODELS ? NULL : &reconv_models[model]->keys;
}
