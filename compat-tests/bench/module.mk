$(eval $(call tool_program,plain,compat-tests/bench/plain.c))
