#!/bin/sh
# Livelocks of threads that count while they wait: a register that decides nothing does not hide them, and one that may end the loop, in whatever
# way, is never overlooked. Lanes 1 to 31 stay in the loop, under tf_stack before lane 0 can give the sign; the limits are short.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# kernel LOOP [BEHIND]: the lines in front of the loop's branch, which goes on while %d; what all do in the end
kernel() {
	cat <<END
kernel counts(u64 out)
{
	reg u32 %v, %t, %i, %j
	reg u64 %p, %q
	reg pred %c, %d
A:
	%p = ld.param.u64 [out]
	%t = mov.u32 %tid.x
	%i = mov.u32 0
	%j = mov.u32 0
	%q = mov.u64 %p
	%c = setp.eq.u32 %t, 0
	bra %c, G, L
G:
	st.volatile.global.u32 [%p], 1
	bra J
L:
	%v = ld.volatile.global.u32 [%p]
	%i = add.u32 %i, 1
	%d = setp.eq.u32 %v, 0
	$(printf "$1")
	bra %d, L, J
J:
	$2
	exit
}
host main()
{
	reg u64 %o
s:
	%o = alloc.u64 4096
	launch counts, (1, 1, 1), (32, 1, 1), 0, (%o)
	exit
}
END
}
# run STATUS MESSAGE LOOP [BEHIND]
run() {
	kernel "$3" "$4" >"$tmp/k.ir"
	for how in --functional ''; do
		"$gsim" -q --alone $how -c kepler.lua -D limits.progress_cycles=300 -D limits.max_cycles=400000 -m tf_stack "$tmp/k.ir" >"$tmp/said" 2>&1
		status=$?
		[ -s "$tmp/said" ] || echo >"$tmp/said"
		[ $status = "$1" ] && grep -q "$2" "$tmp/said" && continue
		echo "FAILED: status $1 and '$2' expected $how:"
		cat "$tmp/said" "$tmp/k.ir"
		failed=1
	done
}
run 1 'error: livelock' ''
run 1 'error: livelock' '' 'st.global.u32 [%p+64], %i'                        # counted for what stands behind the loop
run 1 'error: livelock' 'nanosleep.u32 %%i'                                   # sleeps longer and longer
run 1 'error: livelock' '@%%d %%j = add.u32 %%j, %%i\n%%c = setp.gt.u32 %%j, 9' 'st.global.u32 [%p+64], %j'
run 1 'error: livelock' '%%j = ld.global.u32 [%%q+16]\n%%i = add.u32 %%i, %%j' # what is loaded decides nothing
# the loop ends by what was counted, soon: by a comparison, a chain of copies, a guard, the address of a load
run 0 '^$' '%%c = setp.lt.u32 %%i, 700\n%%d = and.pred %%d, %%c'
run 0 '^$' '%%j = mov.u32 %%i\n%%j = shr.u32 %%j, 7\n%%c = setp.lt.u32 %%j, 5\n%%d = and.pred %%d, %%c'
run 0 '^$' '%%c = setp.gt.u32 %%i, 700\n@%%c %%d = setp.ne.u32 %%i, %%i'
run 0 '^$' '%%c = setp.gt.u32 %%i, 700\nbra %%c, X, M\nX:\nexit\nM:'
run 1 'access outside every allocation' '%%q = add.u64 %%q, 4\n%%j = ld.global.u32 [%%q]'
# or never within the limit
run 1 'limits.max_cycles = 400000' '%%c = setp.lt.u32 %%i, 3000000000\n%%d = and.pred %%d, %%c'
exit $failed
