lab := compat-tests/lab
lab_sources := $(addprefix $(lab)/,link.c linkconf.c late.c eventq.c packet.c)

ifneq ($(HAVE_CHECK),)
lab_objects := $(patsubst %.c,$O/%.o,$(lab_sources))
$(foreach t,$(wildcard $(lab)/test/test_*.c),$(eval \
	$(call test_program,$(basename $(notdir $(t))),$(t),$(lab_objects),-lm)))
endif
