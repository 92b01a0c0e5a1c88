# Read behind the Makefile of the build folder, by labs/10-write-your-own/build: gsim and gsim-opt with one pass and one mechanism more.
# lab: the folder for what is made; lab_folder: that of same_sides.c and crowd.c. The two lists, passes/transform/passes.def and sim/config/mechanisms.def, are copies with
# a line more each; what is compiled with them is linked in front of the library, which has the same without that line.
lab_objects = $(lab)/same_sides.o $(lab)/crowd.o $(lab)/pass.o $(lab)/list.o $(lab)/config.o
lab_compile = $(CC) $(DEFS) -I$(lab) $(DEFAULT_INCLUDES) $(INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -c -o $@

$(lab)/passes/transform/passes.def: $(top_srcdir)/passes/transform/passes.def
	{ cat $(top_srcdir)/passes/transform/passes.def && echo 'PASS(same_sides)'; } >$@
$(lab)/sim/config/mechanisms.def: $(top_srcdir)/sim/config/mechanisms.def
	{ cat $(top_srcdir)/sim/config/mechanisms.def && echo 'MODEL(crowd)'; } >$@

# What the library is made of may have changed: then all of these are made again.
$(lab_objects): libgsim.a
$(lab)/pass.o: $(lab)/passes/transform/passes.def
	$(lab_compile) $(top_srcdir)/passes/pass.c
$(lab)/list.o: $(lab)/sim/config/mechanisms.def
	$(lab_compile) $(top_srcdir)/sim/reconv/list.c
$(lab)/config.o: $(lab)/sim/config/mechanisms.def
	$(lab_compile) $(top_srcdir)/sim/config/config.c
$(lab)/same_sides.o: $(lab_folder)/same_sides.c
	$(lab_compile) $(lab_folder)/same_sides.c
$(lab)/crowd.o: $(lab_folder)/crowd.c
	$(lab_compile) $(lab_folder)/crowd.c

$(lab)/gsim: $(lab_objects) $(gsim_OBJECTS)
	$(LINK) $(lab_objects) $(gsim_OBJECTS) $(gsim_LDADD) $(LIBS)
$(lab)/gsim-opt: $(lab_objects) $(gsim_opt_OBJECTS)
	$(LINK) $(lab_objects) $(gsim_opt_OBJECTS) $(gsim_opt_LDADD) $(LIBS)
