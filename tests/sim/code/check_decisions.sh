#!/bin/sh
# As many lanes decide at each branch of the source under every mechanism, whatever passes have made of the branches and mechanisms of the code.
# Without profiles, which are of a mechanism: passes make the same code for all.
gsim=${GSIM:-./gsim}
src=${srcdir:-.}
bad=0
lanes() { # of each branch of the source, by its label
	"$gsim" -q --functional --no-profile -p "$2" -m "$3" -s decisions.json "$src/kernels/$1/$1.ptx" || exit 1
	awk -F'"label": "' '/"kind": "(branch|decision|indexed branch)"/ {
		label = $2; sub(/".*/, "", label); n = $2; sub(/.*"lanes": /, "", n); sum[label] += n + 0
	} END { for (k in sum) print k, sum[k] }' decisions.json | sort
}
for kernel in short_circuit queens; do
	for passes in none linearize linearize,simplify-cfg,if-convert,copy-prop,dce; do
		lanes $kernel $passes ipdom >decisions.ipdom
		grep -q '[1-9]' decisions.ipdom || { echo "$kernel, $passes: no branches"; bad=1; }
		for model in exec_mask 'token(loop_codegen=pbk_brk)' 'its(registers=1)' tf_stack; do
			lanes $kernel $passes "$model" | diff decisions.ipdom - || { echo "$kernel, $passes: ipdom and $model differ"; bad=1; }
		done
	done
done
rm -f decisions.json decisions.ipdom
exit $bad
