/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auth.h"
#include "test/check_main.h"
#include "i3_keys.h"

#define NOW 1700000000

/* A file in memory: its path in a buffer that the caller gives. */
struct file {
	int fd;
	char path[64];
};

static void file_open(struct file *f, const char *text)
{
	size_t len = strlen(text);

	f->fd = memfd_create("test", MFD_CLOEXEC);
	ck_assert_int_ge(f->fd, 0);
	ck_assert_int_eq(write(f->fd, text, len), (ssize_t)len);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

static void file_close(struct file *f)
{
	close(f->fd);
}

static struct i3_key *key_of(const char *pem, bool private, struct err *e)
{
	struct i3_key *k;
	struct file f;

	file_open(&f, pem);
	k = private ? i3_auth_private_key(f.path, e) : i3_auth_public_key(f.path, e);
	file_close(&f);
	return k;
}

static struct i3_key *key_good(const char *pem, bool private)
{
	struct err e = {0};
	struct i3_key *k = key_of(pem, private, &e);

	ck_assert_msg(k != NULL, "%s: %s", e.what, e.text);
	return k;
}

static bool built_without(void)
{
	struct err e = {0};

	if (i3_auth_available())
		return false;
	ck_assert_ptr_null(key_of(key_public, false, &e));
	ck_assert_int_eq(e.code, ERR_UNSUPPORTED);
	ck_assert_str_eq(e.text, "built without libcrypto");
	return true;
}

/* ---- keys ---- */

START_TEST(keys_that_are_refused)
{
	static const struct {
		const char *pem;
		bool private;
	} rows[] = {
		{"", false},
		{"", true},
		{"no key at all\n", false},
		{key_private, false},
		{key_public, true},
		{key_ec_public, false},
		{"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n", false},
		{"-----BEGIN PRIVATE KEY-----\n", true},
	};

	if (built_without())
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};

		ck_assert_ptr_null(key_of(rows[i].pem, rows[i].private, &e));
		ck_assert_int_eq(e.code, ERR_USAGE);
		ck_assert_str_ne(e.text, "");
	}
}
END_TEST

START_TEST(key_files_that_cannot_be_read)
{
	struct err e = {0};

	if (built_without())
		return;
	ck_assert_ptr_null(i3_auth_public_key("/nonexistent/key.pem", &e));
	ck_assert_int_eq(e.code, ERR_SYS);
	ck_assert_str_eq(e.what, "/nonexistent/key.pem");
	ck_assert_str_eq(e.text, "No such file or directory");
	ck_assert_ptr_null(i3_auth_private_key("/", &e));
	ck_assert_str_eq(e.text, "Is a directory");
	/* Endless: the size is bounded. */
	ck_assert_ptr_null(i3_auth_private_key("/dev/zero", &e));
	ck_assert_int_eq(e.code, ERR_USAGE);
	i3_auth_key_free(NULL);
}
END_TEST

/* ---- tokens ---- */

static void round_trip(enum i3_padding padding, const char *user, const char *password,
		       int64_t unix_s)
{
	struct i3_key *public = key_good(key_public, false);
	struct i3_key *private = key_good(key_private, true);
	struct i3_login login;
	struct err e = {0};
	char *token = i3_auth_token(public, padding, user, password, unix_s, &e);

	ck_assert_msg(token != NULL, "%s: %s", e.what, e.text);
	ck_assert_uint_eq(strlen(token), 344);
	ck_assert_uint_eq(strcspn(token, "\n "), 344);
	ck_assert_msg(i3_auth_open(private, padding, token, &login, &e) == 0, "%s",
		      e.text);
	ck_assert_str_eq(login.user, user);
	ck_assert_str_eq(login.password, password);
	ck_assert_int_eq(login.unix_s, unix_s);
	free(token);
	i3_auth_key_free(public);
	i3_auth_key_free(private);
}

START_TEST(token_round_trip)
{
	if (built_without())
		return;
	for (int p = I3_PAD_OAEP; p <= I3_PAD_PKCS1; p++) {
		round_trip((enum i3_padding)p, "anna", "secret", NOW);
		round_trip((enum i3_padding)p, "anna maria", " two  blanks ", NOW);
		round_trip((enum i3_padding)p, " ", "", 0);
		round_trip((enum i3_padding)p, "j\xc3\xb6rg", "pwd:  x,%s%n", INT64_MAX);
	}
}
END_TEST

