# Fuzz targets: fuzz_NAME.c with first inputs in seeds/NAME/. BUILD=fuzz links them with
# libFuzzer, any other build as replay_NAME. What a target needs beside common/ is named in
# fuzz_needs_NAME, the libraries in fuzz_libs_NAME.
fuzz := compat-tests/fuzz
fuzz_needs_iperf3_proto := $(wildcard iperf3/proto*.c) iperf3/conf.c iperf3/conf_opts.c \
	iperf3/conf_values.c iperf3/fault.c
fuzz_libs_iperf3_proto := -lm
fuzz_needs_iperf3_auth := iperf3/auth.c iperf3/auth_crypto.c
fuzz_libs_iperf3_auth := -ldl
fuzz_needs_lab_packet := compat-tests/lab/packet.c
fuzz_needs_lab_words := $(addprefix compat-tests/lab/,command.c engine.c eventq.c late.c link.c \
	linkconf.c packet.c port.c realtime.c)
fuzz_libs_lab_words := -lm
fuzz_needs_nuttcp_proto := nuttcp/proto.c nuttcp/proto_check.c
fuzz_libs_nuttcp_proto := -lm
fuzz_needs_nuttcp_text := nuttcp/peer_text.c nuttcp/measure.c nuttcp/data.c
fuzz_libs_nuttcp_text := -lm
fuzz_names := $(patsubst $(fuzz)/fuzz_%.c,%,$(wildcard $(fuzz)/fuzz_*.c))

ifeq ($(BUILD),fuzz)
$(foreach n,$(fuzz_names),$(eval $(call link_program,fuzz_$n,\
	$(patsubst %.c,$O/%.o,$(fuzz)/fuzz_$n.c $(fuzz_needs_$n)),-fsanitize=fuzzer $(fuzz_libs_$n))))
else
$(foreach n,$(fuzz_names),$(eval $(call tool_program,replay_$n,\
	$(fuzz)/fuzz_$n.c $(fuzz)/replay_main.c $(fuzz_needs_$n),$(fuzz_libs_$n))))
endif

# What is found beyond the seeds stays in $O/corpus for the next run; an input that crashes
# a target is written to $O/NAME-crash-*.
FUZZ_SECONDS ?= 30
.PHONY: run-fuzz
run-fuzz: $(fuzz_names:%=$O/bin/fuzz_%)
	@for n in $(fuzz_names); do \
		mkdir -p $O/corpus/$$n && \
		$O/bin/fuzz_$$n -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 \
			-verbosity=0 -print_final_stats=1 -artifact_prefix=$O/$$n- \
			$O/corpus/$$n $(fuzz)/seeds/$$n >$O/$$n.log 2>&1 || { cat $O/$$n.log; exit 1; }; \
		sed -n "s/^stat::number_of_executed_units: */$$n: inputs tried: /p" $O/$$n.log; \
	done
