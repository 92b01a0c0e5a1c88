# Text files as C: an array of lines for each, named page_ and the file's name without its folder and with _ for the dot. No line begins a comment or ends a string.
FNR == 1 {
	if (open)
		print "\tNULL\n};"
	n = split(FILENAME, part, "/")
	name = part[n]
	gsub(/[^a-z0-9]/, "_", name)
	printf "static const char *const page_%s[] = {\n", name
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
