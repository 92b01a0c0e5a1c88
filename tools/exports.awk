# The names that headers declare for a linker: functions and variables, of what a compiler's -E prints for them. Not what system
# headers declare, nor types, nor what is static.

/^# [0-9]+ "/ { # a line marker: # 12 "file" flags; 3: a system header
	system_header = $0 ~ /^# [0-9]+ "[^"]*"( [124])* 3/
}
/^#/ { next }
system_header { next }
{ take($0) }

# Declarations end at a semicolon outside braces; function bodies at their brace.
function take(line, i, c)
{
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "{") {
			body = depth++ ? body : text ~ /\)[ \t]*$/
		} else if (c == "}") {
			if (!--depth && body)
				text = ""
		} else if (!depth && c == ";") {
			declared(text)
			text = ""
		} else if (!depth) {
			text = text c
		}
	}
	text = text " "
}

# One or several, with commas between them: what stands in parentheses and brackets goes first.
function declared(t, n, part, k, function_)
{
	gsub(/__attribute__/, "", t)
	while (gsub(/\([^()]*\)/, "@", t) || gsub(/\[[^][]*\]/, "", t))
		;
	gsub(/[ \t]+/, " ", t)
	sub(/^ /, "", t)
	function_ = t ~ /@/
	if (t ~ /^(typedef|static|_Static_assert|__extension__ typedef)/ || (!function_ && t !~ /^extern/))
		return
	n = split(t, part, ",")
	for (k = 1; k <= n; k++) {
		gsub(/[ @]+$/, "", part[k])
		if (match(part[k], /[A-Za-z_][A-Za-z_0-9]*$/))
			print substr(part[k], RSTART, RLENGTH)
	}
}
