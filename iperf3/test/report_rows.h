/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows and summaries for a reporter, and what text makes of them. */
#ifndef I3_REPORT_ROWS_H
#define I3_REPORT_ROWS_H

#include "report_case.h"

#define KB 1024
#define MB (1024 * 1024)

#define SEP  "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
#define HEAD "[ ID] Interval           Transfer     Bitrate"
#define ROLE "[ ID][Role] Interval           Transfer     Bitrate"

#define MS(from, to) .start_ns = (from)*NS_PER_MS, .end_ns = (to)*NS_PER_MS
#define RETR(n, cwnd) \
	.has_retransmits = true, .retransmits = (n), .cwnd_bytes = (uint64_t)(cwnd)

#define ROWS(k, ...)                                         \
	do {                                                 \
		struct i3_row rows_[] = {__VA_ARGS__};       \
		case_interval((k), rows_, ARRAY_LEN(rows_)); \
	} while (0)
#define END(k, e, ...)                                        \
	do {                                                  \
		struct i3_stream_end ends_[] = {__VA_ARGS__}; \
		case_end((k), (e), ends_, ARRAY_LEN(ends_));  \
	} while (0)

#define OUT(k, ...)                                            \
	do {                                                   \
		ck_assert_str_eq(case_out(k), "" __VA_ARGS__); \
		case_close(k);                                 \
	} while (0)

/* A case past its first lines. */
static inline void start(struct report_case *k)
{
	case_open(k, false);
	case_begin(k, "h", 1, 0);
	case_skip(k);
}

static inline struct i3_end two_seconds(void)
{
	return (struct i3_end){.duration_ns = 2 * NS_PER_S, .remote_known = true};
}

#endif
