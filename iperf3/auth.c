/* SPDX-License-Identifier: BSD-2-Clause */
#include "auth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth_crypto.h"

/* ---- the password ---- */

int i3_auth_password(char *buf, size_t cap, struct err *e)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment */
	const char *from = getenv("IPERF3_PASSWORD");
	/* Longer than any password, so that one too long is seen as such. */
	char typed[1024];
	int result = 0;

	if (!from) {
		from = readpassphrase("Password: ", typed, sizeof(typed),
				      RPP_ECHO_OFF | RPP_REQUIRE_TTY);
		if (!from)
			return err_sys(e, "password");
	}
	if (strlcpy(buf, from, cap) >= cap) {
		explicit_bzero(buf, cap);
		result = err_set(e, ERR_USAGE, "password", "longer than %zu bytes",
				 cap - 1);
	}
	explicit_bzero(typed, sizeof(typed));
	return result;
}

/* ---- tokens ---- */

char *i3_auth_token(struct i3_key *public_key, enum i3_padding padding, const char *user,
		    const char *password, int64_t unix_s, struct err *e)
{
	char clear[I3_USER_MAX + I3_PASSWORD_MAX + 64];
	char *text = NULL;
	int n;

	if (strchr(user, '\n') || strchr(password, '\n')) {
		err_set(e, ERR_USAGE, "token", "name or password has more than one line");
		return NULL;
	}
	if (strlen(user) >= I3_USER_MAX || strlen(password) >= I3_PASSWORD_MAX) {
		err_set(e, ERR_USAGE, "token", "name or password too long");
		return NULL;
	}
	n = snprintf(clear, sizeof(clear), "user: %s\npwd:  %s\nts:   %lld", user,
		     password, (long long)unix_s);
	text = i3_crypto_seal(public_key, padding, clear, (size_t)n, e);
	explicit_bzero(clear, sizeof(clear));
	return text;
}

/* The line at *at, without its label, into out. Moves *at behind it. */
static bool take_line(const char **at, const char *end, const char *label, char *out,
		      size_t cap)
{
	size_t label_len = strlen(label);
	const char *from, *stop;

	if ((size_t)(end - *at) < label_len || memcmp(*at, label, label_len) != 0)
		return false;
	from = *at + label_len;
	stop = memchr(from, '\n', (size_t)(end - from));
	if (!stop)
		stop = end;
	if ((size_t)(stop - from) >= cap || memchr(from, '\0', (size_t)(stop - from)))
		return false;
	memcpy(out, from, (size_t)(stop - from));
	out[stop - from] = '\0';
	*at = stop < end ? stop + 1 : end;
	return true;
}

static bool parse_clear(const unsigned char *clear, size_t len, struct i3_login *login)
{
	const char *at = (const char *)clear;
	const char *end = at + len;
	const char *why = NULL;
	char seconds[32];

	if (!take_line(&at, end, "user: ", login->user, sizeof(login->user)) ||
	    !take_line(&at, end, "pwd:  ", login->password, sizeof(login->password)) ||
	    !take_line(&at, end, "ts:   ", seconds, sizeof(seconds)))
		return false;
	login->unix_s = strtonum(seconds, 0, INT64_MAX, &why);
	return !why && login->user[0] != '\0';
}

int i3_auth_open(struct i3_key *private_key, enum i3_padding padding, const char *token,
		 struct i3_login *login, struct err *e)
{
	size_t len = 0;
	unsigned char *clear = i3_crypto_open(private_key, padding, token, &len, e);
	bool good;

	*login = (struct i3_login){.unix_s = 0};
	if (!clear)
		return -1;
	good = parse_clear(clear, len, login);
	explicit_bzero(clear, len);
	free(clear);
	if (good)
		return 0;
	explicit_bzero(login, sizeof(*login));
	return err_set(e, ERR_PEER, "token", "not in the expected form");
}

/* ---- users ---- */

#define HASH_CAP (2 * I3_SHA256_BYTES + 1) /* lower-case hex and a NUL */

/* SHA-256 of "{user}password". */
static int password_hash(const struct i3_login *login, char hex[static HASH_CAP],
			 struct err *e)
{
	char salted[I3_USER_MAX + I3_PASSWORD_MAX + 3];
	unsigned char sum[I3_SHA256_BYTES];
	int n = snprintf(salted, sizeof(salted), "{%s}%s", login->user, login->password);
	int result = i3_crypto_sha256(salted, (size_t)n, sum, e);

	explicit_bzero(salted, sizeof(salted));
	if (result < 0)
		return -1;
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	return 0;
}

/* In a time that does not depend on where they differ. */
static bool same_hash(const char a[static HASH_CAP], const char b[static HASH_CAP])
{
	unsigned char differ = 0;

	for (size_t i = 0; i < HASH_CAP; i++)
		differ |= (unsigned char)(a[i] ^ b[i]);
	return differ == 0;
}

struct verdict {
	bool user, password;
};

/* One line of the file: name,hash and perhaps more fields. */
static void try_line(char *line, const struct i3_login *login,
		     const char hex[static HASH_CAP], struct verdict *v)
{
	char hash[HASH_CAP] = "";
	char *rest = NULL;
	const char *name, *field;
	bool user, password;

	line[strcspn(line, "\r\n")] = '\0';
	if (line[0] == '#')
		return;
	name = strtok_r(line, ",", &rest);
	field = strtok_r(NULL, ",", &rest);
	if (!name || !field)
		return;
	user = strcmp(name, login->user) == 0;
	password = strlcpy(hash, field, sizeof(hash)) == HASH_CAP - 1;
	password &= same_hash(hash, hex);
	v->user |= user;
	v->password |= user & password;
}

/* To the end of the file also when the user was found: time must not tell where. */
static int look_up(const char *users_path, const struct i3_login *login,
		   struct verdict *v, struct err *e)
{
	char hex[HASH_CAP];
	char *line = NULL;
	size_t cap = 0;
	FILE *f = NULL;
	int result = 0;

	if (password_hash(login, hex, e) < 0)
		return -1;
	f = fopen(users_path, "re");
	if (!f)
		return err_sys(e, users_path);
	while (getline(&line, &cap, f) >= 0)
		try_line(line, login, hex, v);
	if (ferror(f))
		result = err_sys(e, users_path);
	free(line);
	fclose(f);
	return result;
}

int i3_auth_check(const char *users_path, const struct i3_login *login,
		  int64_t now_unix_s, unsigned skew_s, struct err *e)
{
	/* Neither is negative, so this cannot overflow. */
	int64_t ahead_s = login->unix_s - now_unix_s;
	struct verdict v = {false, false};

	if (look_up(users_path, login, &v, e) < 0)
		return -1;
	if (ahead_s > (int64_t)skew_s || -ahead_s > (int64_t)skew_s)
		return err_set(e, ERR_PEER, "login",
			       "clock of the client is %lld s from ours (allowed: %u)",
			       (long long)ahead_s, skew_s);
	if (!v.user)
		return err_set(e, ERR_PEER, "login", "no such user");
	if (!v.password)
		return err_set(e, ERR_PEER, "login", "wrong password");
	return 0;
}
