/* SPDX-License-Identifier: BSD-2-Clause */
#include <getopt.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "opts.h"

struct conf {
	bool loud, toggle;
	uint16_t port;
	int level;
	uint64_t count, size_bytes, rate_bps;
	double every_s;
	char format;
	const char *name;
	char call[32]; /* what the parse functions saw, "(none)" for NULL */
};

static int saw(void *conf, const char *value, struct err *e)
{
	struct conf *c = conf;

	if (value && strcmp(value, "bad") == 0)
		return err_set(e, ERR_USAGE, "overwritten", "no good");
	snprintf(c->call, sizeof(c->call), "%s", value ? value : "(none)");
	return 0;
}

/* clang-format off */
static const struct opt rows[] = {
	{'v', "verbose", NULL, OPT_FLAG, OPT_ANY, OPT_FIELD(struct conf, loud), 0, 0, NULL, "say more"},
	{'s', NULL, NULL, OPT_TOGGLE, OPT_ANY, OPT_FIELD(struct conf, toggle), 0, 0, NULL, "test data instead of standard input; each -s flips it once more"},
	{'p', "port", "PORT", OPT_U16, 1, OPT_FIELD(struct conf, port), 1, 65535, NULL, "port"},
	{'P', "server-port", NULL, OPT_SAME, 0, 0, 0, 0, NULL, NULL},
	{'i', "level", "N", OPT_INT, 2, OPT_FIELD(struct conf, level), 0, 0, NULL, "level"},
	{'n', "number", "N", OPT_U64, OPT_ANY, OPT_FIELD(struct conf, count), 0, 0, NULL, "number"},
	{'l', "length", "SIZE", OPT_SIZE, OPT_ANY, OPT_FIELD(struct conf, size_bytes), 1, 0, NULL, "bytes\nat a time"},
	{'b', "bitrate", "RATE", OPT_RATE, OPT_ANY, OPT_FIELD(struct conf, rate_bps), 0, 1e12, NULL, "bit/s"},
	{'t', "time", "S", OPT_DOUBLE, OPT_ANY, OPT_FIELD(struct conf, every_s), 0, 86400, NULL, "time"},
	{'f', "format", "LETTER", OPT_CHAR, OPT_ANY, OPT_FIELD(struct conf, format), 0, 0, NULL, "unit"},
	{0, "name", "TEXT", OPT_STR, OPT_ANY, OPT_FIELD(struct conf, name), 0, 0, NULL, NULL},
	{'x', "extra", "[X]", OPT_CALL, OPT_ANY, 0, 0, 0, saw, "extra"},
	{0, "a-name-too-long-for-the-column", "Y", OPT_CALL, OPT_ANY, 0, 0, 0, saw, "call"},
	{0, "port-range", "[N]", OPT_INT, OPT_ANY, OPT_FIELD(struct conf, level), -5, -1, NULL, "range"},
};
/* clang-format on */

static const struct opts table = {"tool", OPTS_GETOPT, rows, ARRAY_LEN(rows)};

/* nuttcp's kind. */
/* clang-format off */
static const struct opt glued_rows[] = {
	{'v', NULL, NULL, OPT_FLAG, OPT_ANY, OPT_FIELD(struct conf, loud), 0, 0, NULL, "say more"},
	{0, "-vv", NULL, OPT_TOGGLE, OPT_ANY, OPT_FIELD(struct conf, toggle), 0, 0, NULL, "say most"},
	{'w', NULL, "SIZE", OPT_SIZE, OPT_ANY, OPT_FIELD(struct conf, size_bytes), 0, 0, NULL, "window"},
	{0, "-wb", "RATE", OPT_RATE, OPT_ANY, OPT_FIELD(struct conf, rate_bps), 0, 0, NULL, "both windows"},
	{'i', NULL, "[S]", OPT_DOUBLE, OPT_ANY, OPT_FIELD(struct conf, every_s), 0, 0, NULL, "interval"},
	{'R', NULL, "RATE", OPT_CALL, OPT_ANY, 0, 0, 0, saw, "rate"},
	{'f', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, saw, "flag glued on"},
	{0, "packet-burst", "N", OPT_INT, OPT_ANY, OPT_FIELD(struct conf, level), 1, 0, NULL, "burst"},
	{0, "idle", "[N]", OPT_INT, OPT_ANY, OPT_FIELD(struct conf, level), 0, 0, NULL, "idle"},
};
/* clang-format on */

