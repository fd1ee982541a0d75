/* SPDX-License-Identifier: BSD-2-Clause */
#include "opts.h"

#include <arpa/inet.h>
#include <assert.h>
#include <float.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define LONG_ID \
	256 /* getopt's value for a long name: this + its row; letters lie below */

/* An option as met on the command line. */
struct met {
	size_t row;       /* never one of OPT_SAME */
	const char *name; /* of the table, or NULL: it was a letter */
	int letter;
	const char *value; /* NULL = none */
};

/* ---- rows -------------------------------------------------------------------------- */

static size_t real_row(const struct opts *o, size_t row)
{
	while (row > 0 && o->rows[row].type == OPT_SAME)
		row--;
	return row;
}

static bool optional(const struct opt *r)
{
	return r->arg && r->arg[0] == '[';
}

/* OPTS_ATTACHED has names of one dash, as "-wb". */
static const char *dashes(const char *name)
{
	return name[0] == '-' ? "" : "--";
}

/* The row of a letter or, when letter is 0, of a name; o->count = none. */
static size_t find(const struct opts *o, int letter, const char *name)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct opt *r = &o->rows[i];

		if (letter ? r->letter == letter : r->name && strcmp(r->name, name) == 0)
			return i;
	}
	return o->count;
}

/* ---- values ------------------------------------------------------------------------ */

static bool has_limits(const struct opt *r)
{
	return r->min < 0 || r->min > 0 || r->max < 0 || r->max > 0;
}

static bool has_top(const struct opt *r)
{
	return has_limits(r) && r->max >= r->min;
}

static uint64_t low_u64(const struct opt *r)
{
	return r->min > 0 ? (uint64_t)r->min : 0;
}

static uint64_t top_u64(const struct opt *r, uint64_t type_max)
{
	if (!has_top(r) || r->max >= (double)type_max)
		return type_max;
	return r->max > 0 ? (uint64_t)r->max : 0;
}

static int store_int(const struct opt *r, int *field, const char *value, struct err *e)
{
	int64_t low = has_limits(r) && r->min > INT_MIN ? (int64_t)r->min : INT_MIN;
	int64_t top = has_top(r) && r->max < INT_MAX ? (int64_t)r->max : INT_MAX;
	int64_t v;

	if (units_parse_i64(value, low, top, &v, "", e) < 0)
		return -1;
	*field = (int)v;
	return 0;
}

static int store_u16(const struct opt *r, uint16_t *field, const char *value,
		     struct err *e)
{
	uint64_t v;

	if (units_parse_u64(value, low_u64(r), top_u64(r, UINT16_MAX), &v, "", e) < 0)
		return -1;
	*field = (uint16_t)v;
	return 0;
}

static int store_char(char *field, const char *value, struct err *e)
{
	if (value[0] == '\0' || value[1] != '\0')
		return err_set(e, ERR_USAGE, "", "not a single letter");
	*field = value[0];
	return 0;
}

static int store_value(const struct opt *r, void *field, const char *value, struct err *e)
{
	switch (r->type) {
	case OPT_U16:
		return store_u16(r, field, value, e);
	case OPT_INT:
		return store_int(r, field, value, e);
	case OPT_U64:
		return units_parse_u64(value, low_u64(r), top_u64(r, UINT64_MAX), field,
				       "", e);
	case OPT_SIZE:
	case OPT_RATE:
		return units_parse_scaled(value, r->type == OPT_SIZE ? 1024 : 1000,
					  low_u64(r), top_u64(r, UINT64_MAX), field, "",
					  e);
	case OPT_DOUBLE:
		return units_parse_double(value, has_limits(r) ? r->min : -DBL_MAX,
					  has_top(r) ? r->max : DBL_MAX, field, "", e);
	case OPT_CHAR:
		return store_char(field, value, e);
	case OPT_STR:
		*(const char **)field = value;
		return 0;
	default:
		return 0;
	}
}

/* The option as it may be typed: "-p 70000", "--port 70000", "--every=0". */
static void spell(const struct opts *o, const struct met *m, char *buf, size_t size)
{
	const struct opt *r = &o->rows[m->row];
	const char letter[3] = {'-', (char)m->letter, '\0'};
	const char *between = " ";

	if (!m->value)
		between = "";
	else if (o->grammar == OPTS_GETOPT && optional(r))
		between = m->name ? "=" : "";
	snprintf(buf, size, "%s%s%s%s", m->name ? dashes(m->name) : "",
		 m->name ? m->name : letter, between, m->value ? m->value : "");
}

