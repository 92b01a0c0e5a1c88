# Part of completion for bash. _gsim__complete OPERANDS fills COMPREPLY in. On standard input is a line for each option: its
# letter or -, its name, whether an argument belongs to it (+ yes, - no, ? if it may be left out), what that may be. This is
# a list of words, of patterns of files, of * for any file, / for folders, and of @KIND for what _gsim__names prints; behind
# a comma in front of it, several with commas between.

# _gsim__offer VALUES WORD: adds to `found` what WORD may be.
_gsim__offer() {
	local values=$1 last=$2 before='' key token names
	local -a tokens
	if [[ $values == ,* ]]; then
		values=${values#,}
		[[ $last != *,* ]] || { before=${last%,*},; last=${last##*,}; }
	fi
	if [[ $values == *@parameters* && $last == *=* ]]; then
		key=${last%%=*}
		values=@choices:$key before=$before$key= last=${last#*=}
		[[ $last != *,* ]] || { before=$before${last%,*},; last=${last##*,}; }
	elif [[ $values == *@parameters* ]]; then
		compopt -o nospace 2>/dev/null
	fi
	IFS=' ' read -r -a tokens <<<"$values"
	for token in "${tokens[@]}"; do
		case $token in
		@*) names=$(compgen -W "$(_gsim__names "$gsim" "${token#@}")" -- "$last") ;;
		/) names=$(compgen -d -- "$last") ;;
		'*') names=$(compgen -f -- "$last") ;;
		'*'*) names=$(compgen -f -X "!$token" -- "$last"; compgen -d -- "$last") ;;
		*) names=$(compgen -W "$token" -- "$last") ;;
		esac
		case $token in / | '*'*) [[ $before ]] || compopt -o filenames 2>/dev/null ;; esac
		while IFS= read -r token; do
			[[ -z $token || $'\n'${found[*]}$'\n' == *$'\n'"$before$token"$'\n'* ]] || found+=("$before$token")
		done <<<"$names"
	done
}

_gsim__complete() {
	local operands=$1 line=${COMP_LINE:-${COMP_WORDS[*]}} i n=-1 lead word cur given='' gsim letter name takes values found IFS=$' \t\n'
	local -a words options
	found=()
	# what stands together on the line is a word, which bash has parted at = and :
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		lead=${line%%[![:space:]]*}
		line=${line#"$lead"}
		line=${line#"$word"}
		if [[ $n -ge 0 && -z $lead ]]; then words[n]+=$word; else words[++n]=$word; fi
	done
	cur=${words[n]}
	gsim=gsim
	[[ ${words[0]} != */* ]] || gsim=${words[0]%/*}/gsim
	COMPREPLY=()
	for ((i = 1; i < n; i++)); do
		[[ ${words[i]} != -- ]] || { compopt -o default 2>/dev/null; return; }
	done
	while read -r letter name takes values; do
		[[ $letter == - ]] || options+=("-$letter")
		options+=("--$name")
		if [[ $takes != - && $cur == "--$name="* ]]; then
			given=--$name= operands=$values cur=${cur#*=} takes=found
		elif [[ $takes == + && $n -gt 1 && (${words[n - 1]} == "--$name" || ${words[n - 1]} == -[!-]* && ${words[n - 1]} == *"$letter") ]]; then
			operands=$values takes=found
		fi
		[[ $takes != found ]] || break
	done
	if [[ $takes != found && $cur == -* ]]; then
		COMPREPLY=($(compgen -W "${options[*]}" -- "$cur"))
		return
	fi
	IFS=$'\n'
	_gsim__offer "$operands" "$cur"
	# bash replaces what stands behind the last of these
	lead=''
	[[ $COMP_WORDBREAKS != *=* ]] || lead=${words[n]%"${words[n]##*=}"}
	for word in "${found[@]}"; do
		word=$given$word
		COMPREPLY+=("${word#"$lead"}")
	done
}
