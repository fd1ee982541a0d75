/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a peer of iperf3 may send: whatever is accepted lies within the limits, and comes
 * out the same when it is written and read again. The first byte chooses what the rest
 * is. */
#include <math.h>
#include <string.h>

#include "../../iperf3/proto.h"
#include "fuzz.h"

static void count_key(void *arg, const char *key)
{
	size_t *n = arg;

	*n += strlen(key) > 0;
}

static void within(const struct i3_test *t)
{
	MUST(t->parallel >= 1 && t->parallel <= I3_STREAMS_MAX);
	MUST(t->omit_s <= I3_OMIT_MAX_S && t->time_s <= I3_TIME_MAX_S);
	MUST(t->bytes <= INT64_MAX && t->blocks <= INT64_MAX);
	MUST(t->rate_bps <= INT64_MAX && t->fq_rate_bps <= INT64_MAX);
	MUST(t->block_bytes >= 1 && t->block_bytes <= I3_BLOCK_MAX);
	MUST(t->protocol != I3_UDP ||
	     (t->block_bytes >= I3_UDP_BLOCK_MIN && t->block_bytes <= I3_UDP_BLOCK_MAX));
	MUST(t->burst <= I3_BURST_MAX && t->tos >= 0 && t->tos <= 255);
	MUST(t->mss_bytes >= 0 && t->mss_bytes <= I3_MSS_MAX);
	MUST(t->window_bytes >= 0 && t->window_bytes <= I3_WINDOW_MAX);
	MUST(t->flowlabel >= 0 && t->flowlabel <= 0xfffff);
	MUST(t->server_cpu >= -1 && t->server_cpu <= I3_CPU_MAX);
	MUST(!(t->reverse && t->bidir));
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 + 1e-12 * fabs(a);
}

static bool same_text(const char *a, const char *b)
{
	return !a == !b && (!a || strcmp(a, b) == 0);
}

static void same_test(const struct i3_test *a, const struct i3_test *b)
{
	MUST(a->protocol == b->protocol && a->parallel == b->parallel);
	MUST(a->reverse == b->reverse && a->bidir == b->bidir);
	MUST(a->omit_s == b->omit_s && a->time_s == b->time_s && a->burst == b->burst);
	MUST(near((double)a->bytes, (double)b->bytes));
	MUST(near((double)a->blocks, (double)b->blocks));
	MUST(near((double)a->rate_bps, (double)b->rate_bps));
	MUST(a->block_bytes == b->block_bytes && a->window_bytes == b->window_bytes);
	MUST(a->mss_bytes == b->mss_bytes && a->nodelay == b->nodelay);
	MUST(a->tos == b->tos && a->flowlabel == b->flowlabel);
	MUST(a->udp_64bit == b->udp_64bit && a->zerocopy == b->zerocopy);
	MUST(a->repeating_payload == b->repeating_payload);
	MUST(same_text(a->title, b->title) && same_text(a->extra_data, b->extra_data));
	MUST(same_text(a->congestion, b->congestion));
	MUST(same_text(a->authtoken, b->authtoken));
}

static void params(const char *text, size_t len)
{
	struct i3_test t, again, copy;
	struct i3_fault f = {0}, none = {0};
	size_t mismatches = 0;
	char *out;

	i3_test_init(&t);
	i3_test_init(&again);
	if (i3_params_read(&t, text, len, count_key, &mismatches, &f) < 0) {
		MUST(f.number != 0 && f.text[0] != '\0');
		goto out;
	}
	MUST(f.number == 0 && mismatches <= len);
	within(&t);
	out = i3_params_text(&t, "fuzz");
	MUST(out != NULL);
	MUST(i3_params_read(&again, out, strlen(out), NULL, NULL, &none) == 0);
	free(out);
	same_test(&t, &again);
	MUST(i3_test_copy(&copy, &t) == 0);
	same_test(&t, &copy);
	i3_test_free(&copy);
out:
	i3_test_free(&t);
	i3_test_free(&again);
}