static int take(const struct opts *o, const struct met *m, void *conf,
		struct opts_given *given, struct err *e)
{
	const struct opt *r = &o->rows[m->row];
	void *field = (char *)conf + r->offset;
	int result = 0;

	given->seen[m->row] = true;
	if (r->type == OPT_FLAG)
		*(bool *)field = true;
	else if (r->type == OPT_TOGGLE)
		*(bool *)field = !*(bool *)field;
	else if (r->type == OPT_SET)
		*(int *)field = (int)r->min;
	else if (r->type == OPT_CALL)
		result = r->parse(conf, m->value, e);
	else if (m->value)
		result = store_value(r, field, m->value, e);
	if (result < 0)
		spell(o, m, e->what, sizeof(e->what));
	return result;
}

/* ---- getopt_long ------------------------------------------------------------------- */

static void getopt_tables(const struct opts *o, char *letters, struct option *names)
{
	*letters++ = ':'; /* tell a missing value from an unknown option */
	for (size_t i = 0; i < o->count; i++) {
		size_t row = real_row(o, i);
		const struct opt *r = &o->rows[row];
		int has_arg = !r->arg       ? no_argument
			      : optional(r) ? optional_argument
					    : required_argument;

		if (o->rows[i].letter) {
			*letters++ = (char)o->rows[i].letter;
			for (int colons = has_arg; colons > 0; colons--)
				*letters++ = ':';
		}
		/* Two spellings of one row share a value: then they are not ambiguous. */
		if (o->rows[i].name)
			*names++ = (struct option){o->rows[i].name, has_arg, NULL,
						   LONG_ID + (int)row};
	}
	*letters = '\0';
	*names = (struct option){NULL, 0, NULL, 0};
}

/* "option '--x' is ambiguous; possibilities: '--xa' '--xb'" */
static int ambiguous(const struct option *names, const struct option *first,
		     const char *word, size_t len, struct err *e)
{
	char list[sizeof(e->text)] = "";

	for (const struct option *n = names; n->name; n++) {
		if (strncmp(n->name, word + 2, len) != 0 ||
		    (n != first && n->val == first->val))
			continue;
		strlcat(list, " '--", sizeof(list));
		strlcat(list, n->name, sizeof(list));
		strlcat(list, "'", sizeof(list));
	}
	return err_set(e, ERR_USAGE, "", "option '%s' is ambiguous; possibilities:%s",
		       word, list);
}

/* word is the long option that getopt_long() refused. */
static int bad_name(const struct option *names, const char *word, bool value_missing,
		    struct err *e)
{
	const size_t len = strcspn(word + 2, "=");
	const struct option *found = NULL;

	for (const struct option *n = names; n->name; n++) {
		if (strncmp(n->name, word + 2, len) == 0 &&
		    (!found || n->name[len] == '\0'))
			found = n;
	}
	if (!found)
		return err_set(e, ERR_USAGE, "", "unrecognized option '%s'", word);
	if (optopt == 0)
		return ambiguous(names, found, word, len, e);
	return err_set(e, ERR_USAGE, "", "option '--%s' %s", found->name,
		       value_missing ? "requires an argument"
				     : "doesn't allow an argument");
}

/* The words of glibc, which people and scripts know. */
static int getopt_refused(const struct option *names, int c, const char *word,
			  struct err *e)
{
	if (optopt == 0 || optopt >= LONG_ID)
		return bad_name(names, word, c == ':', e);
	return err_set(e, ERR_USAGE, "", "%s -- '%c'",
		       c == ':' ? "option requires an argument" : "invalid option",
		       optopt);
}

static int parse_getopt(const struct opts *o, int argc, char **argv, void *conf,
			struct opts_given *given, struct err *e)
{
	char letters[3 * OPTS_MAX + 2];
	struct option names[OPTS_MAX + 1];
	int c;

