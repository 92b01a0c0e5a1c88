/* --on: the module on a real GPU, beside the simulated run or alone. */
#ifndef GSIM_ON_GPU_H
#define GSIM_ON_GPU_H
#include "tools/job.h"

/* Finds the CUDA driver, opens a GPU and has the driver compile the module. False, with errors in s->diag:
   there is none, or it does not work. */
bool on_gpu_open(Session *);
void on_gpu_run(Session *, Job *);
/* Compares the results of the simulated run and of the GPU's; an exit status. */
int on_gpu_compare(Job *simulated, const Job *gpu);
/* Shows the GPU and how long each kernel took there. simulated: the run beside it, or NULL. */
void on_gpu_show(const Session *, const Job *gpu, const Job *simulated);
/* Closes the GPU. A launch may run on; the program then ends here, with this status. */
void on_gpu_close(Session *, int status);
#endif
