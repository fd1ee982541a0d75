/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One table per tool drives parsing, range checks, role checks, the help text and the
 * dump that the manual and the completions are checked against.
 *
 *     static const struct opt ttcp_opts[] = {
 *       { 'p', NULL,   "PORT", OPT_U16, OPT_ANY, OPT_FIELD(struct conf, port), 1, 65535,
 *         NULL, "port to connect to or to listen on (5001)" },
 *       { 0,   "json", NULL,   OPT_FLAG, OPT_ANY, OPT_FIELD(struct conf, json), 0, 0,
 *         NULL, "report as one JSON object" },
 *     };
 */
#ifndef OPTS_H
#define OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

enum opt_type {
	OPT_FLAG,   /* bool, becomes true */
	OPT_TOGGLE, /* bool, flips */
	OPT_SET,    /* int, becomes min: several rows may share a field */
	OPT_U16,    /* uint16_t */
	OPT_INT,    /* int */
	OPT_U64,    /* uint64_t */
	OPT_SIZE,   /* uint64_t bytes, suffixes k m g t of 1024, any case */
	OPT_RATE,   /* uint64_t bit/s, suffixes k m g t of 1000, any case */
	OPT_DOUBLE, /* double */
	OPT_CHAR,   /* char, the value's only letter */
	OPT_STR,    /* const char *, points into argv */
	OPT_CALL,   /* no field: parse() does it all; value NULL when none was given */
	OPT_HEAD,   /* no option: a heading of the help text, its words in help */
	OPT_SAME,   /* another spelling of the row above, same everything; help NULL */
};

/* Who may use an option; a tool's own meaning of the bits. */
#define OPT_ANY 0u

struct opt {
	int letter; /* 0 = none */
	/* Long name without dashes, NULL = none. With OPTS_ATTACHED also "-wb", the
	 * spelling of an option of one dash and more letters. */
	const char *name;
	/* What help calls the value, NULL = takes none. "[X]" = optional: without it the
	 * field stays as it is, see opts_seen(). */
	const char *arg;
	enum opt_type type;
	unsigned roles;  /* OPT_ANY or bits, for opts_wrong_role() */
	size_t offset;   /* OPT_FIELD() */
	double min, max; /* both 0 = the type's own range, max < min = no top */
	/* OPT_CALL: read value into conf. Returns 0, or -1 with e filled but for e->what,
	 * which the caller sets. */
	int (*parse)(void *conf, const char *value, struct err *e);
	const char *help; /* NULL = not shown */
};

#define OPT_FIELD(type, member) offsetof(type, member)

enum opts_grammar {
	/* Letters may be grouped, a value is glued or the next word, options and operands
	 * mix, long names may be shortened: getopt_long(3). An optional value must be
	 * glued, with '=' to a long name. */
	OPTS_GETOPT,
	/* One option per word, the longest spelling that fits; the first word without a
	 * dash ends the options. A value is glued ("-T10", "-Ri300m/20") or, and always
	 * with a whole "--name", the next word. An optional value is the next word unless
	 * that begins with a dash or, at the end of the options, looks like a host: a
	 * letter first, or an IP address. What is glued to an option without value is
	 * ignored; OPT_CALL gets it as its value. */
	OPTS_ATTACHED,
};

#define OPTS_MAX 192 /* rows of a table */

struct opts {
	const char *tool; /* as printed before messages */
	enum opts_grammar grammar;
	const struct opt *rows;
	size_t count;
};

struct opts_given {
	bool seen[OPTS_MAX]; /* by row; a row of OPT_SAME counts for the one it repeats */
	int operands;        /* words that are no options */
	char **operand;      /* inside argv, which is reordered */
};

/* Fill conf. Returns 0, or -1 with e filled: what is the option as typed ("-p 70000"),
 * text the reason ("out of range (1..65535)"); for a word that is no option the text is
 * getopt's ("invalid option -- 'Z'") and what is empty. Options before the wrong one are
 * in conf already. "--dump-options" as the only word is handled here: opts_dump() on
 * stdout and exit 0 - the one exit in this library. Not thread safe. */
int opts_parse(const struct opts *o, int argc, char **argv, void *conf,
	       struct opts_given *given, struct err *e);

/* Was the option with this letter, or this long name, given? */
bool opts_seen(const struct opts *o, const struct opts_given *given, int letter,
	       const char *name);

/* First given option whose roles are set but lack role, or NULL. */
const struct opt *opts_wrong_role(const struct opts *o, const struct opts_given *given,
				  unsigned role);

/* The option list of the help text, one row a line, long texts wrapped at 80 columns:
 * "  -p, --port PORT    text". */
void opts_help(FILE *out, const struct opts *o);

/* One row a line, separated by tabs, "-" for what is empty: letter, long name, arg, roles
 * (decimal), help. Rows of OPT_SAME have "same as -x" as help, hidden rows "-". */
void opts_dump(FILE *out, const struct opts *o);

#endif
