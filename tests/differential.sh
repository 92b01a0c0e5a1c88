#!/bin/sh
# A few seconds of differential testing; tools/differential is the long run. Kernels that fail are left in the build folder.
exec ./differential --count "${DIFFERENTIAL_COUNT:-60}" --seed 1 --minimize --keep .
