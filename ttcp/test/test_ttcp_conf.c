/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "test/check_main.h"
#include "conf.h"

#define WORDS_MAX 16

struct line {
	char text[256];
	char *argv[WORDS_MAX + 1];
	int argc;
};

/* "ttcp" and the words of text, which single blanks part. */
static void split(const char *text, struct line *l)
{
	char *at = l->text;
	static char name[] = "ttcp";

	strlcpy(l->text, text, sizeof(l->text));
	l->argv[0] = name;
	l->argc = 1;
	while (at && l->argc < WORDS_MAX)
		l->argv[l->argc++] = strsep(&at, " ");
	l->argv[l->argc] = NULL;
}

static int parse(const char *text, struct line *l, struct ttcp_conf *c, struct err *e)
{
	split(text, l);
	return ttcp_conf_parse(c, l->argc, l->argv, e);
}

static void tell_number(FILE *f, const char *name, uint64_t value, uint64_t usual)
{
	if (value != usual)
		fprintf(f, " %s=%" PRIu64, name, value);
}

static void tell_flag(FILE *f, const char *name, bool value)
{
	if (value)
		fprintf(f, " %s", name);
}

static void tell_text(FILE *f, const char *name, const char *value)
{
	if (value)
		fprintf(f, " %s=%s", name, value);
}

/* The role, then all that is not as usual. Static buffer. */
static const char *describe(const struct ttcp_conf *c)
{
	static char buf[512];
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	fputs(c->role == TTCP_TRANSMIT ? "t" : "r", f);
	tell_flag(f, "swap", c->swap);
	tell_flag(f, "memory", c->memory);
	tell_flag(f, "udp", c->udp);
	tell_text(f, "host", c->host);
	tell_number(f, "port", c->port, 5001);
	tell_flag(f, "v4", c->family == AF_INET);
	tell_flag(f, "v6", c->family == AF_INET6);
	tell_number(f, "bytes", c->buf_bytes, 8192);
	tell_flag(f, "given", c->buf_given);
	tell_number(f, "count", c->buf_count, 2048);
	tell_number(f, "sockbuf", c->sockbuf_bytes, 0);
	tell_flag(f, "nodelay", c->nodelay);
	tell_flag(f, "debug", c->debug);
	tell_flag(f, "verbose", c->verbose);
	tell_flag(f, "full", c->full_blocks);
	tell_flag(f, "touch", c->touch);
	tell_number(f, "align", c->align_bytes, 16384);
	tell_number(f, "offset", c->offset_bytes, 0);
	if (c->unit != 'K')
		fprintf(f, " unit=%c", c->unit);
	tell_text(f, "device", c->device);
	tell_number(f, "pause", c->pause_us, 0);
	if (c->idle_s < 30 || c->idle_s > 30)
		fprintf(f, " idle=%g", c->idle_s);
	tell_flag(f, "json", c->json);
	tell_flag(f, "help", c->help);
	tell_flag(f, "version", c->version);
	fclose(f);
	return buf;
}

struct good {
	const char *line, *conf;
};

static void check_rows(const struct good *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct line l;
		struct ttcp_conf c;
		struct err e;

		ck_assert_msg(parse(rows[i].line, &l, &c, &e) == 0, "%s: %s: %s",
			      rows[i].line, e.what, e.text);
		ck_assert_msg(strcmp(describe(&c), rows[i].conf) == 0,
			      "%s: \"%s\", not \"%s\"", rows[i].line, describe(&c),
			      rows[i].conf);
	}
}

