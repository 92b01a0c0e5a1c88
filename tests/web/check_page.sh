#!/bin/sh
# The page of gsim-trace --html in Chromium, without a window. Skipped where there is none.
lua=lua5.4
command -v $lua >/dev/null 2>&1 || lua=lua
found=
for name in "${CHROMIUM:-chromium}" chromium-headless-shell chromium-browser google-chrome; do
	command -v "$name" >/dev/null 2>&1 && found=$name && break
done
if [ -z "$found" ]; then
	echo "skipped: no Chromium is installed, so the page is not looked at"
	exit 77
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gsim-page.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap '' PIPE    # a browser that has ended is an error with a message
GSIM_PATH=${srcdir:-.}/configs
export GSIM_PATH
CHROMIUM=$found $lua "${srcdir:-.}/tests/web/check_page.lua" "$tmp" "${GSIM:-./gsim}" "${GSIM_TRACE:-./gsim-trace}"
