# Part of completion for bash and zsh. _gsim__names GSIM KIND: what that gsim knows by name, one a line.
_gsim__names() {
	case $2 in
	machines) "$1" --list machines ;;
	kernels) "$1" --list kernels | sed 's/ .*//' ;;
	mechanisms) "$1" --list models | sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p' ;;
	passes) "$1" --list passes | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' ;;
	parameters) "$1" --list parameters | sed -n 's/^\([a-z][a-z0-9_.]*\) .*/\1=/p' ;;
	keys) "$1" --list parameters | sed -n -e 's/^\([a-z][a-z0-9_.]*\) .*/\1/p' -e 's/^\([a-z][a-z0-9_]*\)\..*/\1/p' | sort -u ;;
	statistics) "$1" --list statistics | sed -n 's/^\([a-z][a-z0-9_.]*\) .*/\1/p' ;;
	analyses) "$1-opt" --list | sed -n '/^analyses, for --print/,$ s/^\([a-z][a-z0-9-]*\)  *[^ ].*/\1/p' | sed '/^analyses,/d' ;;
	choices:*)
		"$1" --list parameters | awk -v key="${2#choices:}" '
			$1 == key && $2 ~ /^(true|false):$/ { print "true"; print "false" }
			$1 == key && $2 ~ /[|]/ { sub(/:$/, "", $2); gsub(/[|]/, "\n", $2); print $2 }'
		;;
	esac 2>/dev/null
}
