/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any command line in both grammars: parsing ends, errors have a reason, and what is left
 * over lies inside argv. The input's lines are the words. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "opts.h"

#define WORDS_MAX 64

struct conf {
	bool flag;
	uint16_t port;
	int number;
	uint64_t count, size_bytes, rate_bps;
	double every_s;
	char letter;
	const char *text;
	size_t called;
};

static int call(void *conf, const char *value, struct err *e)
{
	struct conf *c = conf;

	c->called += value ? strlen(value) : 1;
	return value && value[0] == 'x' ? err_set(e, ERR_USAGE, "", "no x") : 0;
}

/* clang-format off */
static const struct opt rows[] = {
	{'v', "verbose", NULL, OPT_FLAG, OPT_ANY, OPT_FIELD(struct conf, flag), 0, 0, NULL, "say more"},
	{0, "-vv", NULL, OPT_TOGGLE, OPT_ANY, OPT_FIELD(struct conf, flag), 0, 0, NULL, "say most"},
	{'p', "port", "PORT", OPT_U16, 1, OPT_FIELD(struct conf, port), 1, 65535, NULL, "port"},
	{'P', "server-port", NULL, OPT_SAME, 0, 0, 0, 0, NULL, NULL},
	{0, "port-range", "[N]", OPT_INT, 2, OPT_FIELD(struct conf, number), -5, 5, NULL, "range"},
	{'n', NULL, "N", OPT_U64, OPT_ANY, OPT_FIELD(struct conf, count), 0, 0, NULL, "count"},
	{'l', "length", "SIZE", OPT_SIZE, OPT_ANY, OPT_FIELD(struct conf, size_bytes), 1, 0, NULL, "size"},
	{'b', "bitrate", "RATE", OPT_RATE, OPT_ANY, OPT_FIELD(struct conf, rate_bps), 0, 1e12, NULL, "rate"},
	{'t', "time", "[S]", OPT_DOUBLE, OPT_ANY, OPT_FIELD(struct conf, every_s), 0, 60, NULL, "time"},
	{'f', "format", "LETTER", OPT_CHAR, OPT_ANY, OPT_FIELD(struct conf, letter), 0, 0, NULL, "unit"},
	{'T', "title", "TEXT", OPT_STR, OPT_ANY, OPT_FIELD(struct conf, text), 0, 0, NULL, "text"},
	{'x', "extra", "[X]", OPT_CALL, OPT_ANY, 0, 0, 0, call, "extra"},
	{'g', "glued", NULL, OPT_CALL, OPT_ANY, 0, 0, 0, call, "glued"},
};
/* clang-format on */

static void parse(enum opts_grammar grammar, int argc, char **words)
{
	const struct opts o = {"tool", grammar, rows, ARRAY_LEN(rows)};
	struct conf c = {0};
	struct opts_given given;
	struct err e;
	char *argv[WORDS_MAX + 2] = {(char[]){"tool"}};

	memcpy(argv + 1, words, (size_t)argc * sizeof(*argv));
	if (opts_parse(&o, argc + 1, argv, &c, &given, &e) < 0) {
		MUST(e.code == ERR_USAGE && e.text[0] != '\0');
		return;
	}
	MUST(given.operands >= 0 && given.operands <= argc);
	MUST(given.operand[given.operands] == NULL);
	MUST(!opts_seen(&o, &given, 'p', NULL) || c.port >= 1);
	MUST(!c.text || opts_seen(&o, &given, 0, "title"));
	MUST(c.number >= -5 && c.number <= 5);
	MUST(c.rate_bps <= 1000000000000);
	MUST(opts_wrong_role(&o, &given, 3) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char *words[WORDS_MAX];
	char *at = text;
	int n = 0;

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	while (at && n < WORDS_MAX)
		words[n++] = strsep(&at, "\n");
	/* This one ends the program. */
	if (n != 1 || strcmp(words[0], "--dump-options") != 0) {
		parse(OPTS_GETOPT, n, words);
		parse(OPTS_ATTACHED, n, words);
	}
	free(text);
	return 0;
}
