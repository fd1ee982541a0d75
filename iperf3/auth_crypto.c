/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Linking libcrypto would double the start-up time of every run (0.6 ms of relocation
 * and mapping, lazy binding or not), so its functions are looked up when a key is read or
 * a password hashed. Only names that have been functions from OpenSSL 1.1.1 on. */
#include "auth_crypto.h"

#if !HAVE_CRYPTO

static int unsupported(const char *what, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, what, "built without libcrypto");
}

bool i3_auth_available(void)
{
	return false;
}

struct i3_key *i3_auth_public_key(const char *path, struct err *e)
{
	unsupported(path, e);
	return NULL;
}

struct i3_key *i3_auth_private_key(const char *path, struct err *e)
{
	unsupported(path, e);
	return NULL;
}

void i3_auth_key_free(struct i3_key *k)
{
	(void)k;
}

char *i3_crypto_seal(struct i3_key *public_key, enum i3_padding padding,
		     const void *clear, size_t len, struct err *e)
{
	(void)public_key, (void)padding, (void)clear, (void)len;
	unsupported("token", e);
	return NULL;
}

unsigned char *i3_crypto_open(struct i3_key *private_key, enum i3_padding padding,
			      const char *token, size_t *len, struct err *e)
{
	(void)private_key, (void)padding, (void)token, (void)len;
	unsupported("token", e);
	return NULL;
}

int i3_crypto_sha256(const void *data, size_t len,
		     unsigned char sum[static I3_SHA256_BYTES], struct err *e)
{
	(void)data, (void)len, (void)sum;
	return unsupported("SHA-256", e);
}

#else /* HAVE_CRYPTO */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_FILE_MAX 65536

/* ---- the library ---- */

#define CRYPTO_FUNCTIONS(X)        \
	X(BIO_new_mem_buf)         \
	X(BIO_free)                \
	X(PEM_read_bio_PUBKEY)     \
	X(PEM_read_bio_PrivateKey) \
	X(EVP_PKEY_free)           \
	X(EVP_PKEY_CTX_new)        \
	X(EVP_PKEY_CTX_free)       \
	X(EVP_PKEY_CTX_ctrl_str)   \
	X(EVP_PKEY_encrypt_init)   \
	X(EVP_PKEY_encrypt)        \
	X(EVP_PKEY_decrypt_init)   \
	X(EVP_PKEY_decrypt)        \
	X(EVP_EncodeBlock)         \
	X(EVP_DecodeBlock)         \
	X(EVP_Digest)              \
	X(EVP_sha256)              \
	X(ERR_clear_error)         \
	X(ERR_peek_last_error)     \
	X(ERR_reason_error_string)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define MEMBER(name)  __typeof__(name) *name;
#define LOOK_UP(name) {#name, offsetof(struct crypto, name)},

struct crypto {
	void *handle;
	CRYPTO_FUNCTIONS(MEMBER)
};

/* The library whose headers this was built with: a later one may have other types. */
#define TEXT_OF(x)    #x
#define VALUE_OF(x)   TEXT_OF(x)
#if defined(OPENSSL_SHLIB_VERSION)
#define CRYPTO_NAME "libcrypto.so." VALUE_OF(OPENSSL_SHLIB_VERSION)
#elif defined(SHLIB_VERSION_NUMBER)
#define CRYPTO_NAME "libcrypto.so." SHLIB_VERSION_NUMBER
#else
#define CRYPTO_NAME "libcrypto.so"
#endif

static void crypto_close(struct crypto *c)
{
	if (c->handle)
		dlclose(c->handle);
}

/* Cheap when the library is there already. */
static int crypto_open(struct crypto *c, struct err *e)
{
	static const struct {
		const char *name;
		size_t offset;
	} functions[] = {CRYPTO_FUNCTIONS(LOOK_UP)};

	c->handle = dlopen(CRYPTO_NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!c->handle)
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps it per thread */
		return err_set(e, ERR_UNSUPPORTED, CRYPTO_NAME, "%s", dlerror());
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		void *at = dlsym(c->handle, functions[i].name);

		if (!at) {
			crypto_close(c);
			return err_set(e, ERR_UNSUPPORTED, CRYPTO_NAME, "has no %s",
				       functions[i].name);
		}
		/* ISO C has no cast from an object pointer to a function pointer. */
		memcpy((char *)c + functions[i].offset, &at, sizeof(at));
	}
	return 0;
}