START_TEST(tokens_of_other_programs)
{
	struct i3_key *k;
	struct i3_login login;
	struct err e = {0};

	if (built_without())
		return;
	k = key_good(key_private, true);
	ck_assert_int_eq(i3_auth_open(k, I3_PAD_PKCS1, token_pkcs1, &login, &e), 0);
	ck_assert_str_eq(login.user, "anna");
	ck_assert_str_eq(login.password, "secret");
	ck_assert_int_eq(login.unix_s, 1796074757);
	ck_assert_int_eq(i3_auth_open(k, I3_PAD_OAEP, token_oaep, &login, &e), 0);
	ck_assert_str_eq(login.user, "anna");
	ck_assert_str_eq(login.password, "secret");
	ck_assert_int_eq(login.unix_s, 1700000000);
	i3_auth_key_free(k);
}
END_TEST

static void refuse_open(struct i3_key *k, enum i3_padding padding, const char *token)
{
	struct i3_login login;
	struct err e = {0};

	memset(&login, 'x', sizeof(login));
	ck_assert_int_eq(i3_auth_open(k, padding, token, &login, &e), -1);
	ck_assert_int_eq(e.code, ERR_PEER);
	ck_assert_str_ne(e.text, "");
	ck_assert_str_eq(login.user, "");
	ck_assert_str_eq(login.password, "");
}

START_TEST(wrong_padding)
{
	struct i3_key *k;

	if (built_without())
		return;
	k = key_good(key_private, true);
	refuse_open(k, I3_PAD_OAEP, token_pkcs1);
	refuse_open(k, I3_PAD_PKCS1, token_oaep);
	i3_auth_key_free(k);
}
END_TEST

START_TEST(garbage_tokens)
{
	static const char *const rows[] = {
		"",     "=",     "====",     "A===",  "not base64!!", "AAAA",
		"AAA=", "AAAAA", "AAAA AAA", " AAAA", "AAAA\n",       "\xff\xff\xff\xff",
		"AA=A", "=AAA",  "AA==AAAA",
	};
	struct i3_key *k;
	char *text;

	if (built_without())
		return;
	k = key_good(key_private, true);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		refuse_open(k, I3_PAD_OAEP, rows[i]);
		refuse_open(k, I3_PAD_PKCS1, rows[i]);
	}
	/* Of the right length, and one cut, one longer. */
	text = calloc(1, 20001);
	ck_assert_ptr_nonnull(text);
	for (size_t len = 340; len <= 348; len += 4) {
		memset(text, 'A', len);
		refuse_open(k, I3_PAD_OAEP, text);
		refuse_open(k, I3_PAD_PKCS1, text);
	}
	strlcpy(text, token_oaep, 341);
	refuse_open(k, I3_PAD_OAEP, text);
	snprintf(text, 20000, "%sAAAA", token_oaep);
	refuse_open(k, I3_PAD_OAEP, text);
	memset(text, 'A', 20000);
	refuse_open(k, I3_PAD_OAEP, text);
	text[8196] = '\0';
	refuse_open(k, I3_PAD_OAEP, text);
	text[8192] = '\0';
	refuse_open(k, I3_PAD_OAEP, text);
	free(text);
	i3_auth_key_free(k);
}
END_TEST

static void refuse_token(struct i3_key *k, enum i3_padding padding, const char *user,
			 const char *password)
{
	struct err e = {0};

	ck_assert_ptr_null(i3_auth_token(k, padding, user, password, NOW, &e));
	ck_assert_int_eq(e.code, ERR_USAGE);
	ck_assert_str_eq(e.what, "token");
	ck_assert_str_ne(e.text, "");
}