	getopt_tables(o, letters, names);
	opterr = 0;
	optind = 0; /* start anew, also in the middle of a word */
	for (;;) {
		int index = -1;
		struct met m = {0};

		c = getopt_long(argc, argv, letters, names, &index);
		if (c == -1)
			break;
		if (c == '?' || c == ':')
			return getopt_refused(names, c, argv[optind - 1], e);
		if (c >= LONG_ID) {
			m.row = (size_t)(c - LONG_ID);
			m.name = names[index].name;
		} else {
			m.row = real_row(o, find(o, c, NULL));
			m.letter = c;
		}
		m.value = optarg;
		if (take(o, &m, conf, given, e) < 0)
			return -1;
	}
	given->operands = argc - optind;
	given->operand = argv + optind;
	return 0;
}

/* ---- attached values --------------------------------------------------------------- */

/* The row whose spelling starts word, the longest if several do; "--name" must be whole.
 * o->count = none. *used = length of the spelling. */
static size_t attached_row(const struct opts *o, const char *word, size_t *used)
{
	size_t best = o->count;

	*used = 0;
	if (word[1] == '-') {
		*used = strlen(word);
		return find(o, 0, word + 2);
	}
	for (size_t i = 0; i < o->count; i++) {
		const struct opt *r = &o->rows[i];
		size_t len = 0;

		if (r->letter && r->letter == word[1])
			len = 2;
		else if (r->name && r->name[0] == '-' &&
			 strncmp(word, r->name, strlen(r->name)) == 0)
			len = strlen(r->name);
		if (len > *used) {
			*used = len;
			best = i;
		}
	}
	return best;
}

static bool looks_like_host(const char *word)
{
	struct in6_addr a;
	char lower = (char)(word[0] | 0x20);

	return (lower >= 'a' && lower <= 'z') || inet_pton(AF_INET, word, &a) == 1 ||
	       inet_pton(AF_INET6, word, &a) == 1;
}

/* Is the first of the n words that follow the value? */
static bool next_is_value(const struct opt *r, char **words, int n)
{
	if (n == 0)
		return false;
	if (!optional(r))
		return true;
	if (words[0][0] == '-')
		return false;
	/* Options come before the host. */
	return (n > 1 && words[1][0] == '-') || !looks_like_host(words[0]);
}

static int attached_unknown(const char *word, struct err *e)
{
	if (word[1] == '-')
		return err_set(e, ERR_USAGE, "", "unrecognized option '%s'", word);
	return err_set(e, ERR_USAGE, "", "invalid option -- '%s'", word + 1);
}

static int attached_missing(const char *word, struct err *e)
{
	if (word[1] == '-')
		return err_set(e, ERR_USAGE, "", "option '%s' requires an argument",
			       word);
	return err_set(e, ERR_USAGE, "", "option requires an argument -- '%s'", word + 1);
}

static int parse_attached(const struct opts *o, int argc, char **argv, void *conf,
			  struct opts_given *given, struct err *e)
{
	int i = argc > 0 ? 1 : 0;

	for (; i < argc && argv[i][0] == '-'; i++) {
		const char *word = argv[i];
		size_t used;
		size_t spelled = attached_row(o, word, &used);
		struct met m;
		const struct opt *r;

		if (spelled == o->count)
			return attached_unknown(word, e);
		m = (struct met){.row = real_row(o, spelled), .letter = word[1]};
		r = &o->rows[m.row];
		if (used != 2)
			m.name = o->rows[spelled].name;
		if (word[used] != '\0' && (r->arg || r->type == OPT_CALL))
			m.value = word + used;
		else if (r->arg && next_is_value(r, argv + i + 1, argc - i - 1))
			m.value = argv[++i];
		else if (r->arg && !optional(r))
			return attached_missing(word, e);
		if (take(o, &m, conf, given, e) < 0)
			return -1;
	}
	given->operands = argc - i;
	given->operand = argv + i;
	return 0;
}

int opts_parse(const struct opts *o, int argc, char **argv, void *conf,
	       struct opts_given *given, struct err *e)
{
	struct err unread;

	assert(o->count <= OPTS_MAX);
	if (!e)
		e = &unread;
	err_clear(e);
	*given = (struct opts_given){.operands = 0};
	if (argc == 2 && strcmp(argv[1], "--dump-options") == 0) {
		opts_dump(stdout, o);
		exit(0);
	}
	if (o->grammar == OPTS_ATTACHED)
		return parse_attached(o, argc, argv, conf, given, e);
	return parse_getopt(o, argc, argv, conf, given, e);
}

