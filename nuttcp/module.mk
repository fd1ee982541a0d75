nuttcp_sources := $(filter-out nuttcp/main.c,$(wildcard nuttcp/*.c))

$(eval $(call program,nuttcp,bin,nuttcp/main.c $(nuttcp_sources),-lm))
$(foreach t,$(if $(HAVE_CHECK),$(wildcard nuttcp/test/test_*.c)),\
	$(eval $(call test_program,$(basename $(notdir $(t))),$(t),$(patsubst %.c,$O/%.o,$(nuttcp_sources)),-lm)))
