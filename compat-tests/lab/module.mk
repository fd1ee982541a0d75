lab := compat-tests/lab
lab_parts := $(addprefix $(lab)/,command.c control.c engine.c eventq.c late.c link.c \
	linkconf.c loop.c packet.c port.c realtime.c)

$(eval $(call tool_program,impair,$(lab)/main.c $(lab_parts),-lm))

ifneq ($(HAVE_CHECK),)
lab_objects := $(patsubst %.c,$O/%.o,$(lab_parts))
$(foreach t,$(wildcard $(lab)/test/test_*.c),$(eval \
	$(call test_program,$(basename $(notdir $(t))),$(t),$(lab_objects),-lm)))
endif
