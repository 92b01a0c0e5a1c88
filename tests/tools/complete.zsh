# complete.zsh LINE...: what completion for zsh offers at the end of each line, on a line; as complete.bash. A shell of its own, with a
# terminal, completes; there compadd, through which everything goes that is offered, says what matches.
zmodload zsh/zpty || exit 1
zpty shell env HOME=$PWD TERM=dumb zsh -f -i
zpty -w shell "stty -echo; PATH=$BUILD:\$PATH; fpath=($COMPLETION/zsh \$fpath)"
zpty -w shell 'autoload -Uz compinit; compinit -D -u; unset zle_bracketed_paste; bindkey "^I" complete-word; bindkey "^U" kill-whole-line
compadd() {
	local -a hits
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	builtin compadd -O hits "$@"
	(( ! $#hits )) || printf "<%s>\n" $IPREFIX${^hits}
	builtin compadd "$@"
}
say_begin() { print "<<"; }
say_end() { print ">>"; }
print re""ady'
while zpty -r shell text && [[ $text != *ready* ]]; do :; done
for line; do
	zpty -w shell 'compprefuncs=(say_begin) comppostfuncs=(say_end)'
	zpty -w -n shell $'\C-u'"$line"$'\t'
	offered=() inside=
	while zpty -r shell text; do
		text=${text%%[[:space:]]#}
		[[ $text != *'<<'* ]] || inside=1
		[[ -z $inside || $text != *'<'*'>'* ]] || { text=${text##*<}; offered+=(${text%%>*}); }
		[[ $text != *'>>'* ]] || break
	done
	zpty -w -n shell $'\C-u'
	printf '%s\n' $offered | LC_ALL=C sort -u | tr '\n' ' '
	echo
done
zpty -d shell
