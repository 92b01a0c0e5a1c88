#!/bin/sh
# Melding never makes lanes wait for each other that did not before: one arm works and then gives a sign, the other waits for the sign and then does the same
# work, or the other way around. Whatever mechanism ends with the kernel as it is ends with the melded one, too; and where no order is at stake, arms that
# give signs and wait are melded.
sim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
configs=${srcdir:-.}/configs
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 ended=0 refused=0 melded=0

work() { printf '%%x = mul.lo.u32 %%t, %s\n%%x = div.u32 %%x, 7\nst.global.u32 [%%o+%s], %%x\n' "$1" "$2"; }
sign() { # kind
	case $1 in
	volatile | called) echo 'st.volatile.global.u32 [%f], 1' ;;
	plain) printf 'st.global.u32 [%%f], 1\nmembar.gl\n' ;;
	release) echo 'st.release.gpu.global.u32 [%f], 1' ;;
	atomic) echo '%y = atom.global.exch.b32 [%f], 1' ;;
	add) echo 'red.global.add.u32 [%f], 1' ;;
	barrier) echo 'bar.sync 1, 32' ;;
	end) echo 'exit' ;;
	esac
}
wait_for() { # kind, label
	case $1 in
	volatile | plain | add) printf 'bra %s\n%s: %%y = ld.volatile.global.u32 [%%f]\n%%q = setp.eq.u32 %%y, 0\nbra %%q, %s, %s_on\n%s_on:\n' "$2" "$2" "$2" "$2" "$2" ;;
	release) printf 'bra %s\n%s: %%y = ld.acquire.gpu.global.u32 [%%f]\n%%q = setp.eq.u32 %%y, 0\nbra %%q, %s, %s_on\n%s_on:\n' "$2" "$2" "$2" "$2" "$2" ;;
	atomic) printf 'bra %s\n%s: %%y = atom.global.add.u32 [%%f], 0\n%%q = setp.eq.u32 %%y, 0\nbra %%q, %s, %s_on\n%s_on:\n' "$2" "$2" "$2" "$2" "$2" ;;
	called) echo 'call spin, (%f)' ;;
	barrier | end) printf 'bra %s\n%s: bar.sync 1, 32\nbra %s_on\n%s_on:\n' "$2" "$2" "$2" "$2" ;;
	esac
}
# kernel: kind, form (late: the one who waits works afterwards; early: before), sense of the branch ("" or
# "!")
kernel() {
	printf 'kernel k(u64 flag, u64 out) {\nreg u32 %%t, %%x, %%y\nreg u64 %%f, %%o\nreg pred %%c, %%q\n%%t = mov.u32 %%tid.x\n%%f = ld.param.u64 [flag]\n'
	printf '%%o = ld.param.u64 [out]\n%%o = mad.wide.u32 %%t, 8, %%o\n%%c = setp.lt.u32 %%t, 16\nbra %s%%c, A, W\n' "$3"
	printf 'A:\n%s\nbra A2\nA2:\n%s\n' "$(work 3 0)" "$(sign "$1")"
	[ "$1" = end ] || echo 'bra J'
	echo 'W:'
	if [ "$2" = late ]; then
		wait_for "$1" S
		work 5 0
	else
		work 5 0
		wait_for "$1" S
	fi
	printf 'bra J\nJ:\nst.global.u32 [%%o+4], 5\nexit\n}\n'
	printf 'func spin(u64 %%p) {\nreg u32 %%y\nreg pred %%q\nbra S\nS: %%y = ld.volatile.global.u32 [%%p]\n%%q = setp.eq.u32 %%y, 0\nbra %%q, S, E\nE: ret\n}\n'
	printf 'host main() {\n%%a = alloc.u64 4096\n%%b = alloc.u64 64\nlaunch k, (1, 1, 1), (32, 1, 1), 0, (%%b, %%a)\nexit\n}\n'
}
ends() { # mechanism, passes: does the kernel end?
	"${srcdir:-.}/tests/within" 60 "$sim" --functional -q --alone -c "$configs/turing.lua" -m "$1" -p "$2" "$tmp/k.ir" >"$tmp/said" 2>&1
	case $? in
	0) return 0 ;;
	1) grep -qE 'deadlock|livelock|barrier' "$tmp/said" && return 1 ;;
	esac
	echo "$1, $2: neither end nor deadlock:"; cat "$tmp/said" "$tmp/k.ir"; bad=1
	return 1
}
for kind in volatile plain release atomic add called barrier end; do
	for form in late early; do
		for sense in '' '!'; do
			kernel $kind $form "$sense" >"$tmp/k.ir"
			"$opt" -p meld --remarks -o "$tmp/out.ir" "$tmp/k.ir" 2>"$tmp/said" || { cat "$tmp/said" "$tmp/k.ir"; bad=1; }
			if [ $form = late ]; then
				grep -q 'each arm would wait for the other' "$tmp/said" && refused=$((refused + 1))
			else
				grep -q ' become one: ' "$tmp/said" && melded=$((melded + 1))
			fi
			for model in ipdom its tf_stack multi_path; do
				ends $model none || continue
				ended=$((ended + 1))
				ends $model meld || { echo "$kind, $form, $model: melding makes it wait for ever"; cat "$tmp/said"; bad=1; }
			done
		done
	done
done
echo "$ended runs end, $refused kernels are not melded for what they wait for, $melded are melded"
[ $ended -gt 60 ] && [ $refused -ge 12 ] && [ $melded -ge 10 ] || bad=1
exit $bad
