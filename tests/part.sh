# Read by tests that can run in parts (tests/limited). `in_part && ...`: is the next thing to do one of this part's? Things are dealt in turn.
part_number=${PART%/*} part_count=${PART#*/} part_next=0
in_part() {
	[ -n "$PART" ] || return 0
	part_next=$((part_next % part_count + 1))
	[ "$part_next" = "$part_number" ]
}
