# complete.bash LINE...: what completion for bash offers at the end of each line, on a line. Run in a folder of modules, with the
# folders of the build and of its completion in BUILD and COMPLETION.
PATH=$BUILD:$PATH
for file in "$COMPLETION"/bash/*; do . "$file" || exit 1; done
for line; do
	# as bash parts a line into words: at blanks, and at = and :, which are words of their own
	COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=()
	rest=$line
	while [[ $rest =~ ^[[:space:]]*([=:]+|[^[:space:]=:]+) ]]; do
		COMP_WORDS+=("${BASH_REMATCH[1]}")
		rest=${rest:${#BASH_REMATCH[0]}}
	done
	[[ $line != *[[:space:]=:] ]] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	spec=$(complete -p "${COMP_WORDS[0]##*/}") || exit 1
	spec=${spec#*-F }
	"${spec%% *}"
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' '
	echo
done