/* Why the last call of the library failed. */
static const char *crypto_reason(const struct crypto *c)
{
	const char *text = c->ERR_reason_error_string(c->ERR_peek_last_error());

	return text ? text : "not accepted by libcrypto";
}

bool i3_auth_available(void)
{
	return true;
}

/* ---- keys ---- */

struct i3_key {
	struct crypto crypto;
	EVP_PKEY *pkey;
};

/* A context for one RSA operation, or NULL. */
static EVP_PKEY_CTX *rsa_context(const struct i3_key *k, bool encrypt,
				 enum i3_padding padding)
{
	const struct crypto *c = &k->crypto;
	EVP_PKEY_CTX *ctx;
	int ok;

	c->ERR_clear_error();
	ctx = c->EVP_PKEY_CTX_new(k->pkey, NULL);
	if (!ctx)
		return NULL;
	ok = encrypt ? c->EVP_PKEY_encrypt_init(ctx) : c->EVP_PKEY_decrypt_init(ctx);
	if (ok > 0)
		ok = c->EVP_PKEY_CTX_ctrl_str(ctx, "rsa_padding_mode",
					      padding == I3_PAD_OAEP ? "oaep" : "pkcs1");
	if (ok > 0)
		return ctx;
	c->EVP_PKEY_CTX_free(ctx);
	return NULL;
}

