/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stands in until auth.c exists. */
#include "auth.h"

#define WEAK __attribute__((weak))

WEAK bool i3_auth_available(void)
{
	return false;
}

WEAK struct i3_key *i3_auth_public_key(const char *path, struct err *e)
{
	err_set(e, ERR_UNSUPPORTED, path, "no authentication");
	return NULL;
}

WEAK struct i3_key *i3_auth_private_key(const char *path, struct err *e)
{
	return i3_auth_public_key(path, e);
}

WEAK void i3_auth_key_free(struct i3_key *k)
{
	(void)k;
}

WEAK char *i3_auth_token(struct i3_key *k, enum i3_padding padding, const char *user,
			 const char *password, int64_t unix_s, struct err *e)
{
	(void)k, (void)padding, (void)user, (void)password, (void)unix_s;
	err_set(e, ERR_UNSUPPORTED, "token", "no authentication");
	return NULL;
}

WEAK int i3_auth_open(struct i3_key *k, enum i3_padding padding, const char *token,
		      struct i3_login *login, struct err *e)
{
	(void)k, (void)padding, (void)token, (void)login;
	return err_set(e, ERR_UNSUPPORTED, "token", "no authentication");
}

WEAK int i3_auth_check(const char *users_path, const struct i3_login *login,
		       int64_t now_unix_s, unsigned skew_s, struct err *e)
{
	(void)users_path, (void)login, (void)now_unix_s, (void)skew_s;
	return err_set(e, ERR_UNSUPPORTED, "user", "no authentication");
}

WEAK int i3_auth_password(char *buf, size_t cap, struct err *e)
{
	(void)buf, (void)cap;
	return err_set(e, ERR_UNSUPPORTED, "password", "no authentication");
}
