/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A server's report, and the heads of data: whatever comes, figures stay finite. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "../../nuttcp/data.h"
#include "../../nuttcp/measure.h"

static void line(struct nut_result *r, const char *text)
{
	struct nut_interval i;
	const char *cut, *resume;

	nut_result_line(r, text);
	MUST(isfinite(r->megabytes) && isfinite(r->seconds) && isfinite(r->mbps));
	MUST(isfinite(r->rtt_ms) && r->tcp.streams <= NUT_STREAMS_MAX);
	if (nut_interval_line(text, &i))
		MUST(isfinite(i.now.seconds) && isfinite(i.now.loss));
	if (nut_interval_cut(text, &cut, &resume)) {
		MUST(cut >= text && cut <= resume);
		MUST(resume <= text + strlen(text));
	}
}

static void head(const uint8_t *data, size_t size)
{
	unsigned char buf[NUT_HEAD_BYTES] = {0};
	struct nut_tcp_head h;
	uint32_t a, b;
	bool swapped;

	memcpy(buf, data, size < sizeof(buf) ? size : sizeof(buf));
	h = nut_data_first(buf);
	nut_data_tcp(buf, &h, &a, &b);
	nut_data_count(buf, true, &swapped);
	nut_data_time(buf, sizeof(buf), UINT64_C(1700000000000000));
	nut_mark_of(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *one;
	struct nut_result r = {.known = false}, own = {.known = true, .exact = true};
	int64_t drops, pkts;
	double loss;

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	head(data, size);
	while ((one = strsep(&rest, "\n")) != NULL)
		line(&r, one);
	own.bytes = size * 1000;
	nut_udp_loss(&own, &r, 1000, &drops, &pkts, &loss);
	MUST(isfinite(loss));
	nut_udp_loss(&r, &own, 7, &drops, &pkts, &loss);
	free(text);
	return 0;
}
