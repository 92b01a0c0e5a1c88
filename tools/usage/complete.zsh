# Part of completion for zsh. _gsim__values OPTION... VALUES: as an option's argument, or as an operand, there may be one of a list of
# words, of patterns of files, of * for any file, / for folders, and of @KIND for what _gsim__names prints; behind a comma in
# front of the list, several with commas between. OPTIONs are for compadd.
_gsim__values() {
	local values=${@[-1]} gsim=gsim token key
	local -a names endings how
	how=("${(@)@[1,-2]}")
	[[ $words[1] != */* ]] || gsim=${words[1]:h}/gsim
	if [[ $values == ,* ]]; then
		values=${values#,}
		compset -P '*,'
	fi
	if [[ $values == *@parameters* ]]; then
		key=${PREFIX%%=*}
		if compset -P '*='; then
			compset -P '*,'
			names=(${(f)"$(_gsim__names $gsim choices:$key)"})
		else
			names=(${(f)"$(_gsim__names $gsim parameters)"})
			compadd "${how[@]}" -S '' -a names
			return
		fi
		compadd "${how[@]}" -a names
		return
	fi
	for token in ${=values}; do
		case $token in
		@*) names+=(${(f)"$(_gsim__names $gsim ${token#@})"}) ;;
		/) _files "${how[@]}" -/ ;;
		'*') _files "${how[@]}" ;;
		'*.'*) endings+=($token) ;;
		*) names+=($token) ;;
		esac
	done
	compadd "${how[@]}" -a names
	(( ! $#endings )) || _files "${how[@]}" -g "$endings"
}
