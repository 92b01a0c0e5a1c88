# complete.fish LINE...: what completion for fish offers at the end of each line, on a line; as complete.bash.
set -gx PATH $BUILD $PATH
for file in $COMPLETION/fish/*.fish
	source $file; or exit 1
end
for line in $argv
	set -l offered (complete -C "$line" | string replace -r '\t.*' '' | env LC_ALL=C sort -u)
	echo (string join ' ' -- $offered)' '
end
