/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tokens of unknown clients, and users files. The first byte chooses what the rest is. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../iperf3/auth.h"
#include "../../iperf3/auth_crypto.h"
#include "../../iperf3/test/i3_keys.h"
#include "fuzz.h"

#define NOW 1700000000

/* printf '{anna}secret' | sha256sum */
static const char hash_anna[] =
	"5265f3d2cd79f0cefff0cbd2b1648de28305ea301b34677a2a56b4163326dcf3";

static int file_of(const void *data, size_t len, char *path, size_t cap)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	MUST(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	snprintf(path, cap, "/proc/self/fd/%d", fd);
	return fd;
}

static struct i3_key *key_of(const char *pem, size_t len, bool private)
{
	char path[64];
	int fd = file_of(pem, len, path, sizeof(path));
	struct err e;
	struct i3_key *k = private ? i3_auth_private_key(path, &e)
				   : i3_auth_public_key(path, &e);

	close(fd);
	return k;
}

static void in_bounds(const struct i3_login *login)
{
	MUST(memchr(login->user, '\0', sizeof(login->user)) != NULL);
	MUST(memchr(login->password, '\0', sizeof(login->password)) != NULL);
	MUST(login->unix_s >= 0);
}

static void token(struct i3_key *k, enum i3_padding padding, const char *text)
{
	struct i3_login login;
	struct err e = {0};

	if (i3_auth_open(k, padding, text, &login, &e) < 0) {
		MUST(e.code == ERR_PEER && e.text[0] != '\0');
		MUST(login.user[0] == '\0' && login.password[0] == '\0');
	} else {
		MUST(login.user[0] != '\0');
	}
	in_bounds(&login);
}

/* What somebody who has the public key may put into a token. */
static void clear_text(struct i3_key *public, struct i3_key *private, const char *text,
		       size_t len)
{
	struct err e;
	char *sealed = i3_crypto_seal(public, I3_PAD_PKCS1, text, len, &e);

	if (sealed)
		token(private, I3_PAD_PKCS1, sealed);
	free(sealed);
}

static void users(const char *text, size_t len)
{
	const struct i3_login login = {"anna", "secret", NOW};
	struct err e = {0};
	char path[64];
	int fd = file_of(text, len, path, sizeof(path));
	int result = i3_auth_check(path, &login, NOW, 10, &e);

	close(fd);
	MUST(result == 0 || (e.code == ERR_PEER && e.text[0] != '\0'));
	MUST(result < 0 || memmem(text, len, hash_anna, strlen(hash_anna)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct i3_key *public, *private;
	char *rest;

	if (!i3_auth_available() || size < 1)
		return 0;
	if (!public) {
		public = key_of(key_small_public, strlen(key_small_public), false);
		private = key_of(key_small_private, strlen(key_small_private), true);
		MUST(public && private);
	}
	rest = malloc(size);
	if (!rest)
		return 0;
	memcpy(rest, data + 1, size - 1);
	rest[size - 1] = '\0';
	if (data[0] == 'c') {
		clear_text(public, private, rest, size - 1);
	} else if (data[0] == 'u') {
		users(rest, size - 1);
	} else if (data[0] == 'k') {
		i3_auth_key_free(key_of(rest, size - 1, false));
	} else {
		token(private, I3_PAD_OAEP, rest);
		token(private, I3_PAD_PKCS1, rest);
	}
	free(rest);
	return 0;
}
