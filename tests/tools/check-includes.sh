#!/bin/sh
# The arrows between the folders hold, and tools/check-includes finds each kind of wrong one.
set -e
tool=${srcdir:-.}/tools/check-includes
"$tool" "${srcdir:-.}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/sim/code" "$dir/sim/report" "$dir/sim/reconv/its" "$dir/sim/host" "$dir/lib" "$dir/isa" "$dir/passes" "$dir/sim" "$dir/traces" "$dir/tools"
echo '#include "lib/b.h"' >"$dir/lib/a.c"
"$tool" "$dir"
wrong() { # file, line of text
	echo "$2" >"$dir/$1"
	if "$tool" "$dir" >"$dir/out"; then
		echo "$1: $2 was accepted"
		exit 1
	fi
	grep -q "^$1:1: error: " "$dir/out"
	rm "$dir/$1"
}
wrong lib/x.c '#include "isa/ir.h"'
wrong isa/x.h '#include "passes/pass.h"'
wrong isa/x.c '  #  include "sim/config/config.h"'
wrong passes/x.c '#include "sim/config/config.h"'
wrong traces/x.c '#include "isa/ir.h"'
wrong passes/x.c '#include "traces/trace.h"'
wrong sim/x.c '#include "tools/front.h"'
wrong sim/x.c '#include "stats.h"'
wrong sim/x.c '#include "sim/config/config.h"'
wrong sim/code/x.h '#include "sim/reconv/seam.h"'
wrong sim/reconv/its/x.c '#include "sim/machine/machine.h"'
wrong sim/host/x.c '#include "sim/report/report.h"'
wrong sim/host/x.c '#include "sim/machine/machine.h"'
wrong sim/host/x.c '#include "gsim.h"'
wrong tools/x.c '#include "gsim.h"'
wrong sim/report/x.c '#include "sim/api/api.h"'
wrong sim/x.c '#include <zlib.h>'
wrong tools/x.c '#include <libelf.h>'
wrong lib/x.c '#include "tests/check.h"'
"$tool" "$dir"
