/* SPDX-License-Identifier: BSD-2-Clause */
#include "proto.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

const unsigned char i3_udp_hello[I3_HELLO_BYTES] = {'9', '8', '7', '6'};
const unsigned char i3_udp_answer[I3_HELLO_BYTES] = {'6', '7', '8', '9'};

const char *i3_state_name(int state, char *buf, size_t cap)
{
	static const struct {
		int state;
		const char *name;
	} names[] = {
		{I3_TEST_START, "TEST_START"},
		{I3_TEST_RUNNING, "TEST_RUNNING"},
		{I3_TEST_END, "TEST_END"},
		{I3_PARAM_EXCHANGE, "PARAM_EXCHANGE"},
		{I3_CREATE_STREAMS, "CREATE_STREAMS"},
		{I3_SERVER_TERMINATE, "SERVER_TERMINATE"},
		{I3_CLIENT_TERMINATE, "CLIENT_TERMINATE"},
		{I3_EXCHANGE_RESULTS, "EXCHANGE_RESULTS"},
		{I3_DISPLAY_RESULTS, "DISPLAY_RESULTS"},
		{I3_IPERF_START, "IPERF_START"},
		{I3_IPERF_DONE, "IPERF_DONE"},
		{I3_ACCESS_DENIED, "ACCESS_DENIED"},
		{I3_SERVER_ERROR, "SERVER_ERROR"},
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].state == state)
			return names[i].name;
	snprintf(buf, cap, "state %d", state);
	return buf;
}

void i3_make_plain(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

int i3_cookie_make(char cookie[static I3_COOKIE_BYTES], struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char random[I3_COOKIE_BYTES - 1];

	for (size_t got = 0; got < sizeof(random);) {
		ssize_t n = getrandom(random + got, sizeof(random) - got, 0);

		if (n < 0 && errno != EINTR)
			return err_sys(e, "getrandom");
		if (n > 0)
			got += (size_t)n;
	}
	for (size_t i = 0; i < sizeof(random); i++)
		cookie[i] = letters[random[i] % 32];
	cookie[sizeof(random)] = '\0';
	return 0;
}

bool i3_cookie_equal(const char a[static I3_COOKIE_BYTES],
		     const char b[static I3_COOKIE_BYTES])
{
	return strncmp(a, b, I3_COOKIE_BYTES) == 0;
}

uint32_t i3_be32_get(const unsigned char in[static 4])
{
	return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 |
	       in[3];
}

void i3_be32_put(unsigned char out[static 4], uint32_t value)
{
	out[0] = (unsigned char)(value >> 24);
	out[1] = (unsigned char)(value >> 16);
	out[2] = (unsigned char)(value >> 8);
	out[3] = (unsigned char)value;
}

void i3_server_error_put(unsigned char out[static I3_SERVER_ERROR_BYTES], int number,
			 int sys_errno)
{
	out[0] = (unsigned char)I3_SERVER_ERROR;
	i3_be32_put(out + 1, (uint32_t)number);
	i3_be32_put(out + 5, (uint32_t)sys_errno);
}

int i3_stream_id(size_t index)
{
	return index == 0 ? 1 : (int)index + 2;
}

static bool one_of(const void *buf, size_t len,
		   const unsigned char list[static 4][I3_HELLO_BYTES])
{
	if (len != I3_HELLO_BYTES)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (memcmp(buf, list[i], I3_HELLO_BYTES) == 0)
			return true;
	return false;
}

bool i3_udp_is_answer(const void *buf, size_t len)
{
	static const unsigned char answers[4][I3_HELLO_BYTES] = {
		{'6', '7', '8', '9'},     /* since 3.17; before, on little-endian hosts */
		{'9', '8', '7', '6'},     /* 3.12 to 3.16, big-endian */
		{0xb1, 0x68, 0xde, 0x3a}, /* up to 3.11: 987654321 */
		{0x3a, 0xde, 0x68, 0xb1},
	};

	return one_of(buf, len, answers);
}

bool i3_udp_is_hello(const void *buf, size_t len)
{
	static const unsigned char hellos[4][I3_HELLO_BYTES] = {
		{'9', '8', '7', '6'},
		{'6', '7', '8', '9'},
		{0x15, 0xcd, 0x5b, 0x07}, /* up to 3.11: 123456789 */
		{0x07, 0x5b, 0xcd, 0x15},
	};

	return one_of(buf, len, hellos);
}

void i3_udp_head_put(unsigned char *out, const struct i3_udp_head *h, bool wide)
{
	i3_be32_put(out, h->sec);
	i3_be32_put(out + 4, h->usec);
	if (wide) {
		i3_be32_put(out + 8, (uint32_t)(h->number >> 32));
		out += 4;
	}
	i3_be32_put(out + 8, (uint32_t)h->number);
}

bool i3_udp_head_get(const unsigned char *in, size_t len, struct i3_udp_head *h,
		     bool wide)
{
	if (len < (wide ? 16u : 12u))
		return false;
	h->sec = i3_be32_get(in);
	h->usec = i3_be32_get(in + 4);
	h->number = i3_be32_get(in + 8);
	if (wide)
		h->number = h->number << 32 | i3_be32_get(in + 12);
	return true;
}
