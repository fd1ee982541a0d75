/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Authentication: the client encrypts name, password and time with the server's RSA
 * public key; the server decrypts and looks the user up in a file. libcrypto is loaded
 * when first needed, so a test without authentication neither links nor maps it.
 *
 * Clear text of a token:  user: NAME\npwd:  PASSWORD\nts:   SECONDS
 * (one, two and three blanks; no newline at the end). The token is its RSA encryption,
 * OAEP with SHA-1 (3.17 and newer) or PKCS #1 v1.5 (older), in base64 on one line. */
#ifndef I3_AUTH_H
#define I3_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define I3_USER_MAX     128
#define I3_PASSWORD_MAX 256

enum i3_padding {
	I3_PAD_OAEP,
	I3_PAD_PKCS1,
};

struct i3_key; /* an RSA key */

/* Was this program built with libcrypto's headers? (It may still be missing at run time:
 * then reading a key fails with ERR_UNSUPPORTED.) */
bool i3_auth_available(void);

/* Read a PEM file. Return a key for i3_auth_key_free(), or NULL with e filled: what is
 * the path, text the reason. */
struct i3_key *i3_auth_public_key(const char *path, struct err *e);
struct i3_key *i3_auth_private_key(const char *path, struct err *e);
void i3_auth_key_free(struct i3_key *k);

/* Returns the token in base64 (free() it), or NULL with e filled (ERR_USAGE when the text
 * does not fit the key). unix_s: seconds since 1970. */
char *i3_auth_token(struct i3_key *public_key, enum i3_padding padding, const char *user,
		    const char *password, int64_t unix_s, struct err *e);

struct i3_login {
	char user[I3_USER_MAX];
	char password[I3_PASSWORD_MAX];
	int64_t unix_s;
};

/* Decrypt a token of at most 8192 characters. Each field runs to the end of its line, so
 * that blanks are part of it. Returns 0, or -1 with e filled: ERR_PEER. The caller wipes
 * login (explicit_bzero) after use. */
int i3_auth_open(struct i3_key *private_key, enum i3_padding padding, const char *token,
		 struct i3_login *login, struct err *e);

/* Is the user in the file with that password, and the clock of the client within skew_s
 * of now_unix_s? The file is read at each call: lines "name,hash"; empty lines, lines
 * without comma and lines that begin with # are skipped, CR and LF are no part of them;
 * hash is the lower-case hex SHA-256 of "{name}password". Comparison takes the same time
 * whatever differs. Returns 0, or -1 with e filled: ERR_PEER (refused: text says why, for
 * the server's log only) or ERR_SYS (file). */
int i3_auth_check(const char *users_path, const struct i3_login *login,
		  int64_t now_unix_s, unsigned skew_s, struct err *e);

/* The password: environment variable IPERF3_PASSWORD, else a prompt "Password: " on the
 * terminal without echo. Returns 0, or -1 with e filled (no terminal, too long). */
int i3_auth_password(char *buf, size_t cap, struct err *e);

#endif
