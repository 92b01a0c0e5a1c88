#!/bin/sh
# Laws of melding on the paper's synthetic programs and the seven that it measures: of a higher threshold no more melds, and what each technique does to
# which form (table I).
opt=${GSIM_OPT:-./gsim-opt}
kernels=${srcdir:-.}/kernels
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

melded() { # pipeline, file, kernel or "": stretches that have been melded, or tails merged
	"$opt" --pass-stats -p "$1" -o "$tmp/out.ir" "$2" 2>"$tmp/stats" || { cat "$tmp/stats"; bad=1; }
	awk -v k="$3" '($3 == k || k == "") && /stretches melded|tails merged/ { n += $NF } END { print n + 0 }' "$tmp/stats"
}

: >"$tmp/sums"
for file in "$kernels"/melding/*.ir "$kernels"/bitonic_sort/*.ptx "$kernels"/pcm/*.ptx "$kernels"/merge_sort/*.ptx "$kernels"/lu/*.ptx "$kernels"/queens/*.ptx \
	"$kernels"/srad/*.ptx "$kernels"/dct_quantization/*.ptx; do
	for threshold in 1 10 20 30 40 50; do
		echo "$(melded "meld(threshold=$threshold)" "$file" "") $threshold ${file#"$kernels"/}"
	done >>"$tmp/sums"
done
awk '{ sum[$2] += $1; of[$3, $2] = $1; names[$3] = 1 }
	END {
		n = split("1 10 20 30 40 50", at, " ")
		for (name in names) {
			line = ""
			for (k = 1; k <= n; k++) line = line sprintf(" %4d", of[name, at[k]])
			print line, name
		}
		for (k = 1; k <= n; k++) line = (k == 1 ? "" : line) sprintf(" %4d", sum[at[k]])
		print line, "all"
		for (k = 2; k <= n; k++) if (sum[at[k]] > sum[at[k - 1]]) { print "threshold " at[k] " melds more than " at[k - 1]; exit 1 }
		exit !(sum[1] > 20 && sum[50] < sum[1])
	}' "$tmp/sums" || bad=1

pattern() { # tail-merge, branch-fusion, meld: yes or no; file, kernel
	for row in "tail-merge $1" "branch-fusion $2" "meld $3"; do
		n=$(melded "${row% *}" "$kernels/melding/$4" "$5")
		[ "$n" -gt 0 ] && got=yes || got=no
		[ $got = "${row#* }" ] || { echo "$5: ${row% *} merges $n, expected: ${row#* }"; bad=1; }
	done
}
pattern yes yes yes diamond.ir sb1     # a diamond with the same instructions on both sides
pattern no yes yes diamond.ir sb1r     # with distinct ones
for name in sb2 sb2r; do pattern no no yes if_then.ir $name; done
for name in sb3 sb3r; do pattern no no yes nested.ir $name; done
for name in loops loops_r; do pattern no no yes loops.ir $name; done
exit $bad
