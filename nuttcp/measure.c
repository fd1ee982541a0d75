/* SPDX-License-Identifier: BSD-2-Clause */
#include "measure.h"

#include <math.h>

#include "mono.h"

#define MEGABYTE 1048576.0

void nut_result_own(struct nut_result *r, uint64_t bytes, const struct cpuuse *used)
{
	/* Hundredths of a second, cut off, as every nuttcp shows them. */
	uint64_t wall = used->at_ns / (10 * NS_PER_MS);
	uint64_t cpu = used->user_ns / (10 * NS_PER_MS) +
		       used->system_ns / (10 * NS_PER_MS);
	double seconds = ns_to_s(used->at_ns);

	if (seconds <= 0)
		seconds = 1e-6; /* the clock's own step: never a division by zero */
	r->known = true;
	r->exact = true;
	r->bytes = bytes;
	r->used = *used;
	r->seconds = seconds;
	r->megabytes = (double)bytes / MEGABYTE;
	r->kbytes_ps = (double)bytes / seconds / 1024;
	r->mbps = (double)bytes / seconds / 125000;
	r->have_cpu = true;
	r->cpu_percent = (int)(100 * cpu / (wall ? wall : 1));
}

static double rounded_mb(double megabytes)
{
	return round(megabytes * 10000) / 10000;
}

/* Datagrams that an end moved. other is the count of the other end, when that is exact.
 */
static double datagrams(const struct nut_result *r, double buflen, double other)
{
	double n;

	if (r->exact)
		return (double)r->bytes / buflen;
	/* What rounds to the same text is the same number: rounding loses nothing. */
	if (fabs(rounded_mb(other * buflen / MEGABYTE) - r->megabytes) < 0.00005)
		return other;
	n = r->megabytes * MEGABYTE / buflen;
	return round(n);
}

void nut_udp_loss(const struct nut_result *tx, const struct nut_result *rx,
		  int64_t buflen_bytes, int64_t *drops, int64_t *pkts, double *loss)
{
	double buflen = buflen_bytes > 0 ? (double)buflen_bytes : 1;
	double sent = datagrams(tx, buflen, rx->exact ? datagrams(rx, buflen, 0) : -1);
	double got = datagrams(rx, buflen, sent);

	*pkts = (int64_t)floor(sent + 0.5);
	*drops = (int64_t)floor(sent - got + 0.5);
	*loss = sent > 0 ? 1 - got / sent : 0;
	if (*drops == 0)
		*loss = 0;
}
