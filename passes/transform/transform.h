/* The passes, one file each.

   passes/transform/ may include passes/, isa/ and lib/. */
#ifndef GSIM_TRANSFORM_H
#define GSIM_TRANSFORM_H
#include "passes/pass.h"

extern const Pass pass_bkf;
extern const Pass pass_branch_fusion;
extern const Pass pass_const_prop;
extern const Pass pass_copy_prop;
extern const Pass pass_cse;
extern const Pass pass_dce;
extern const Pass pass_esrqp;
extern const Pass pass_fkf;
extern const Pass pass_flatten;
extern const Pass pass_forward_stores;
extern const Pass pass_gcse;
extern const Pass pass_global_dce;
extern const Pass pass_if_convert;
extern const Pass pass_kf_trad;
extern const Pass pass_kfcm;
extern const Pass pass_lcm;
extern const Pass pass_linearize;
extern const Pass pass_loop_rotate;
extern const Pass pass_meld;
extern const Pass pass_pre;
extern const Pass pass_preqp;
extern const Pass pass_scm;
extern const Pass pass_simplify_cfg;
extern const Pass pass_split_edges;
extern const Pass pass_spre;
extern const Pass pass_sscm;
extern const Pass pass_srqp;
extern const Pass pass_ssrqp;
extern const Pass pass_ssrqp_s;
extern const Pass pass_structurize;
extern const Pass pass_tail_merge;
extern const Pass pass_unroll;
extern const Pass pass_webs;
#endif
