common_sources := $(wildcard common/*.c)

ifneq ($(building),)
$(eval $(call library,CHECK,check,no unit tests))
ifneq ($(HAVE_CHECK),)
$(foreach t,$(wildcard common/test/test_*.c),$(eval $(call test_program,$(basename $(notdir $(t))),$(t))))
endif
endif