START_TEST(text_that_does_not_fit)
{
	char longest[I3_PASSWORD_MAX], wide[I3_PASSWORD_MAX + 1];
	struct i3_key *k, *small;
	struct err e = {0};
	char *token;

	if (built_without())
		return;
	k = key_good(key_public, false);
	small = key_good(key_small_public, false);
	memset(longest, 'p', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	memset(wide, 'p', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	refuse_token(k, I3_PAD_OAEP, "anna", wide);
	refuse_token(k, I3_PAD_OAEP, wide, "secret");
	refuse_token(k, I3_PAD_OAEP, "anna", longest);
	refuse_token(k, I3_PAD_OAEP, "anna", "two\nlines");
	refuse_token(k, I3_PAD_OAEP, "two\nlines", "secret");
	/* 30 bytes beside name and password. */
	longest[86 - 30 - 4 + 1] = '\0';
	refuse_token(small, I3_PAD_OAEP, "anna", longest);
	longest[86 - 30 - 4] = '\0';
	token = i3_auth_token(small, I3_PAD_OAEP, "anna", longest, NOW, &e);
	ck_assert_msg(token != NULL, "%s", e.text);
	free(token);
	i3_auth_key_free(k);
	i3_auth_key_free(small);
}
END_TEST

/* ---- users ---- */

/* printf '{NAME}secret' | sha256sum */
#define HASH_ANNA  "5265f3d2cd79f0cefff0cbd2b1648de28305ea301b34677a2a56b4163326dcf3"
#define HASH_BEN   "fd54a7b5451316152131f9a83764604475ce7f5673beb0d2f9a9ffff935e17d0"
#define HASH_SHARP "bb79adc98b84f066286d435d57090e0fa202893d15f8b4667e6b0cf327a28c50"

static int check_login(const char *users, const char *user, const char *password,
		       int64_t unix_s, struct err *e)
{
	struct i3_login login = {.unix_s = unix_s};
	struct file f;
	int result;

	strlcpy(login.user, user, sizeof(login.user));
	strlcpy(login.password, password, sizeof(login.password));
	file_open(&f, users);
	result = i3_auth_check(f.path, &login, NOW, 10, e);
	file_close(&f);
	return result;
}

START_TEST(users_file)
{
	static const struct {
		const char *users, *user, *password;
		const char *why; /* NULL = let in */
	} rows[] = {
		{"anna," HASH_ANNA "\n", "anna", "secret", NULL},
		{"anna," HASH_ANNA, "anna", "secret", NULL},
		{"anna," HASH_ANNA "\r\n", "anna", "secret", NULL},
		{"# all\n\nno comma\nben," HASH_BEN "\nanna," HASH_ANNA "\n", "anna",
		 "secret", NULL},
		{"anna," HASH_ANNA ",a remark\n", "anna", "secret", NULL},
		{"anna," HASH_BEN "\nanna," HASH_ANNA "\n", "anna", "secret", NULL},
		{"", "anna", "secret", "no such user"},
		{"ben," HASH_BEN "\n", "anna", "secret", "no such user"},
		{"anna," HASH_ANNA "\n", "Anna", "secret", "no such user"},
		{"anna," HASH_ANNA "\n", "ann", "secret", "no such user"},
		{" anna," HASH_ANNA "\n", "anna", "secret", "no such user"},
		{"#anna," HASH_SHARP "\n", "#anna", "secret", "no such user"},
		{"anna," HASH_ANNA "\n", "anna", "Secret", "wrong password"},
		{"anna," HASH_ANNA "\n", "anna", "", "wrong password"},
		{"anna," HASH_BEN "\n", "anna", "secret", "wrong password"},
		{"anna," HASH_ANNA "0\n", "anna", "secret", "wrong password"},
		/* The hash of one must not open another's line. */
		{"anna," HASH_BEN "\nben," HASH_ANNA "\n", "anna", "secret",
		 "wrong password"},
		{"anna, " HASH_ANNA "\n", "anna", "secret", "wrong password"},
		{"anna,\n", "anna", "", "no such user"},
		{"anna,0\n", "anna", "", "wrong password"},
		{"anna\n", "anna", "secret", "no such user"},
		{",,\n", "", "", "no such user"},
	};

	if (built_without())
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		int result = check_login(rows[i].users, rows[i].user, rows[i].password,
					 NOW, &e);

		ck_assert_msg(result == (rows[i].why ? -1 : 0), "row %zu: %s", i, e.text);
		if (!rows[i].why)
			continue;
		ck_assert_int_eq(e.code, ERR_PEER);
		ck_assert_msg(strcmp(e.text, rows[i].why) == 0, "row %zu: %s", i, e.text);
	}
}
END_TEST

START_TEST(users_file_missing)
{
	struct i3_login login = {.user = "anna", .unix_s = NOW};
	struct err e = {0};

	if (built_without())
		return;
	ck_assert_int_eq(i3_auth_check("/nonexistent/users", &login, NOW, 10, &e), -1);
	ck_assert_int_eq(e.code, ERR_SYS);
	ck_assert_str_eq(e.what, "/nonexistent/users");
}
END_TEST

START_TEST(clocks_that_differ)
{
	static const struct {
		int64_t unix_s;
		bool good;
	} rows[] = {
		{NOW, true},        {NOW - 10, true},  {NOW + 10, true},
		{NOW - 11, false},  {NOW + 11, false}, {0, false},
		{INT64_MAX, false},
	};
	static const char users[] = "anna," HASH_ANNA "\n";

	if (built_without())
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		int result = check_login(users, "anna", "secret", rows[i].unix_s, &e);

		ck_assert_msg(result == (rows[i].good ? 0 : -1), "row %zu", i);
		if (!rows[i].good)
			ck_assert_ptr_nonnull(strstr(e.text, "clock"));
	}
}
END_TEST

