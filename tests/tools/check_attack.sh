#!/bin/sh
# What a stranger's module, workload, report or trace can do to the files and the terminal of who runs it: nothing.
srcdir=${srcdir:-$(dirname "$0")/../..}
build=${GSIM_BUILD:-$PWD}
gsim=$build/gsim compare=$build/gsim-compare opt=$build/gsim-opt trace=$build/gsim-trace
GSIM_PATH=$(cd "$srcdir" && pwd)
export GSIM_PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' "$tmp/out" "$tmp/err" | cut -c 1-200 | head -20
	failed=1
}

# expect STATUS TEXT COMMAND...: the exit status, and a text that the output has ("" = none wanted); what
# hangs is ended with another status
expect() {
	want=$1 text=$2
	shift 2
	timeout 600 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" "$tmp/out" "$tmp/err" || fail "$*: no '$text'"
}

# ---- what a workload saves ----
mkdir -p save/.git save/sub
cd save || exit 2
printf 'kernel k()\n{\nA:\n\texit\n}\n' >k.ir
echo before | tee .git/config .bashrc old.txt >sub/.hidden
ln -s old.txt link.txt
for name in .git/config .bashrc sub/.hidden ./.new old.txt link.txt ../save/old.txt; do
	echo "gpu.buffer('u8', 7):save('$name')" >k.lua
	expect 2 "k.lua:1: error: cannot save $name: " "$gsim" -q k.ir
	echo "pcall(function() gpu.buffer('u8', 7):save('$name') end)" >k.lua # also where the workload hides the error
	expect 0 "" "$gsim" -q k.ir
done
for kept in .git/config .bashrc sub/.hidden old.txt; do
	[ "$(cat $kept)" = before ] || fail "$kept was written over"
done
[ "$(ls -A | tr '\n' ' ')" = ".bashrc .git k.ir k.lua link.txt old.txt sub " ] || fail "files were left: $(ls -A | tr '\n' ' ')"
echo "gpu.buffer('u8', 7):save('out.bin')" >k.lua
expect 0 "" "$gsim" -b -p dce k.ir # both runs save it
expect 2 "cannot save out.bin: the file exists, and this run has not written it (.*--files DIR" "$gsim" -q k.ir
expect 0 "" "$gsim" -q --files . k.ir
echo "gpu.buffer('u8', 7):save('old.txt')" >k.lua
expect 0 "" "$gsim" -q --files . k.ir
[ "$(cat old.txt)" = before ] && fail "--files lets old files be written over"
mkfifo q.lua && printf 'kernel k()\n{\nA:\n\texit\n}\n' >q.ir
expect 2 "cannot read the workload q.lua: it is no ordinary file" "$gsim" -q q.ir
rm q.lua && ln -s k.lua q.lua
expect 2 "cannot read the workload q.lua: a symbolic link is not followed" "$gsim" -q q.ir
expect 0 "" "$gsim" -q --files . -w q.lua q.ir
cd ..

# ---- what a module, a report or a trace shows ----
mkdir -p home/.keys home/dl/sub project
echo "PRIVATE 1" | tee home/.keys/key home/above.cu project/private.cu >home/dl/.private.cu
echo "VISIBLE 1" | tee home/dl/own.cu >home/dl/sub/own.cu
cd home || exit 2
ln -s ../.keys/key dl/linked.cu
ln -s ../../project dl/up
mkfifo dl/fifo.cu
# k NAME SOURCE: a module with lines of the source
k() {
	printf '.version 7.5\n.target sm_75\n.address_size 64\n.file 1 "%s"\n.visible .entry k()\n{\n.reg .b32 %%r<3>;\n.loc 1 1 0\nmov.u32 %%r1, %%tid.x;\nret;\n}\n' "$2" >"dl/$1.ptx"
	echo 'gpu.launch{ kernel = "k", grid = 1, block = 32 }' >"dl/$1.lua"
}
for source in above.cu ../above.cu .keys/key "$tmp/project/private.cu" ../project/private.cu private.cu dl/linked.cu linked.cu up/private.cu dl/.private.cu \
	.private.cu fifo.cu "$tmp/home/dl/up/private.cu"; do
	k m "$source"
	expect 0 "" "$gsim" --html page.html -t m.trace -s m.json -s m.txt --annotate dl/m.ptx
	[ -s page.html ] && [ -s m.txt ] || fail "$source: no page or no text"
	grep -q PRIVATE page.html m.txt "$tmp/out" && fail "$source is shown"
	expect 0 "" "$trace" --html --source dl -o page.html m.trace
	expect 0 "" "$compare" --annotate --source dl m.json m.json
	grep -q PRIVATE page.html "$tmp/out" && fail "$source is shown of a report or a trace"
