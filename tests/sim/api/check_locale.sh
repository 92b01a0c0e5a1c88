#!/bin/sh
# The public library in a program whose locale has a decimal comma and an order of letters of its own: all of check_api in German.
tmp=${TMPDIR:-/tmp}/gsim-locale.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
[ -x tests/sim/api/check_api ] || { echo "check_api is not built here"; exit 77; }
command -v localedef >/dev/null || { echo "no localedef here"; exit 77; }
localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" >"$tmp/out" 2>&1
LOCPATH=$tmp GSIM_TEST_LOCALE=de_DE.UTF-8
export LOCPATH GSIM_TEST_LOCALE
[ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ] || { cat "$tmp/out"; echo "no German locale can be made here"; exit 77; }
tests/sim/api/check_api