/* ---- the password ---- */

START_TEST(password_of_environment)
{
	char buf[16];
	struct err e = {0};

	setenv("IPERF3_PASSWORD", "se cret ", 1);
	ck_assert_int_eq(i3_auth_password(buf, sizeof(buf), &e), 0);
	ck_assert_str_eq(buf, "se cret ");
	setenv("IPERF3_PASSWORD", "", 1);
	ck_assert_int_eq(i3_auth_password(buf, sizeof(buf), &e), 0);
	ck_assert_str_eq(buf, "");
	setenv("IPERF3_PASSWORD", "123456789012345", 1);
	ck_assert_int_eq(i3_auth_password(buf, sizeof(buf), &e), 0);
	setenv("IPERF3_PASSWORD", "1234567890123456", 1);
	ck_assert_int_eq(i3_auth_password(buf, sizeof(buf), &e), -1);
	ck_assert_int_eq(e.code, ERR_USAGE);
	ck_assert_str_eq(buf, "");
	unsetenv("IPERF3_PASSWORD");
}
END_TEST

/* The child's end of the test: asks, and tells by its exit code what it got. */
static void ask(const char *terminal)
{
	char buf[I3_PASSWORD_MAX];
	struct err e = {0};

	unsetenv("IPERF3_PASSWORD");
	setsid();
	if (terminal && ioctl(open(terminal, O_RDWR), TIOCSCTTY, 0) < 0)
		_exit(10);
	if (i3_auth_password(buf, sizeof(buf), &e) < 0)
		_exit(e.code == ERR_SYS ? 2 : 3);
	_exit(strcmp(buf, "typed in") == 0 ? 0 : 1);
}

/* Reads the terminal until the text came; returns all that came, which never includes
 * what was typed. */
static void expect(int fd, const char *text, char *seen, size_t cap)
{
	size_t len = 0;

	while (!strstr(seen, text)) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		ck_assert_int_eq(poll(&p, 1, 10000), 1);
		n = read(fd, seen + len, cap - len - 1);
		ck_assert_int_gt(n, 0);
		len += (size_t)n;
		seen[len] = '\0';
	}
}

static int status_of(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Types line at the prompt. Returns the child's exit code. */
static int type_password(const char *line)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64], seen[256] = "";
	pid_t child;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(grantpt(fd), 0);
	ck_assert_int_eq(unlockpt(fd), 0);
	ck_assert_int_eq(ptsname_r(fd, name, sizeof(name)), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		ask(name);
	expect(fd, "Password: ", seen, sizeof(seen));
	ck_assert_int_eq(write(fd, line, strlen(line)), (ssize_t)strlen(line));
	seen[0] = '\0';
	/* The end of the line is echoed, the password is not. */
	expect(fd, "\n", seen, sizeof(seen));
	ck_assert_ptr_null(strstr(seen, "typed"));
	close(fd);
	return status_of(child);
}

START_TEST(password_of_terminal)
{
	char wide[400];

	ck_assert_int_eq(type_password("typed in\n"), 0);
	ck_assert_int_eq(type_password("typed on\n"), 1);
	memset(wide, 'w', sizeof(wide));
	strlcpy(wide + 300, "\n", 100);
	ck_assert_int_eq(type_password(wide), 3);
}
END_TEST

START_TEST(password_without_terminal)
{
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0)
		ask(NULL);
	ck_assert_int_eq(status_of(child), 2);
}
END_TEST

CHECK_MAIN("i3_auth", keys_that_are_refused, key_files_that_cannot_be_read,
	   token_round_trip, tokens_of_other_programs, wrong_padding, garbage_tokens,
	   text_that_does_not_fit, users_file, users_file_missing, clocks_that_differ,
	   password_of_environment, password_of_terminal, password_without_terminal)