static const struct opts glued = {"tool", OPTS_ATTACHED, glued_rows,
				  ARRAY_LEN(glued_rows)};

struct run {
	struct conf conf;
	struct opts_given given;
	struct err e;
	int result;
	char text[256], tool[5];
	char *argv[40];
};

/* line is split at single blanks; "''" stands for an empty word. */
static void parse(struct run *r, const struct opts *o, const char *line)
{
	char *at = r->text;
	int argc = 0;

	memset(r, 0, sizeof(*r));
	strlcpy(r->text, line, sizeof(r->text));
	strlcpy(r->tool, "tool", sizeof(r->tool));
	r->argv[argc++] = r->tool;
	for (char *word; (word = strsep(&at, " ")) != NULL;) {
		if (*word != '\0')
			r->argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
	}
	r->result = opts_parse(o, argc, r->argv, &r->conf, &r->given, &r->e);
}

START_TEST(every_type_is_stored)
{
	struct run r;

	parse(&r, &table,
	      "-v -s -s -s -p 5001 -i -3 -n 18446744073709551615 -l 1.5k -b 10M -t .25 "
	      "-f K "
	      "--name=a=b -xtail host");
	ck_assert_int_eq(r.result, 0);
	ck_assert(r.conf.loud);
	ck_assert(r.conf.toggle);
	ck_assert_uint_eq(r.conf.port, 5001);
	ck_assert_int_eq(r.conf.level, -3);
	ck_assert_uint_eq(r.conf.count, UINT64_MAX);
	ck_assert_uint_eq(r.conf.size_bytes, 1536);
	ck_assert_uint_eq(r.conf.rate_bps, 10000000);
	ck_assert_double_eq_tol(r.conf.every_s, 0.25, 1e-12);
	ck_assert_int_eq(r.conf.format, 'K');
	ck_assert_str_eq(r.conf.name, "a=b");
	ck_assert_str_eq(r.conf.call, "tail");
	ck_assert_int_eq(r.given.operands, 1);
	ck_assert_str_eq(r.given.operand[0], "host");
}
END_TEST

