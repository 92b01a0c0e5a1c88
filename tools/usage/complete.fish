# Part of completion for fish. __gsim_values VALUES: as an option's argument, or as an operand, there may be one of a list of
# words, of patterns of files, of * for any file, / for folders, and of @KIND for what gsim knows by name; behind a comma in
# front of the list, several with commas between.
function __gsim_names --argument-names gsim kind
	switch $kind
		case machines
			$gsim --list machines
		case kernels
			$gsim --list kernels | string replace -r ' .*' ''
		case mechanisms
			$gsim --list models | string replace -rf '^([a-z][a-z0-9_]*) .*' '$1'
		case passes
			$gsim --list passes | string replace -rf '^([a-z][a-z0-9-]*) .*' '$1'
		case parameters
			$gsim --list parameters | string replace -rf '^([a-z][a-z0-9_.]*) .*' '$1='
		case keys
			$gsim --list parameters | string replace -rf '^([a-z][a-z0-9_.]*) .*' '$1'
			$gsim --list parameters | string replace -rf '^([a-z][a-z0-9_]*)\..*' '$1' | uniq
		case statistics
			$gsim --list statistics | string replace -rf '^([a-z][a-z0-9_.]*) .*' '$1'
		case analyses
			$gsim-opt --list | sed '1,/^analyses, for --print/d' | string replace -rf '^([a-z][a-z0-9-]*) .*' '$1'
		case 'choices:*'
			set -l key (string replace choices: '' $kind)
			set -l choices ($gsim --list parameters | string replace -rf '^'(string escape --style=regex $key)' +([^ ]*): .*' '$1')
			if string match -qr '^(true|false)$' -- $choices
				printf '%s\n' true false
			else if string match -q '*|*' -- $choices
				string split '|' -- $choices
			end
	end 2>/dev/null
end

function __gsim_values --argument-names values
	set -l word (commandline -ct | string replace -r '^--[a-z-]+=' '')
	set -l program (commandline -opc)[1]
	set -l gsim gsim
	string match -q '*/*' -- $program; and set gsim (dirname -- $program)/gsim
	set -l before ''
	if string match -q ',*' -- $values
		set values (string sub -s 2 -- $values)
		string match -q '*,*' -- $word; and set before (string replace -r '[^,]*$' '' -- $word)
	end
	if string match -q '*@parameters*' -- $values; and string match -q '*=*' -- $word
		set -l key (string replace -r '=.*' '' -- $word)
		set before (string replace -r '(=(.*,)?)[^,]*$' '$1' -- $word)
		set values @choices:$key
	end
	for token in (string split ' ' -- $values)
		switch $token
			case '@*'
				for name in (__gsim_names $gsim (string sub -s 2 -- $token))
					echo -- $before$name
				end
			case /
				complete -C"'' $word" | string replace -r '\t.*' '' | string match '*/'
			case '\*'
				complete -C"'' $word" | string replace -r '\t.*' ''
			case '\*.*'
				complete -C"'' $word" | string replace -r '\t.*' '' | string match -r '.*/$|.*'(string escape --style=regex -- (string sub -s 2 -- $token))'$'
			case '*'
				echo -- $before$token
		end
	end
end