bool opts_seen(const struct opts *o, const struct opts_given *given, int letter,
	       const char *name)
{
	size_t row = letter || name ? find(o, letter, name) : o->count;

	return row < o->count && given->seen[real_row(o, row)];
}

const struct opt *opts_wrong_role(const struct opts *o, const struct opts_given *given,
				  unsigned role)
{
	for (size_t i = 0; i < o->count; i++) {
		unsigned roles = o->rows[i].roles;

		if (given->seen[i] && roles != OPT_ANY && !(roles & role))
			return &o->rows[i];
	}
	return NULL;
}

/* ---- help -------------------------------------------------------------------------- */

#define HELP_LABEL   28 /* columns at most before the text */
#define HELP_COLUMNS 80

/* "  -p, --port PORT", "  -x, --extra[=X]". Returns its width. */
static int label(const struct opts *o, const struct opt *r, char *buf, size_t size)
{
	const char letter[3] = {'-', (char)r->letter, '\0'};
	const char *indent = r->letter || r->name[0] == '-' ? "" : "    ";
	const char *glue = r->arg ? " " : "";
	const char *arg = r->arg ? r->arg : "";

	if (optional(r) && o->grammar == OPTS_GETOPT) {
		glue = r->name ? "[=" : "[";
		arg++;
	}
	return snprintf(buf, size, "  %s%s%s%s%s%s%s", indent, r->letter ? letter : "",
			r->letter && r->name ? ", " : "", r->name ? dashes(r->name) : "",
			r->name ? r->name : "", glue, arg);
}

/* Words of text, wrapped; the cursor stands in column already. */
static void wrapped(FILE *out, const char *text, int column)
{
	int at = column;

	while (*text != '\0') {
		int len = (int)strcspn(text, " \n");

		if (at > column && at + 1 + len > HELP_COLUMNS) {
			fprintf(out, "\n%*s", column, "");
			at = column;
		}
		at += fprintf(out, "%s%.*s", at > column ? " " : "", len, text);
		text += len;
		if (*text == '\n') {
			fprintf(out, "\n%*s", column, "");
			at = column;
		}
		if (*text != '\0')
			text++;
	}
	fputc('\n', out);
}

/* Where the texts begin. */
static int text_column(const struct opts *o)
{
	char buf[128];
	int column = 0;

	for (size_t i = 0; i < o->count; i++) {
		const struct opt *r = &o->rows[i];
		int width;

		if (!r->help || r->type == OPT_HEAD)
			continue;
		width = label(o, r, buf, sizeof(buf)) + 2;
		if (width > column && width <= HELP_LABEL)
			column = width;
	}
	return column;
}

void opts_help(FILE *out, const struct opts *o)
{
	const int column = text_column(o);
	char buf[128];

	for (size_t i = 0; i < o->count; i++) {
		int width;

		if (!o->rows[i].help)
			continue;
		if (o->rows[i].type == OPT_HEAD) {
			fprintf(out, "%s%s\n", i ? "\n" : "", o->rows[i].help);
			continue;
		}
		width = label(o, &o->rows[i], buf, sizeof(buf));
		fputs(buf, out);
		if (width + 2 > column)
			fprintf(out, "\n%*s", column, "");
		else
			fprintf(out, "%*s", column - width, "");
		wrapped(out, o->rows[i].help, column);
	}
}

void opts_dump(FILE *out, const struct opts *o)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct opt *r = &o->rows[i];
		const struct opt *real = &o->rows[real_row(o, i)];
		char letter[2] = {(char)r->letter, '\0'};

		if (r->type == OPT_HEAD)
			continue;
		fprintf(out, "%s\t%s\t%s\t%u\t", r->letter ? letter : "-",
			r->name ? r->name : "-", real->arg ? real->arg : "-",
			real->roles);
		if (r != real && real->letter)
			fprintf(out, "same as -%c\n", real->letter);
		else if (r != real)
			fprintf(out, "same as %s%s\n", dashes(real->name), real->name);
		else
			fprintf(out, "%s\n", r->help ? r->help : "-");
	}
}