done
for source in own.cu dl/own.cu sub/own.cu "$tmp/home/dl/own.cu" /elsewhere/sub/own.cu; do
	k m "$source"
	expect 0 "VISIBLE" "$gsim" --html page.html -t m.trace -s m.json --annotate dl/m.ptx
	grep -q VISIBLE page.html || fail "the page does not show $source"
	expect 0 "VISIBLE" "$compare" --annotate --source dl m.json m.json
	expect 0 "VISIBLE" "$trace" --html --source dl m.trace
	# what a report or a trace names as its module decides nothing
	expect 0 "" "$compare" --annotate m.json m.json
	grep -q VISIBLE "$tmp/out" && fail "gsim-compare shows a source without --source"
	expect 0 "" "$trace" --html m.trace
	grep -q VISIBLE "$tmp/out" && fail "gsim-trace shows a source without --source"
done
sed "s|\"module\": .*|\"module\": \"$tmp/project/m.ir\",|; s|\"file\": .*own.cu\"|\"file\": \"$tmp/project/private.cu\"|" m.json >forged.json
grep -q 'project/private' forged.json || fail "the report is not forged"
expect 0 "" "$compare" --markdown --annotate --source dl forged.json forged.json
grep -q PRIVATE "$tmp/out" && fail "a forged report shows a file"
expect 2 "error: --source nowhere: expected a folder" "$compare" --annotate --source nowhere m.json m.json
for program in "$gsim" "$opt" "$trace"; do expect 2 "error: --source nowhere: expected a folder" "$program" --source nowhere m.trace; done
printf 'kernel SECRET() { exit }\n' | tee private.ir >dl/.private.ir
ln -s ../private.ir dl/linked.ir
mkfifo dl/fifo.ir
for name in ../private.ir "$tmp/home/private.ir" linked.ir fifo.ir .private.ir up/../private.ir sub; do
	echo "import \"$name\"" >dl/i.ir
	for program in "$gsim --list kernels" "$opt"; do
		expect 2 "dl/i.ir:1:8: error: " $program dl/i.ir
		grep -q SECRET "$tmp/out" "$tmp/err" && fail "import \"$name\" is followed"
	done
done
echo 'import "../private.ir"' >dl/i.ir
expect 0 SECRET "$gsim" --list kernels --source . dl/i.ir
expect 0 SECRET "$opt" --source . dl/i.ir
cd ..

# ---- a line of a source that would swallow the page's trace ----
mkdir swallow
echo 'int x; // <!--<script> </script>' >swallow/s.cu
sed 's/"[^"]*cu"/"s.cu"/' home/dl/m.ptx >swallow/s.ptx
cp home/dl/m.lua swallow/s.lua
expect 0 "" "$gsim" -q --html s.html swallow/s.ptx
grep -q 'int x; // \\u003c!--\\u003cscript> \\u003c/script>' s.html || fail "the page has no such line"
grep -q '<!--' s.html && fail "the page begins a comment"

