/* SPDX-License-Identifier: BSD-2-Clause */
#include "pacer.h"

#include <math.h>

#include "mono.h"

void pacer_init(struct pacer *p, double gap_ns, unsigned burst, uint64_t catchup_ns)
{
	*p = (struct pacer){
		.gap_ns = gap_ns > 0 && isfinite(gap_ns) ? gap_ns : 0,
		.burst = burst ? burst : 1,
		.catchup_ns = catchup_ns,
	};
}

void pacer_start(struct pacer *p, uint64_t now_ns)
{
	p->start_ns = now_ns;
	p->sent = 0;
}

double pacer_gap_ns(uint64_t bytes, uint64_t bps)
{
	return bps ? (double)bytes * 8e9 / (double)bps : 0;
}

/* Time of packet n of the schedule (from 0): its group's time. */
static uint64_t at_ns(const struct pacer *p, uint64_t n)
{
	double offset = (double)(n - n % p->burst) * p->gap_ns;

	if (offset >= 9e18)
		return MONO_NEVER;
	return mono_add_ns(p->start_ns, (uint64_t)offset);
}

uint64_t pacer_next_ns(const struct pacer *p)
{
	return p->gap_ns > 0 ? at_ns(p, p->sent) : 0;
}

unsigned pacer_due(struct pacer *p, uint64_t now_ns, unsigned limit)
{
	uint64_t next, count;

	if (!(p->gap_ns > 0))
		return limit;
	next = at_ns(p, p->sent);
	if (next > now_ns)
		return 0;
	if (p->catchup_ns != MONO_NEVER && now_ns - next > p->catchup_ns)
		p->start_ns += now_ns - next - p->catchup_ns;
	/* Whole groups whose time has come. */
	count = (uint64_t)((double)(now_ns - p->start_ns) / p->gap_ns) / p->burst *
			p->burst +
		p->burst;
	/* Rounding may be off by one group at the very edge. */
	count = count > p->sent ? count - p->sent : 1;
	return count < limit ? (unsigned)count : limit;
}

void pacer_sent(struct pacer *p, unsigned packets)
{
	p->sent += packets;
}