START_TEST(words_may_be_written_in_many_ways)
{
	static const struct {
		const char *line;
		uint16_t port;
		bool loud;
		int operands;
		const char *first;
	} cases[] = {
		{"-p5001", 5001, false, 0, NULL},   {"-vp5001 a", 5001, true, 1, "a"},
		{"a -v b -p 7", 7, true, 2, "a"},   {"--port=80", 80, false, 0, NULL},
		{"--port 80 x", 80, false, 1, "x"}, {"--serv 80", 80, false, 0, NULL},
		{"-P 80", 80, false, 0, NULL},      {"--verb", 0, true, 0, NULL},
		{"-v -- -p", 0, true, 1, "-p"},     {"- -v", 0, true, 1, "-"},
		{"-p 1 -p 2", 2, false, 0, NULL},   {"", 0, false, 0, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct run r;

		parse(&r, &table, cases[i].line);
		ck_assert_msg(r.result == 0, "%s: %s", cases[i].line, r.e.text);
		ck_assert_uint_eq(r.conf.port, cases[i].port);
		ck_assert_int_eq(r.conf.loud, cases[i].loud);
		ck_assert_int_eq(r.given.operands, cases[i].operands);
		if (cases[i].first)
			ck_assert_str_eq(r.given.operand[0], cases[i].first);
	}
}
END_TEST

START_TEST(refusals)
{
	static const struct {
		const char *line, *what, *text;
	} cases[] = {
		{"-Z", "", "invalid option -- 'Z'"},
		{"-vZ", "", "invalid option -- 'Z'"},
		{"-p", "", "option requires an argument -- 'p'"},
		{"-vp", "", "option requires an argument -- 'p'"},
		{"--frobnicate", "", "unrecognized option '--frobnicate'"},
		{"--frob=1 x", "", "unrecognized option '--frob=1'"},
		{"a --port", "", "option '--port' requires an argument"},
		{"--bit", "", "option '--bitrate' requires an argument"},
		{"--verbose=1", "", "option '--verbose' doesn't allow an argument"},
		{"--verb=1 --port", "", "option '--verbose' doesn't allow an argument"},
		{"--n", "",
		 "option '--n' is ambiguous; possibilities: '--number' '--name'"},
		{"--por 1", "",
		 "option '--por' is ambiguous; possibilities: '--port' '--port-range'"},
		{"-p 70000", "-p 70000", "out of range (1..65535)"},
		{"-p70000", "-p 70000", "out of range (1..65535)"},
		{"-p 0", "-p 0", "out of range (1..65535)"},
		{"-p -v", "-p -v", "not a whole number"},
		{"-p ''", "-p ", "empty, needs a whole number"},
		{"--port 70000", "--port 70000", "out of range (1..65535)"},
		{"--port=x", "--port x", "not a whole number"},
		{"--serv 0", "--server-port 0", "out of range (1..65535)"},
		{"-P 0", "-P 0", "out of range (1..65535)"},
		{"-i 2147483648", "-i 2147483648",
		 "out of range (-2147483648..2147483647)"},
		{"-l 0", "-l 0", "out of range (1..18446744073709551615)"},
		{"-l 1x", "-l 1x", "may only end in k, m, g or t"},
		{"-b 1.1T", "-b 1.1T", "out of range (0..1000000000000)"},
		{"-t 1e3", "-t 1e3", "not a number"},
		{"-f Kb", "-f Kb", "not a single letter"},
		{"-f ''", "-f ", "not a single letter"},
		{"-xbad", "-xbad", "no good"},
		{"--extra=bad", "--extra=bad", "no good"},
		{"--a-n bad", "--a-name-too-long-for-the-column bad", "no good"},
		{"--port-range=0", "--port-range=0", "out of range (-5..-1)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct run r;

		parse(&r, &table, cases[i].line);
		ck_assert_msg(r.result == -1, "%s", cases[i].line);
		ck_assert_str_eq(r.e.what, cases[i].what);
		ck_assert_str_eq(r.e.text, cases[i].text);
		ck_assert_int_eq(r.e.code, ERR_USAGE);
	}
}
END_TEST

/* What getopt_long() itself would print for r->argv, without its newline and the name of
 * the tool. Static buffer. */
static const char *complaint(struct run *r, int argc)
{
	static const struct option names[] = {
		{"verbose", no_argument, NULL, 'v'},
		{"same", optional_argument, NULL, 'a'},
		{"same-again", optional_argument, NULL, 'a'},
		{"set-mss", required_argument, NULL, 'm'},
		{"set", required_argument, NULL, 's'},
		{NULL, 0, NULL, 0},
	};
	static char text[256];
	int saved = dup(STDERR_FILENO);
	int file = memfd_create("stderr", MFD_CLOEXEC);
	ssize_t n;

	dup2(file, STDERR_FILENO);
	opterr = 1;
	optind = 0;
	while ((n = getopt_long(argc, r->argv, "vm:a::", names, NULL)) != -1 && n != '?')
		;
	dup2(saved, STDERR_FILENO);
	n = pread(file, text, sizeof(text) - 1, 0);
	text[n > 0 ? n - 1 : 0] = '\0';
	close(file);
	close(saved);
	return strncmp(text, "tool: ", 6) == 0 ? text + 6 : text;
}

START_TEST(refusals_read_as_those_of_the_c_library)
{
	/* clang-format off */
	static const struct opt alike[] = {
		{'v', "verbose", NULL, OPT_FLAG, OPT_ANY, OPT_FIELD(struct conf, loud), 0, 0, NULL, ""},
		{'a', "same", "[N]", OPT_CALL, OPT_ANY, 0, 0, 0, saw, ""},
		{0, "same-again", NULL, OPT_SAME, OPT_ANY, 0, 0, 0, NULL, NULL},
		{'m', "set-mss", "N", OPT_CALL, OPT_ANY, 0, 0, 0, saw, ""},
		{0, "set", "N", OPT_CALL, OPT_ANY, 0, 0, 0, saw, ""},
	};
	/* clang-format on */
	static const struct opts same = {"tool", OPTS_GETOPT, alike, ARRAY_LEN(alike)};
	static const char *const lines[] = {
		"-Z",          "-vZ=1",      "-v -m",        "-vm",      "-?",
		"-:",          "--zz",       "--zz=1 x",     "--s",      "--s=3",
		"--se",        "--se=1",     "--set",        "a --set-", "--set-m",
		"--verb=1",    "--verbose=", "x -vZ y",      "--=",      "---",
		"--sam",       "--same",     "--same-again", "--v",      "-- -Z",
		"--sa=1 --se", "-a -Z",      "-aZ",          "-mZ",      "-m -Z",
		"-\xc3\xbc",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct run r;
		char ours[256];
		int argc = 0;

		parse(&r, &same, lines[i]);
		strlcpy(ours, r.result < 0 ? r.e.text : "", sizeof(ours));
		parse(&r, &(struct opts){"tool", OPTS_ATTACHED, NULL, 0}, lines[i]);
		while (r.argv[argc])
			argc++;
		ck_assert_str_eq(ours, complaint(&r, argc));
	}
}
END_TEST

START_TEST(optional_values_must_be_glued)
{
	static const struct {
		const char *line, *saw;
		int operands;
	} cases[] = {
		{"-x 5", "(none)", 1}, {"-x5", "5", 0},     {"--extra 5", "(none)", 1},
		{"--extra=5", "5", 0}, {"--extra=", "", 0}, {"-vx", "(none)", 0},
	};
	struct run r;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		parse(&r, &table, cases[i].line);
		ck_assert_int_eq(r.result, 0);
		ck_assert_str_eq(r.conf.call, cases[i].saw);
		ck_assert_int_eq(r.given.operands, cases[i].operands);
	}
	parse(&r, &table, "-i 7 --port-range");
	ck_assert_int_eq(r.conf.level, 7);
	ck_assert(opts_seen(&table, &r.given, 0, "port-range"));
}
END_TEST

START_TEST(a_failed_parse_leaves_no_trace)
{
	struct run r;

	parse(&r, &table, "-Zvvvp");
	ck_assert_int_eq(r.result, -1);
	parse(&r, &table, "x -v y");
	ck_assert_int_eq(r.result, 0);
	ck_assert_int_eq(r.given.operands, 2);
	r.argv[1] = (char[]){"-Z"};
	ck_assert_int_eq(opts_parse(&table, 2, r.argv, &r.conf, &r.given, NULL), -1);
}
END_TEST

START_TEST(seen_and_roles)
{
	struct run r;
	const struct opt *wrong;

	parse(&r, &table, "-v --server-port 5 -i 1");
	ck_assert(opts_seen(&table, &r.given, 'v', NULL));
	ck_assert(opts_seen(&table, &r.given, 'p', NULL));
	ck_assert(opts_seen(&table, &r.given, 'P', NULL));
	ck_assert(opts_seen(&table, &r.given, 0, "port"));
	ck_assert(!opts_seen(&table, &r.given, 'n', NULL));
	ck_assert(!opts_seen(&table, &r.given, 0, "no-such"));
	ck_assert(!opts_seen(&table, &r.given, 0, NULL));
	wrong = opts_wrong_role(&table, &r.given, 1);
	ck_assert_ptr_nonnull(wrong);
	ck_assert_int_eq(wrong->letter, 'i');
	ck_assert_int_eq(opts_wrong_role(&table, &r.given, 2)->letter, 'p');
	ck_assert_ptr_null(opts_wrong_role(&table, &r.given, 3));
}
END_TEST

START_TEST(attached_values)
{
	static const struct {
		const char *line;
		uint64_t w, wb;
		double i;
		bool v, vv;
		const char *call;
		int level, operands;
	} cases[] = {
		{"-w5 host", 5, 0, 0, false, false, "", 0, 1},
		{"-w 5k host", 5120, 0, 0, false, false, "", 0, 1},
		{"-wb512k host", 0, 512000, 0, false, false, "", 0, 1},
		{"-wb 512k -w1", 1, 512000, 0, false, false, "", 0, 0},
		{"-vu host", 0, 0, 0, true, false, "", 0, 1},
		{"-vv -v host", 0, 0, 0, true, true, "", 0, 1},
		{"-i host", 0, 0, 0, false, false, "", 0, 1},
		{"-i 10.0.0.1", 0, 0, 0, false, false, "", 0, 1},
		{"-i ::1", 0, 0, 0, false, false, "", 0, 1},
		{"-i 0.5 host", 0, 0, .5, false, false, "", 0, 1},
		{"-i 2", 0, 0, 2, false, false, "", 0, 0},
		{"-i2.5 -v", 0, 0, 2.5, true, false, "", 0, 0},
		{"-i 3 -v", 0, 0, 3, true, false, "", 0, 0},
		{"-i -v", 0, 0, 0, true, false, "", 0, 0},
		{"-i", 0, 0, 0, false, false, "", 0, 0},
		{"-Ri300m/20 host", 0, 0, 0, false, false, "i300m/20", 0, 1},
		{"-R -v host", 0, 0, 0, false, false, "-v", 0, 1},
		{"-fparse host", 0, 0, 0, false, false, "parse", 0, 1},
		{"-f-drops", 0, 0, 0, false, false, "-drops", 0, 0},
		{"-f parse", 0, 0, 0, false, false, "(none)", 0, 1},
		{"--packet-burst 4 host", 0, 0, 0, false, false, "", 4, 1},
		{"--idle 4 host", 0, 0, 0, false, false, "", 4, 1},
		{"--idle host", 0, 0, 0, false, false, "", 0, 1},
		{"host -v", 0, 0, 0, false, false, "", 0, 2},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct run r;

		parse(&r, &glued, cases[i].line);
		ck_assert_msg(r.result == 0, "%s: %s", cases[i].line, r.e.text);
		ck_assert_msg(r.conf.size_bytes == cases[i].w, "%s", cases[i].line);
		ck_assert_msg(r.conf.rate_bps == cases[i].wb, "%s", cases[i].line);
		ck_assert_double_eq_tol(r.conf.every_s, cases[i].i, 1e-12);
		ck_assert_msg(r.conf.loud == cases[i].v, "%s", cases[i].line);
		ck_assert_msg(r.conf.toggle == cases[i].vv, "%s", cases[i].line);
		ck_assert_str_eq(r.conf.call, cases[i].call);
		ck_assert_int_eq(r.conf.level, cases[i].level);
		ck_assert_int_eq(r.given.operands, cases[i].operands);
	}
}
END_TEST

START_TEST(attached_refusals)
{
	static const struct {
		const char *line, *what, *text;
	} cases[] = {
		{"-Z", "", "invalid option -- 'Z'"},
		{"-Zoo", "", "invalid option -- 'Zoo'"},
		{"-", "", "invalid option -- ''"},
		{"--", "", "unrecognized option '--'"},
		{"--pack 3", "", "unrecognized option '--pack'"},
		{"--packet-burst=3", "", "unrecognized option '--packet-burst=3'"},
		{"--wb 3", "", "unrecognized option '--wb'"},
		{"-w", "", "option requires an argument -- 'w'"},
		{"-wb", "", "option requires an argument -- 'wb'"},
		{"--packet-burst", "", "option '--packet-burst' requires an argument"},
		{"-wb host", "-wb host", "not a number"},
		{"-i 10.0.0.1 -v", "-i 10.0.0.1",
		 "not a number"}, /* options follow: no host */
		{"-w5z", "-w 5z", "may only end in k, m, g or t"},
		{"--packet-burst 0", "--packet-burst 0", "out of range (1..2147483647)"},
		{"-fbad", "-f bad", "no good"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct run r;

		parse(&r, &glued, cases[i].line);
		ck_assert_msg(r.result == -1, "%s", cases[i].line);
		ck_assert_str_eq(r.e.what, cases[i].what);
		ck_assert_str_eq(r.e.text, cases[i].text);
	}
}
END_TEST

static char *printed(void (*print)(FILE *, const struct opts *), const struct opts *o)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	print(f, o);
	fclose(f);
	return text;
}

START_TEST(help)
{
	char *text = printed(opts_help, &table);

	ck_assert_str_eq(text, "  -v, --verbose         say more\n"
			       "  -s                    test data instead of standard "
			       "input; each -s flips it\n"
			       "                        once more\n"
			       "  -p, --port PORT       port\n"
			       "  -i, --level N         level\n"
			       "  -n, --number N        number\n"
			       "  -l, --length SIZE     bytes\n"
			       "                        at a time\n"
			       "  -b, --bitrate RATE    bit/s\n"
			       "  -t, --time S          time\n"
			       "  -f, --format LETTER   unit\n"
			       "  -x, --extra[=X]       extra\n"
			       "      --a-name-too-long-for-the-column Y\n"
			       "                        call\n"
			       "      --port-range[=N]  range\n");
	free(text);
	text = printed(opts_help, &glued);
	ck_assert_str_eq(text, "  -v                    say more\n"
			       "  -vv                   say most\n"
			       "  -w SIZE               window\n"
			       "  -wb RATE              both windows\n"
			       "  -i [S]                interval\n"
			       "  -R RATE               rate\n"
			       "  -f                    flag glued on\n"
			       "      --packet-burst N  burst\n"
			       "      --idle [N]        idle\n");
	free(text);
}
END_TEST

START_TEST(dump)
{
	const struct opts four = {"tool", OPTS_GETOPT, rows + 1, 3};
	char *text = printed(opts_dump, &four);

	ck_assert_str_eq(
		text, "s\t-\t-\t0\ttest data instead of standard input; each -s flips it "
		      "once more\n"
		      "p\tport\tPORT\t1\tport\n"
		      "P\tserver-port\tPORT\t1\tsame as -p\n");
	free(text);
}
END_TEST

START_TEST(dump_options_ends_the_program)
{
	const char expected[] = "v\tverbose\t-\t0\tsay more\n";
	const struct opts one = {"tool", OPTS_GETOPT, rows, 1};
	char text[128] = "";
	int file = memfd_create("stdout", MFD_CLOEXEC);
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct run r;

		dup2(file, STDOUT_FILENO);
		parse(&r, &one, "--dump-options");
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert_int_eq(pread(file, text, sizeof(text) - 1, 0), sizeof(expected) - 1);
	ck_assert_str_eq(text, expected);
	close(file);
}
END_TEST

START_TEST(headings_are_no_options)
{
	static const struct opt parts[] = {
		{0, NULL, NULL, OPT_HEAD, OPT_ANY, 0, 0, 0, NULL, "First:"},
		{'a', NULL, NULL, OPT_FLAG, OPT_ANY, 0, 0, 0, NULL, "one"},
		{0, NULL, NULL, OPT_HEAD, OPT_ANY, 0, 0, 0, NULL, "Second:"},
		{0, "bb", NULL, OPT_FLAG, OPT_ANY, 1, 0, 0, NULL, "two"},
	};
	const struct opts o = {"t", OPTS_GETOPT, parts, ARRAY_LEN(parts)};
	char word0[] = "t", word1[] = "--bb";
	char *argv[] = {word0, word1, NULL};
	bool conf[2] = {false, false};
	struct opts_given given;
	struct err e;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	ck_assert_int_eq(opts_parse(&o, 2, argv, conf, &given, &e), 0);
	ck_assert(!conf[0] && conf[1]);
	opts_help(out, &o);
	opts_dump(out, &o);
	fclose(out);
	ck_assert_str_eq(text, "First:\n  -a        one\n\nSecond:\n      --bb  two\n"
			       "a\t-\t-\t0\tone\n-\tbb\t-\t0\ttwo\n");
	free(text);
}
END_TEST

CHECK_MAIN("opts", headings_are_no_options, every_type_is_stored,
	   words_may_be_written_in_many_ways, refusals,
	   refusals_read_as_those_of_the_c_library, optional_values_must_be_glued,
	   a_failed_parse_leaves_no_trace, seen_and_roles, attached_values,
	   attached_refusals, help, dump, dump_options_ends_the_program)
