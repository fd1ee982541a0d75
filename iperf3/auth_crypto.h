/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What authentication needs of libcrypto, for auth.c. This part also defines
 * i3_auth_available(), the reading of keys and i3_auth_key_free() of auth.h. */
#ifndef I3_AUTH_CRYPTO_H
#define I3_AUTH_CRYPTO_H

#include "auth.h"

#define I3_TOKEN_MAX    8192 /* characters of base64 */
#define I3_SHA256_BYTES 32

/* RSA, then base64. Returns a string (free() it), or NULL with e filled: ERR_USAGE when
 * the text does not fit the key. */
char *i3_crypto_seal(struct i3_key *public_key, enum i3_padding padding,
		     const void *clear, size_t len, struct err *e);

/* The reverse. Returns *len bytes without a NUL (free() them), or NULL with e filled:
 * ERR_PEER. */
unsigned char *i3_crypto_open(struct i3_key *private_key, enum i3_padding padding,
			      const char *token, size_t *len, struct err *e);

/* Returns 0, or -1 with e filled: ERR_UNSUPPORTED. */
int i3_crypto_sha256(const void *data, size_t len,
		     unsigned char sum[static I3_SHA256_BYTES], struct err *e);

#endif
