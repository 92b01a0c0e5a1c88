#!/bin/sh
# A few random pairs of modules for gsim -b; tools/pairs is the long run.
./pairs --count 24 --seed 300 >pairs.out || { cat pairs.out; exit 1; }
# there are enough of each kind
awk '/ pairs: / { few = $3 < 6 || $5 < 4 } END { exit few }' pairs.out || { echo "few pairs of a kind:"; cat pairs.out; exit 1; }
# programs that are wrong about pairs are found: one that praises everything, one that finds all different, and
# one that judges
wrong() {
	printf '#!/bin/sh\n%s\n' "$2" >pairs-gsim
	chmod +x pairs-gsim
	status=0
	./pairs --count 8 --seed 300 --gsim ./pairs-gsim >pairs.out || status=$?
	[ $status = 1 ] && grep -q "$1" pairs.out || { echo "no '$1' of a program that does $2"; cat pairs.out; exit 1; }
	rm -f random-pair-*.ir
}
wrong "different results do not give status 1" 'echo "b: 1 % fewer cycles; results equal"'
wrong "equal results do not give status 0" 'echo "RESULTS DIFFER"; exit 1'
wrong "figures are judged though results differ" 'echo "RESULTS DIFFER"; echo "cycles 1 2 better"; exit 1'
for bad in "--count x" "--gsim /nonexistent" extra --nonsense; do
	status=0
	# shellcheck disable=SC2086
	./pairs $bad >pairs.out 2>&1 || status=$?
	[ "$status" = 2 ] && [ -s pairs.out ] || { echo "pairs $bad: status $status"; cat pairs.out; exit 1; }
done
rm -f pairs.out pairs-gsim
