# Read by tests of pages that show what programs print: under a line `$ COMMAND`, in a block of code, stands what the command prints;
# `...` stands for lines left out. A command is run when it begins with one of the words in $programs.
# Needs $tmp, an empty folder, and $update: yes writes new figures into the pages. Sets failed=1 for a page that is stale.

# page FILE [STATUS]: runs the commands that it shows in the folder $work (the working directory); STATUS is
# allowed beside 0.
page() {
	n=0
	grep -E "^\\\$ ($programs) " "$1" | sed 's/^\$ //' >"$tmp/commands"
	while read -r command; do
		n=$((n + 1))
		case $command in tools/*) command="$command -o $tmp/files" ;; esac
		(cd "${work:-.}" && exec sh -c "$command") >"$tmp/$n" 2>&1 </dev/null
		status=$?
		[ $status = 0 ] || [ $status = "${2:-0}" ] || { echo "$1: $command: status $status"; cat "$tmp/$n"; exit 1; }
	done <"$tmp/commands"
	[ "$n" -ge 1 ] || { echo "$1 shows no command"; exit 1; }

	# Each line shown becomes the next line of the output that has the same words, figures aside; one that
	# has none is marked, and the search goes on behind the last one found.
	awk -v dir="$tmp" -v programs="$programs" '
		function words(s) { gsub(/[0-9][0-9,.]*/, "0", s); gsub(/[ \t]+/, " ", s); return s }
		function load(file,   line) { lines = at = 0; while ((getline line < file) > 0) output[++lines] = line; close(file) }
		BEGIN { shown = "^\\$ (" programs ") " }
		$0 ~ shown { load(dir "/" ++n); open = 1; print; next }
		/^```/ { open = 0 }
		!open || $0 == "..." { print; next }
		{
			want = words($0)
			for (i = at + 1; i <= lines && words(output[i]) != want; i++)
				continue
			print i <= lines ? output[at = i] : "?? " $0
		}
	' "$1" >"$tmp/page.md"
	if [ "$update" ]; then
		cp "$tmp/page.md" "$1"
	elif ! diff -u "$1" "$tmp/page.md"; then
		echo "$1 shows other figures than the programs; $updated_by --update in the build directory writes them"
		failed=1
	fi
}
