# iperf3 needs libcjson for its own protocol. libcrypto is loaded at run time (auth_crypto.c):
# only its headers are needed here, and -ldl with a C library before glibc 2.34.
ifneq ($(building),)
$(eval $(call library,CRYPTO,libcrypto,iperf3 built without authentication))
i3_sources := $(wildcard iperf3/*.c)
i3_test_objects := $(patsubst %.c,$O/%.o,$(filter-out iperf3/main.c,$(i3_sources)))
$O/iperf3/%.o: MY_CFLAGS += $(CRYPTO_CFLAGS)
ifneq ($(HAVE_CJSON),)
ifneq ($(wildcard iperf3/main.c),)
$(eval $(call program,iperf3,iperf3,$(i3_sources),-ldl))
endif
ifneq ($(HAVE_CHECK),)
$(foreach t,$(wildcard iperf3/test/test_*.c),$(eval $(call test_program,$(basename $(notdir $(t))),$(t),$(i3_test_objects),-ldl)))
endif
endif
endif