# ---- what reaches the terminal ---- Names, and what a workload prints, would steer a terminal: with ESC,
# BEL, and CSI as one byte and as UTF-8. What is UTF-8 stays.
mkdir steer
evil=$(printf '\033[31m\a\233A\302\233B\342\202\254')
cat >steer/e.ir <<END
file 1 "f$evil.cu"
kernel \`k$evil\`(u64 a)
{
	reg u32 %x
	reg pred %p
\`L$evil\`: !loc 1:3
	%x = mov.u32 %tid.x
	%p = setp.lt.u32 %x, 5
	bra %p, B, C
B:
	%x = add.u32 %x, 1
	bra C
C:
	exit
}
END
cat >steer/e.lua <<END
local text = "k$evil"
print(text)
gpu.launch{ kernel = gpu.kernels()[1], grid = 1, block = 32, args = { gpu.buffer("u32", 32) } }
gpu.check(not gpu.args[1], text)
END
controls=$(printf '[\001-\010\013-\037\177\233]')
# shown STATUS TEXT PROGRAM OPTION...: shows a name, and neither control characters nor what is no UTF-8
shown() {
	expect "$@"
	LC_ALL=C grep -q "$controls" "$tmp/out" "$tmp/err" && fail "$*: control characters"
	grep -q 31m "$tmp/out" "$tmp/err" || fail "$*: no name"
}
mark='k?\[31m??A??B€'
shown 0 "$mark" "$gsim" steer/e.ir
shown 1 "steer/e.lua:4: error: check failed: $mark" "$gsim" -q steer/e.ir -- fails
shown 0 "^$mark$" "$gsim" --all --annotate=code -s e.json -s e.txt -t e.trace steer/e.ir
LC_ALL=C grep -q "$controls" e.txt && fail "a text of --stats has control characters"
shown 0 "L?\[31m??A??B€" "$gsim" --disassemble steer/e.ir
shown 0 "$mark" "$gsim" --remarks -b -p linearize,dce --pass-stats steer/e.ir
shown 0 "" "$gsim" --grid -m ipdom -m token -v steer/e.ir
shown 0 "" "$gsim" -q -s - steer/e.ir
shown 0 "" "$gsim" --list kernels steer/e.ir
shown 0 "" "$gsim" -q --record-host - steer/e.ir
shown 0 "Runs $mark of e.ir" "$gsim" --new-workload steer/e.ir
cp "$tmp/out" new.lua
expect 0 "" "$gsim" -q -w new.lua steer/e.ir
shown 0 '`k\\x1b\[31m\\x07\\x9bA\\xc2\\x9bB€`' "$opt" --dump --print-changed --remarks -p linearize steer/e.ir
"$opt" steer/e.ir >steer/again.ir
shown 0 "$mark" "$gsim" -w steer/e.lua steer/again.ir
shown 0 "" "$opt" --cfg "k$evil" steer/e.ir
shown 0 "" "$opt" --print costs steer/e.ir
shown 2 "no function \`$mark\` in " "$opt" --cfg "k$evil" home/dl/m.ptx
for form in --text --csv --summary --perfetto "--stack 280"; do shown 0 "" "$trace" $form e.trace; done
shown 0 "" "$compare" e.json e.json
shown 0 "" "$compare" --markdown --annotate=code e.json e.json
cat >steer/p.ptx <<'END'
.version 7.5
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[10] = { 107, 27, 91, 51, 49, 109, 7, 155, 10, 0 };
.visible .entry k()
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<2>;
	mov.u64 %rd1, text;
	cvta.global.u64 %rd2, %rd1;
	{
	.param .b64 p0;
	st.param.b64 [p0], %rd2;
	.param .b64 p1;
	st.param.b64 [p1], 0;
	.param .b32 ret;
	call.uni (ret), vprintf, (p0, p1);
	ld.param.b32 %r1, [ret];
	}
	ret;
}
END
echo 'gpu.launch{ kernel = "k", grid = 1, block = 1 }' >steer/p.lua
for how in "" --reference "-b -p dce"; do shown 0 '^k?\[31m??$' "$gsim" -q $how steer/p.ptx; done

# ---- names in tables ----
mkdir csv
printf 'kernel `axpy<int, "4">`()\n{\nA:\n\texit\n}\nkernel `=cmd()`()\n{\nA:\n\texit\n}\nkernel `cr\\rx`()\n{\nA:\n\texit\n}\nhost main() {\n\tlaunch `axpy<int, "4">`, 1, 1, 0, ()\n\tlaunch `=cmd()`, 1, 1, 0, ()\n\tlaunch `cr\\rx`, 1, 1, 0, ()\n\texit\n}\n' >csv/t.ir
expect 0 "" "$gsim" -q --interval 1000 -s t.csv -t t.trace csv/t.ir
grep -q ',"axpy<int, ""4"">",' t.csv && grep -q ",'=cmd()," t.csv || fail "--interval: names in CSV"
expect 0 "" "$gsim" -q --grid -m ipdom -s g.csv csv/t.ir
grep -q '^"axpy<int, ""4"">",' g.csv && grep -q "^'=cmd()," g.csv && grep -q '^cr?x,' g.csv || fail "--grid: names in CSV"
expect 0 "^1,'=cmd()," "$trace" --csv t.trace
for table in t.csv g.csv "$tmp/out"; do # all rows have as many columns as the head
	sed 's/"axpy<int, ""4"">"/axpy/g' "$table" | awk -F, '{ n[NF] } END { for (k in n) c++; exit c != 1 }' || fail "$table: rows of different lengths"
done

# ---- a full disk ----
if [ -c /dev/full ]; then
	full() {
		timeout 600 "$@" >/dev/full 2>"$tmp/err" </dev/null
		got=$?
		: >"$tmp/out"
		[ $got = 2 ] && grep -q 'standard output cannot be written' "$tmp/err" || fail "$* >/dev/full: status $got"
	}
	full "$gsim" steer/e.ir
	for option in "-q -s -" "-q -s - -b -p dce" "-q -s - --grid -m ipdom" --disassemble --print-config "--record-host - -q" "-q --html -" --new-workload "--list kernels"; do
		full "$gsim" $option steer/e.ir
	done
	for what in models passes configs parameters statistics operations options; do full "$gsim" --list $what; done
	for program in "$gsim" "$compare" "$opt" "$trace"; do
		full "$program" --help
		full "$program" --version
	done
	for option in "" --markdown --brief --annotate; do full "$compare" $option e.json e.json; done
	for option in "" "--print costs" --list; do full "$opt" $option steer/e.ir; done
	for form in --text --csv --summary --perfetto "--stack 280" --html; do full "$trace" $form e.trace; done
	for option in -s -t --html --record-host; do expect 2 "No space left" "$gsim" -q $option /dev/full steer/e.ir; done
	expect 2 "No space left" "$opt" -o /dev/full steer/e.ir
	expect 2 "No space left" "$trace" -o /dev/full e.trace
	expect 2 "No space left" "$trace" --html -o /dev/full e.trace
fi

[ $failed = 0 ]