/* Returns the file's contents (free() it) and its length. */
static char *read_key_file(const char *path, size_t *len, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = malloc(KEY_FILE_MAX);
	ssize_t n = -1;

	*len = 0;
	if (fd < 0 || !text)
		goto out;
	do {
		n = read(fd, text + *len, KEY_FILE_MAX - *len);
		if (n > 0)
			*len += (size_t)n;
	} while (*len < KEY_FILE_MAX && (n > 0 || (n < 0 && errno == EINTR)));
out:
	if (n < 0) {
		err_sys(e, path);
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static EVP_PKEY *parse_key(const struct crypto *c, char *text, size_t len, bool private)
{
	BIO *bio;
	EVP_PKEY *pkey = NULL;

	c->ERR_clear_error();
	bio = c->BIO_new_mem_buf(text, (int)len);
	if (!bio)
		return NULL;
	/* A key under a pass phrase: libcrypto asks for it on the terminal. */
	if (private)
		pkey = c->PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
	else
		pkey = c->PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
	c->BIO_free(bio);
	return pkey;
}

static struct i3_key *read_key(const char *path, bool private, struct err *e)
{
	struct i3_key *k = calloc(1, sizeof(*k));
	EVP_PKEY_CTX *ctx = NULL;
	size_t len = 0;
	char *text = NULL;

	if (!k) {
		err_sys(e, path);
		return NULL;
	}
	text = read_key_file(path, &len, e);
	if (!text || crypto_open(&k->crypto, e) < 0)
		goto out;
	k->pkey = parse_key(&k->crypto, text, len, private);
	if (!k->pkey) {
		err_set(e, ERR_USAGE, path, "%s", crypto_reason(&k->crypto));
		goto out;
	}
	/* A key of another kind is told now, not at the first client. */
	ctx = rsa_context(k, !private, I3_PAD_OAEP);
	if (!ctx)
		err_set(e, ERR_USAGE, path, "no RSA key");
out:
	if (text)
		explicit_bzero(text, len);
	free(text);
	if (ctx) {
		k->crypto.EVP_PKEY_CTX_free(ctx);
		return k;
	}
	i3_auth_key_free(k);
	return NULL;
}

struct i3_key *i3_auth_public_key(const char *path, struct err *e)
{
	return read_key(path, false, e);
}

struct i3_key *i3_auth_private_key(const char *path, struct err *e)
{
	return read_key(path, true, e);
}

void i3_auth_key_free(struct i3_key *k)
{
	if (!k)
		return;
	if (k->pkey)
		k->crypto.EVP_PKEY_free(k->pkey);
	crypto_close(&k->crypto);
	free(k);
}

/* ---- RSA, base64, SHA-256 ---- */

/* Encrypt or decrypt. *out is allocated (free() it). Returns 0, or -1 with e filled. */
static int rsa(struct i3_key *k, bool encrypt, enum i3_padding padding,
	       const unsigned char *in, size_t in_len, unsigned char **out,
	       size_t *out_len, struct err *e)
{
	const struct crypto *c = &k->crypto;
	EVP_PKEY_CTX *ctx = rsa_context(k, encrypt, padding);
	__typeof__(c->EVP_PKEY_encrypt) step = encrypt ? c->EVP_PKEY_encrypt
						       : c->EVP_PKEY_decrypt;
	int result = 0;

	*out = NULL;
	*out_len = 0;
	/* First for the room that is needed. */
	if (!ctx || step(ctx, NULL, out_len, in, in_len) <= 0)
		goto refused;
	*out = malloc(*out_len ? *out_len : 1);
	if (!*out) {
		result = err_sys(e, "token");
		goto out;
	}
	if (step(ctx, *out, out_len, in, in_len) > 0)
		goto out;
	free(*out);
	*out = NULL;
refused:
	result = err_set(e, encrypt ? ERR_USAGE : ERR_PEER, "token", "%s",
			 crypto_reason(c));
out:
	c->EVP_PKEY_CTX_free(ctx);
	return result;
}

static char *to_base64(const struct crypto *c, const unsigned char *data, size_t len,
		       struct err *e)
{
	char *text = malloc((len + 2) / 3 * 4 + 1);

	if (!text)
		err_sys(e, "token");
	else
		c->EVP_EncodeBlock((unsigned char *)text, data, (int)len);
	return text;
}

char *i3_crypto_seal(struct i3_key *public_key, enum i3_padding padding,
		     const void *clear, size_t len, struct err *e)
{
	unsigned char *sealed = NULL;
	size_t sealed_len = 0;
	char *text;

	if (rsa(public_key, true, padding, clear, len, &sealed, &sealed_len, e) < 0)
		return NULL;
	text = to_base64(&public_key->crypto, sealed, sealed_len, e);
	free(sealed);
	return text;
}

/* Returns the number of bytes written to out, which has room for 3 of 4 characters. */
static int from_base64(const struct crypto *c, const char *text, size_t len,
		       unsigned char *out)
{
	int n, pad = 0;

	/* EVP_DecodeBlock() skips blanks at both ends, and counts the padding as bytes.
	 */
	if (len == 0 || len % 4 != 0 || strpbrk(text, " \t\r\n"))
		return -1;
	while (pad < 2 && text[len - 1 - (size_t)pad] == '=')
		pad++;
	n = c->EVP_DecodeBlock(out, (const unsigned char *)text, (int)len);
	return n < pad ? -1 : n - pad;
}

unsigned char *i3_crypto_open(struct i3_key *private_key, enum i3_padding padding,
			      const char *token, size_t *len, struct err *e)
{
	unsigned char sealed[I3_TOKEN_MAX / 4 * 3];
	size_t text_len = strnlen(token, I3_TOKEN_MAX + 1);
	unsigned char *clear = NULL;
	int n;

	*len = 0;
	if (text_len > I3_TOKEN_MAX) {
		err_set(e, ERR_PEER, "token", "longer than %d", I3_TOKEN_MAX);
		return NULL;
	}
	n = from_base64(&private_key->crypto, token, text_len, sealed);
	if (n < 0)
		err_set(e, ERR_PEER, "token", "no base64");
	else
		rsa(private_key, false, padding, sealed, (size_t)n, &clear, len, e);
	return clear;
}

int i3_crypto_sha256(const void *data, size_t len,
		     unsigned char sum[static I3_SHA256_BYTES], struct err *e)
{
	struct crypto c;
	int result = 0;

	if (crypto_open(&c, e) < 0)
		return -1;
	c.ERR_clear_error();
	if (c.EVP_Digest(data, len, sum, NULL, c.EVP_sha256(), NULL) <= 0)
		result = err_set(e, ERR_UNSUPPORTED, "SHA-256", "%s", crypto_reason(&c));
	crypto_close(&c);
	return result;
}

#endif /* HAVE_CRYPTO */
