ttcp_sources := $(filter-out ttcp/main.c,$(wildcard ttcp/*.c))

$(eval $(call program,ttcp,bin,ttcp/main.c $(ttcp_sources)))
$(foreach t,$(if $(HAVE_CHECK),$(wildcard ttcp/test/test_*.c)),\
	$(eval $(call test_program,$(basename $(notdir $(t))),$(t),$(patsubst %.c,$O/%.o,$(ttcp_sources)))))
