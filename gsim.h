/* libgsim: the interface of the simulator for programs. */
#ifndef GSIM_H
#define GSIM_H
#define GSIM_VERSION_MAJOR 0
#define GSIM_VERSION_MINOR 1
#define GSIM_VERSION_PATCH 0
#define GSIM_VERSION "0.1.0"
#endif
