#!/bin/sh
# doc/machines.md is what tools/machine-page makes of the machine files and of the measured figures; each machine stands in it.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
GSIM_BUILD=$(pwd) "$srcdir/tools/machine-page" --print >machine-page.tmp || exit 1
trap 'rm -f machine-page.tmp' EXIT
for file in "$srcdir"/configs/*.lua; do
	name=${file##*/}
	grep -q "^### ${name%.lua}\$" machine-page.tmp || { echo "FAILED: the page has no $name"; exit 1; }
done
diff -u "$srcdir/doc/machines.md" machine-page.tmp || { echo "FAILED: doc/machines.md is out of date: tools/machine-page writes it"; exit 1; }