START_TEST(roles)
{
	static const struct good rows[] = {
		{"-r", "r"},
		{"-s", "r memory"},
		{"-t h", "t host=h"},
		{"-r -t h", "t host=h"},
		{"-t -r h", "r host=h"},
		{"-t -r -t h", "t host=h"},
		{"-tr", "r"},
		/* Who connects. */
		{"-t -R", "t swap"},
		{"-t -S", "t swap"},
		{"-r -R h", "r swap host=h"},
		{"-r -C h", "r swap host=h"},
		{"-rCR h", "r swap host=h"},
		/* Only the first operand counts; one that is not needed does no harm. */
		{"-t h more words", "t host=h"},
		{"-r h", "r host=h"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(how_words_are_read)
{
	static const struct good rows[] = {
		/* Grouped letters, the last with its value. */
		{"-rs", "r memory"},
		{"-tsDvn5 h", "t memory host=h count=5 nodelay verbose"},
		{"-rsvl 1000", "r memory bytes=1000 given verbose"},
		/* Glued, and as a word of its own. */
		{"-t -p5002 h", "t host=h port=5002"},
		{"-t -p 5002 h", "t host=h port=5002"},
		{"-t -l100 -n 7 h", "t host=h bytes=100 given count=7"},
		/* Options may follow the host. */
		{"-t h -s -n 3", "t memory host=h count=3"},
		{"h -t", "t host=h"},
		{"-t -- h", "t host=h"},
		{"-t -- -h", "t host=-h"},
		/* The last value counts. */
		{"-p 1 -p 2", "r port=2"},
		/* Long names, shortened too. */
		{"--json", "r json"},
		{"--js", "r json"},
		{"--idle-timeout 5", "r idle=5"},
		{"--idle-timeout=0.25", "r idle=0.25"},
		{"--idle=0", "r idle=0"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(each_s_toggles)
{
	static const struct good rows[] = {
		{"-r -s", "r memory"},
		{"-r -s -s", "r"},
		{"-r -s -s -s", "r memory"},
		{"-rss", "r"},
		{"-t -s h -s -s", "t memory host=h"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(every_option)
{
	static const struct good rows[] = {
		{"-u", "r udp"},
		{"-D", "r nodelay"},
		{"-d", "r debug"},
		{"-v", "r verbose"},
		{"-B", "r full"},
		{"-T", "r touch"},
		{"-4", "r v4"},
		{"-6", "r v6"},
		{"-4 -6", "r v6"},
		{"-64", "r v4"},
		{"-b 65536", "r sockbuf=65536"},
		{"-b 0", "r"},
		{"-b 2147483647", "r sockbuf=2147483647"},
		{"-A 4096 -O 3", "r align=4096 offset=3"},
		{"-A 0", "r align=0"},
		{"-I eth7", "r device=eth7"},
		{"-w 0", "r"},
		{"-w 60000000", "r pause=60000000"},
		{"-p 1", "r port=1"},
		{"-p 65535", "r port=65535"},
		{"-h", "r help"},
		{"--help", "r help"},
		{"-V", "r version"},
		{"--version", "r version"},
		/* Help is given whatever else is wrong. */
		{"-t -h", "t help"},
		{"-u -R -V", "r swap udp version"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_of_rates)
{
	static const struct good rows[] = {
		{"-f k", "r unit=k"},
		{"-f K", "r"},
		{"-f m", "r unit=m"},
		{"-fM", "r unit=M"},
		{"-f g", "r unit=g"},
		{"-fG", "r unit=G"},
		/* What is no unit means K, also after one that was. */
		{"-f z", "r"},
		{"-f t", "r"},
		{"-f m -f x", "r"},
		{"-f mega", "r unit=m"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(sizes_with_suffixes)
{
	static const struct good rows[] = {
		{"-l 1", "r bytes=1 given"},
		{"-l 8192", "r given"},
		{"-l 64K", "r bytes=65536 given"},
		{"-l 64k", "r bytes=65536 given"},
		{"-l 1M", "r bytes=1048576 given"},
		{"-l 1.5m", "r bytes=1572864 given"},
		{"-l 1G", "r bytes=1073741824 given"},
		{"-l1073741824", "r bytes=1073741824 given"},
		{"-n 2K", "r"},
		{"-n 1m", "r count=1048576"},
		{"-n 0", "r count=0"},
		{"-b 4M", "r sockbuf=4194304"},
		{"-A 4k -O 1K", "r align=4096 offset=1024"},
		/* A datagram is never as short as a guard. */
		{"-u -l 2", "r udp bytes=5 given"},
		{"-u -l 4", "r udp bytes=5 given"},
		{"-l 1 -u", "r udp bytes=5 given"},
		{"-u -l 5", "r udp bytes=5 given"},
		{"-u -l 6", "r udp bytes=6 given"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(as_many_bytes_as_can_be_counted)
{
	static const struct good rows[] = {
		{"-t -s -n 1125899906842623 h", "t memory host=h count=1125899906842623"},
		{"-t -s -l 1 -n 9223372036854775807 h",
		 "t memory host=h bytes=1 given count=9223372036854775807"},
		/* Where -n means nothing it does no harm. */
		{"-t -n 9999999999999999 h", "t host=h count=9999999999999999"},
		{"-r -s -n 18446744073709551615", "r memory count=18446744073709551615"},
	};

	check_rows(rows, ARRAY_LEN(rows));
}
END_TEST

struct bad {
	const char *line, *what, *text;
};

static void check_refused(const struct bad *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct line l;
		struct ttcp_conf c;
		struct err e;

		ck_assert_msg(parse(rows[i].line, &l, &c, &e) < 0, "%s: taken",
			      rows[i].line);
		ck_assert_msg(strcmp(e.what, rows[i].what) == 0, "%s: \"%s\"",
			      rows[i].line, e.what);
		ck_assert_msg(strcmp(e.text, rows[i].text) == 0, "%s: \"%s\"",
			      rows[i].line, e.text);
	}
}

START_TEST(bad_values)
{
	static const struct bad rows[] = {
		{"-l 0", "-l 0", "out of range (1..1073741824)"},
		{"-l 0.5", "-l 0.5", "out of range (1..1073741824)"},
		{"-l -1", "-l -1", "out of range (1..1073741824)"},
		{"-l-1", "-l -1", "out of range (1..1073741824)"},
		{"-l 2G", "-l 2G", "out of range (1..1073741824)"},
		{"-l abc", "-l abc", "not a number"},
		{"-l 10x", "-l 10x", "may only end in k, m, g or t"},
		{"-l 1kB", "-l 1kB", "may only end in k, m, g or t"},
		{"-l ", "-l ", "empty, needs a number"},
		{"-n -1", "-n -1", "out of range (0..18446744073709551615)"},
		{"-n 18446744073709551616", "-n 18446744073709551616",
		 "out of range (0..18446744073709551615)"},
		{"-n many", "-n many", "not a number"},
		{"-p 0", "-p 0", "out of range (1..65535)"},
		{"-p 65536", "-p 65536", "out of range (1..65535)"},
		{"-p 70000", "-p 70000", "out of range (1..65535)"},
		{"-p -1", "-p -1", "out of range (1..65535)"},
		{"-p abc", "-p abc", "not a whole number"},
		{"-p 80k", "-p 80k", "not a whole number"},
		{"-b -1", "-b -1", "out of range (0..2147483647)"},
		{"-b 2G", "-b 2G", "out of range (0..2147483647)"},
		{"-A 2G", "-A 2G", "out of range (0..1073741824)"},
		{"-O -3", "-O -3", "out of range (0..1073741824)"},
		{"-w -1", "-w -1", "out of range (0..60000000)"},
		{"-w 60000001", "-w 60000001", "out of range (0..60000000)"},
		{"-w 1ms", "-w 1ms", "not a whole number"},
		{"--idle-timeout -1", "--idle-timeout -1", "out of range (0..86400)"},
		{"--idle-timeout soon", "--idle-timeout soon", "not a number"},
	};

	check_refused(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(bad_words)
{
	static const struct bad rows[] = {
		{"-Z", "", "invalid option -- 'Z'"},
		{"-rsZ", "", "invalid option -- 'Z'"},
		{"--jsonx", "", "unrecognized option '--jsonx'"},
		{"--json=1", "", "option '--json' doesn't allow an argument"},
		{"-t h -p", "", "option requires an argument -- 'p'"},
		{"--idle-timeout", "", "option '--idle-timeout' requires an argument"},
	};

	check_refused(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(bad_combinations)
{
	static const struct bad rows[] = {
		{"-t", "", "-t needs the HOST to connect to"},
		{"-t -s -n 5", "", "-t needs the HOST to connect to"},
		{"-r -R", "", "-r -R needs the HOST to connect to"},
		{"-u -t -R", "-u", "not with -R, -C or -S: a UDP receiver cannot begin"},
		{"-u -r -C h", "-u",
		 "not with -R, -C or -S: a UDP receiver cannot begin"},
		/* More bytes than can be counted: with the usual buffer, and others. */
		{"-t -s -n 9999999999999999 h", "-n 9999999999999999",
		 "out of range (0..1125899906842623) with buffers of 8192 bytes"},
		{"-t -s -n 16E h", "-n 16E", "may only end in k, m, g or t"},
		{"-t -s -l 1 -n 9223372036854775808 h", "-n 9223372036854775808",
		 "out of range (0..9223372036854775807) with buffers of 1 bytes"},
		{"-u -t -s -l 1 -n 9223372036854775807 h", "-n 9223372036854775807",
		 "out of range (0..1844674407370955161) with buffers of 5 bytes"},
	};

	check_refused(rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(posix_wants_options_first)
{
	struct line l;
	struct ttcp_conf c;
	struct err e;

	ck_assert_int_eq(setenv("POSIXLY_CORRECT", "1", 1), 0);
	ck_assert_int_eq(parse("-t h -s", &l, &c, &e), 0);
	unsetenv("POSIXLY_CORRECT");
	ck_assert_str_eq(describe(&c), "t host=h");
}
END_TEST

CHECK_MAIN("ttcp_conf", roles, how_words_are_read, each_s_toggles, every_option,
	   units_of_rates, sizes_with_suffixes, as_many_bytes_as_can_be_counted,
	   bad_values, bad_words, bad_combinations, posix_wants_options_first)
