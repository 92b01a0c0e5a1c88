# Text files as C: an array of lines for each, named page_ (or -v prefix=NAME_) and the file's name without its folder and with _ for the
# dot. No line begins a comment or ends a string.
BEGIN {
	if (prefix == "")
		prefix = "page_"
}
FNR == 1 {
	if (open)
		print "\tNULL\n};"
	n = split(FILENAME, part, "/")
	name = part[n]
	gsub(/[^a-z0-9]/, "_", name)
	printf "static const char *const %s%s[] = {\n", prefix, name
	open = 1
}
{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	gsub(/\?\?/, "?\\?")
	printf "\t\"%s\\n\",\n", $0
}
END {
	if (open)
		print "\tNULL\n};"
}
