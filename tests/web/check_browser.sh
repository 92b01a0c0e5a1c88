#!/bin/sh
# Tests of pages do not wait for ever: a browser that dies while it starts, hangs, or dies later ends them with a message. No Chromium is needed.
lua=lua5.4
command -v $lua >/dev/null 2>&1 || lua=lua
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gsim-browser.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap '' PIPE
srcdir=${srcdir:-.}
export srcdir
failed=0

# name, what the message has, the browser's script
check() {
	printf '#!/bin/sh\n%s\n' "$3" >"$tmp/$1"
	chmod +x "$tmp/$1"
	mkdir "$tmp/files-$1"
	CHROMIUM=$tmp/$1 FOLDER=$tmp/files-$1 GSIM_BROWSER_SECONDS=1 timeout 60 $lua -e '
		local b = dofile(os.getenv("srcdir") .. "/tests/web/browser.lua").start(os.getenv("FOLDER"))
		b:open("about:blank")' >"$tmp/said" 2>&1 </dev/null
	status=$?
	[ $status = 1 ] || { echo "a browser that $1: exit status $status, expected 1"; failed=1; }
	grep -q "$2" "$tmp/said" || { echo "a browser that $1: no '$2' in"; cat "$tmp/said"; failed=1; }
}
check dies 'did not start (3 of 3): the browser has ended.* it said: no library' 'echo no library >&2; exit 1'
check hangs 'no browser could be started' 'exec sleep 30'
check dies-later 'the browser has ended' "printf '{\"id\":1,\"result\":{}}\\0' >&4; sleep 0.2; exit 1"
exit $failed