static void same_stream(const struct i3_result_stream *a,
			const struct i3_result_stream *b)
{
	MUST(a->id == b->id && a->has_omitted == b->has_omitted);
	MUST(near((double)a->bytes, (double)b->bytes));
	MUST(near((double)a->errors, (double)b->errors));
	MUST(near((double)a->packets, (double)b->packets));
	MUST(near((double)a->retransmits, (double)b->retransmits));
	MUST(near(a->jitter_s, b->jitter_s));
	MUST(a->jitter_s >= 0 && a->start_s >= 0 && a->end_s >= 0);
	/* Times are sent in whole microseconds. */
	MUST(fabs(a->end_s - b->end_s) < 1e-6);
}

static void results(const char *text, size_t len)
{
	struct i3_results r, again = {0};
	struct i3_fault f = {0}, none = {0};
	char *out;

	if (i3_results_read(&r, text, len, &f) < 0) {
		MUST(f.number == I3_F_RECV_RESULTS);
		goto out;
	}
	MUST(r.stream_count <= 2 * (size_t)I3_STREAMS_MAX);
	MUST(r.cpu_total >= 0 && r.cpu_user >= 0 && r.cpu_system >= 0);
	MUST(memchr(r.congestion, '\0', sizeof(r.congestion)) != NULL);
	out = i3_results_text(&r);
	MUST(out != NULL);
	MUST(i3_results_read(&again, out, strlen(out), &none) == 0);
	free(out);
	MUST(again.stream_count == r.stream_count);
	MUST(again.sender_has_retransmits == r.sender_has_retransmits);
	MUST(strcmp(again.congestion, r.congestion) == 0);
	MUST(!again.server_output_json == !r.server_output_json);
	MUST(same_text(again.server_output_text, r.server_output_text));
	for (size_t i = 0; i < r.stream_count; i++)
		same_stream(&r.streams[i], &again.streams[i]);
out:
	i3_results_free(&r);
	i3_results_free(&again);
}

static void datagram(const unsigned char *data, size_t len, bool wide)
{
	unsigned char again[I3_UDP_HEAD_MAX];
	struct i3_udp_head h;
	size_t head = wide ? 16 : 12;

	if (i3_udp_head_get(data, len, &h, wide)) {
		MUST(len >= head);
		i3_udp_head_put(again, &h, wide);
		MUST(memcmp(again, data, head) == 0);
	} else {
		MUST(len < head);
	}
	MUST(!i3_udp_is_answer(data, len) || len == I3_HELLO_BYTES);
	MUST(!i3_udp_is_hello(data, len) || len == I3_HELLO_BYTES);
}

static void small(const unsigned char *data, size_t len)
{
	char a[I3_COOKIE_BYTES] = "", b[I3_COOKIE_BYTES] = "";
	char name[32];
	unsigned char error[I3_SERVER_ERROR_BYTES];
	size_t half = len / 2 < sizeof(a) ? len / 2 : sizeof(a);

	memcpy(a, data, half);
	memcpy(b, data + half, half);
	MUST(i3_cookie_equal(a, a) && i3_cookie_equal(a, b) == i3_cookie_equal(b, a));
	if (len < 4)
		return;
	MUST(i3_state_name((signed char)data[0], name, sizeof(name))[0] != '\0');
	i3_server_error_put(error, (int)i3_be32_get(data), 0);
	MUST(memcmp(error + 1, data, 4) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* With an end of its own, so that a sanitizer notices a read behind it. */
	unsigned char *rest = size > 1 ? malloc(size - 1) : NULL;

	if (!rest)
		return 0;
	memcpy(rest, data + 1, size - 1);
	switch (data[0]) {
	case 'p':
		params((const char *)rest, size - 1);
		break;
	case 'r':
		results((const char *)rest, size - 1);
		break;
	case 'd':
		datagram(rest, size - 1, false);
		datagram(rest, size - 1, true);
		break;
	default:
		small(rest, size - 1);
	}
	free(rest);
	return 0;
}
