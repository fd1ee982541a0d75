/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "test/check_main.h"
#include "jsonw.h"
#include "mono.h"
#include "report.h"

/* What the reporter wrote; free() it. */
struct output {
	char *text;
	size_t len;
};

static struct ttcp_conf usual(int role)
{
	return (struct ttcp_conf){
		.role = role,
		.host = "127.0.0.1",
		.port = 5001,
		.buf_bytes = 8192,
		.buf_count = 2048,
		.align_bytes = 16384,
		.unit = 'K',
	};
}

static struct ttcp_report open_report(const struct ttcp_conf *c,
				      const struct ttcp_reporter *how, struct output *o)
{
	struct ttcp_report r = {.conf = c, .how = how};

	r.out = open_memstream(&o->text, &o->len);
	ck_assert_ptr_nonnull(r.out);
	return r;
}

static void expect(struct ttcp_report *r, struct output *o, const char *text)
{
	fclose(r->out);
	ck_assert_str_eq(o->text, text);
	free(o->text);
}

/* ---- text: the lines before the transfer ------------------------------------------ */

static void expect_begin(const struct ttcp_conf *c, const char *text)
{
	struct output o;
	struct ttcp_report r = open_report(c, &ttcp_report_text, &o);

	r.how->begin(&r);
	expect(&r, &o, text);
}

START_TEST(first_line)
{
	struct ttcp_conf c = usual(TTCP_TRANSMIT);

	expect_begin(&c, "ttcp-t: buflen=8192, nbuf=2048, align=16384/0, port=5001  tcp"
			 "  -> 127.0.0.1\n");
	c.swap = true; /* the end that listens names nobody */
	expect_begin(&c,
		     "ttcp-t: buflen=8192, nbuf=2048, align=16384/0, port=5001  tcp\n");
	c = usual(TTCP_RECEIVE);
	c.port = 65535;
	expect_begin(&c,
		     "ttcp-r: buflen=8192, nbuf=2048, align=16384/0, port=65535  tcp\n");
	c.swap = true;
	c.host = "example.net";
	c.sockbuf_bytes = 4194304;
	expect_begin(&c, "ttcp-r: buflen=8192, nbuf=2048, align=16384/0, port=65535, "
			 "sockbufsize=4194304  tcp  -> example.net\n");
	c = usual(TTCP_TRANSMIT);
	c.udp = true;
	c.buf_bytes = 5;
	c.buf_count = UINT64_C(9999999999);
	c.align_bytes = 4096;
	c.offset_bytes = 3;
	c.port = 1;
	c.host = "::1";
	expect_begin(&c, "ttcp-t: buflen=5, nbuf=9999999999, align=4096/3, port=1  udp"
			 "  -> ::1\n");
}
END_TEST

static void all_steps(struct ttcp_report *r)
{
	static const enum sock_step steps[] = {
		SOCK_STEP_SOCKET,  SOCK_STEP_SNDBUF, SOCK_STEP_RCVBUF,
		SOCK_STEP_NODELAY, SOCK_STEP_LISTEN, SOCK_STEP_CONNECT,
	};

	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		r->how->step(r, steps[i]);
}

START_TEST(steps)
{
	struct ttcp_conf c = usual(TTCP_TRANSMIT);
	struct output o;
	struct ttcp_report r = open_report(&c, &ttcp_report_text, &o);

	all_steps(&r);
	expect(&r, &o,
	       "ttcp-t: socket\nttcp-t: sndbuf\nttcp-t: rcvbuf\nttcp-t: nodelay\n"
	       "ttcp-t: connect\n");
	c.udp = true; /* nothing is said about a connection that there is not */
	r = open_report(&c, &ttcp_report_text, &o);
	all_steps(&r);
	expect(&r, &o,
	       "ttcp-t: socket\nttcp-t: sndbuf\nttcp-t: rcvbuf\nttcp-t: nodelay\n");
}
END_TEST

static struct addr address(const char *host)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(4000)};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(4000)};

	if (inet_pton(AF_INET, host, &in.sin_addr) == 1)
		return addr_of((struct sockaddr *)&in, sizeof(in));
	ck_assert_int_eq(inet_pton(AF_INET6, host, &in6.sin6_addr), 1);
	return addr_of((struct sockaddr *)&in6, sizeof(in6));
}

START_TEST(who_came)
{
	static const struct {
		const char *from, *line;
	} rows[] = {
		{"127.0.0.1", "ttcp-r: accept from 127.0.0.1\n"},
		{"::1", "ttcp-r: accept from ::1\n"},
		{"::ffff:192.0.2.7", "ttcp-r: accept from 192.0.2.7\n"},
	};
	const struct ttcp_conf c = usual(TTCP_RECEIVE);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct output o;
		struct ttcp_report r = open_report(&c, &ttcp_report_text, &o);
		struct addr from = address(rows[i].from);

		r.how->accepted(&r, &from);
		expect(&r, &o, rows[i].line);
	}
}
END_TEST

START_TEST(warnings)
{
	const struct ttcp_conf c = usual(TTCP_RECEIVE);
	struct output o;
	struct ttcp_report r = open_report(&c, &ttcp_report_text, &o);
	struct err e;

	errno = EACCES;
	err_sys(&e, "setsockopt: debug");
	r.how->warn(&r, &e);
	expect(&r, &o, "ttcp-r: warning: setsockopt: debug: Permission denied\n");
}
END_TEST

/* ---- text: the report -------------------------------------------------------------- */

/* The run of the article that everybody quotes: 10 GiB in 7.157 s. Its calls took
 * 0.285 ms and the processor was busy for 61 %; the old program says 0.292 and 60. */
static struct ttcp_end sample_end(void)
{
	return (struct ttcp_end){
		.result = {.start_wall_ns = 1,
			   .total = {.bytes = UINT64_C(10737418240), .calls = 25074}},
		.used = {.at_ns = 7157345 * NS_PER_US,
			 .user_ns = 9 * NS_PER_MS + 999999,
			 .system_ns = 4366 * NS_PER_MS,
			 .minor_faults = 256,
			 .voluntary_switches = 19857,
			 .involuntary_switches = 1},
		.max_rss_kib = 1804,
		.buf = (const void *)(uintptr_t)0x562a7d7c8000,
	};
}

static void expect_end(const struct ttcp_conf *c, const struct ttcp_end *end,
		       const char *text)
{
	struct output o;
	struct ttcp_report r = open_report(c, &ttcp_report_text, &o);

	r.how->end(&r, end);
	expect(&r, &o, text);
}

START_TEST(the_sample)
{
	struct ttcp_conf c = usual(TTCP_RECEIVE);
	struct ttcp_end end = sample_end();

	expect_end(&c, &end,
		   "ttcp-r: 10737418240 bytes in 7.157 real seconds = 1465034.870 "
		   "KB/sec +++\n"
		   "ttcp-r: 25074 I/O calls, msec/call = 0.285, calls/sec = 3503.254\n"
		   "ttcp-r: 0.009user 4.366sys 0:07real 61% 0i+0d 1804maxrss 0+256pf "
		   "19857+1csw\n");
	c.role = TTCP_TRANSMIT;
	c.verbose = true;
	end.used.major_faults = 3;
	expect_end(&c, &end,
		   "ttcp-t: 10737418240 bytes in 7.157 real seconds = 1465034.870 "
		   "KB/sec +++\n"
		   "ttcp-t: 10737418240 bytes in 4.376 CPU seconds = 2396197.441 "
		   "KB/cpu sec\n"
		   "ttcp-t: 25074 I/O calls, msec/call = 0.285, calls/sec = 3503.254\n"
		   "ttcp-t: 0.009user 4.366sys 0:07real 61% 0i+0d 1804maxrss 3+256pf "
		   "19857+1csw\n"
		   "ttcp-t: buffer address 0x562a7d7c8000\n");
}
END_TEST

/* The first line of a report over 2 s, and of the CPU's 0.5 s. */
START_TEST(units)
{
	static const struct {
		char letter;
		const char *real, *cpu;
	} rows[] = {
		{'k', "41943040.000 Kbit/sec", "167772160.000 Kbit/cpu sec"},
		{'K', "5242880.000 KB/sec", "20971520.000 KB/cpu sec"},
		{'m', "40960.000 Mbit/sec", "163840.000 Mbit/cpu sec"},
		{'M', "5120.000 MB/sec", "20480.000 MB/cpu sec"},
		{'g', "40.000 Gbit/sec", "160.000 Gbit/cpu sec"},
		{'G', "5.000 GB/sec", "20.000 GB/cpu sec"},
	};
	struct ttcp_conf c = usual(TTCP_TRANSMIT);
	struct ttcp_end end = sample_end();

	c.verbose = true;
	end.used.at_ns = 2 * NS_PER_S;
	end.used.user_ns = 100 * NS_PER_MS;
	end.used.system_ns = 400 * NS_PER_MS;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[512];

		c.unit = rows[i].letter;
		snprintf(text, sizeof(text),
			 "ttcp-t: 10737418240 bytes in 2.000 real seconds = %s +++\n"
			 "ttcp-t: 10737418240 bytes in 0.500 CPU seconds = %s\n"
			 "ttcp-t: 25074 I/O calls, msec/call = 0.080, calls/sec = "
			 "12537.000\n"
			 "ttcp-t: 0.100user 0.400sys 0:02real 25%% 0i+0d 1804maxrss "
			 "0+256pf 19857+1csw\n"
			 "ttcp-t: buffer address 0x562a7d7c8000\n",
			 rows[i].real, rows[i].cpu);
		expect_end(&c, &end, text);
	}
}
END_TEST

START_TEST(nothing_moved_in_no_time)
{
	struct ttcp_conf c = usual(TTCP_TRANSMIT);
	struct ttcp_end end = {.result = {.start_wall_ns = 1}, .max_rss_kib = 900};

	c.verbose = true;
	end.buf = (const void *)(uintptr_t)0x1000;
	expect_end(&c, &end,
		   "ttcp-t: 0 bytes in 0.001 real seconds = 0.000 KB/sec +++\n"
		   "ttcp-t: 0 bytes in 0.000 CPU seconds = 0.000 KB/cpu sec\n"
		   "ttcp-t: 0 I/O calls, msec/call = 0.000, calls/sec = 0.000\n"
		   "ttcp-t: 0.000user 0.000sys 0:00real 0% 0i+0d 900maxrss 0+0pf 0+0csw\n"
		   "ttcp-t: buffer address 0x1000\n");
	/* Bytes in no time: the times are taken for a millisecond and for 10 us. */
	end.result.total.bytes = 1024;
	end.result.total.calls = 2;
	expect_end(&c, &end,
		   "ttcp-t: 1024 bytes in 0.001 real seconds = 1000.000 KB/sec +++\n"
		   "ttcp-t: 1024 bytes in 0.000 CPU seconds = 100000.000 KB/cpu sec\n"
		   "ttcp-t: 2 I/O calls, msec/call = 0.500, calls/sec = 2000.000\n"
		   "ttcp-t: 0.000user 0.000sys 0:00real 0% 0i+0d 900maxrss 0+0pf 0+0csw\n"
		   "ttcp-t: buffer address 0x1000\n");
}
END_TEST

START_TEST(how_long_is_shown)
{
	static const struct {
		uint64_t ms;
		const char *seconds, *clock;
	} rows[] = {
		{999, "0.999", "0:00"},           {1000, "1.000", "0:01"},
		{59999, "59.999", "0:59"},        {60000, "60.000", "1:00"},
		{3599999, "3599.999", "59:59"},   {3600000, "3600.000", "1:00:00"},
		{3725000, "3725.000", "1:02:05"}, {360000000, "360000.000", "100:00:00"},
	};
	const struct ttcp_conf c = usual(TTCP_RECEIVE);
	struct ttcp_end end = {.result = {.start_wall_ns = 1}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[512];

		end.used.at_ns = rows[i].ms * NS_PER_MS;
		snprintf(text, sizeof(text),
			 "ttcp-r: 0 bytes in %s real seconds = 0.000 KB/sec +++\n"
			 "ttcp-r: 0 I/O calls, msec/call = 0.000, calls/sec = 0.000\n"
			 "ttcp-r: 0.000user 0.000sys %sreal 0%% 0i+0d 0maxrss 0+0pf "
			 "0+0csw\n",
			 rows[i].seconds, rows[i].clock);
		expect_end(&c, &end, text);
	}
}
END_TEST

START_TEST(large_numbers)
{
	const struct ttcp_conf c = usual(TTCP_RECEIVE);
	struct ttcp_end end = {
		.result = {.start_wall_ns = 1,
			   .total = {.bytes = UINT64_C(1) << 52,
				     .calls = UINT64_C(5000000000)}},
		.used = {.at_ns = 4096 * NS_PER_S,
			 .user_ns = 8192 * NS_PER_S,
			 .minor_faults = UINT64_C(5000000000),
			 .voluntary_switches = UINT64_C(6000000000)},
		.max_rss_kib = UINT64_C(7000000000),
	};

	/* Two processors' worth of time is 200 %. */
	expect_end(&c, &end,
		   "ttcp-r: 4503599627370496 bytes in 4096.000 real seconds = "
		   "1073741824.000 KB/sec +++\n"
		   "ttcp-r: 5000000000 I/O calls, msec/call = 0.001, calls/sec = "
		   "1220703.125\n"
		   "ttcp-r: 8192.000user 0.000sys 1:08:16real 200% 0i+0d "
		   "7000000000maxrss 0+5000000000pf 6000000000+0csw\n");
}
END_TEST

START_TEST(an_error_comes_first)
{
	const struct ttcp_conf c = usual(TTCP_RECEIVE);
	struct ttcp_end end = {.result = {.start_wall_ns = 1, .total = {.bytes = 2048}},
			       .used = {.at_ns = NS_PER_S}};
	static const char report[] =
		"ttcp-r: 2048 bytes in 1.000 real seconds = 2.000 KB/sec +++\n"
		"ttcp-r: 0 I/O calls, msec/call = 0.000, calls/sec = 0.000\n"
		"ttcp-r: 0.000user 0.000sys 0:01real 0% 0i+0d 0maxrss 0+0pf 0+0csw\n";
	char text[512];

	errno = ENOSPC;
	err_sys(&end.error, "IO");
	snprintf(text, sizeof(text), "ttcp-r: IO: No space left on device\nerrno=28\n%s",
		 report);
	expect_end(&c, &end, text);
	/* No system call failed: no number. */
	err_set(&end.error, ERR_TIMEOUT, "IO", "no data for 30 s");
	snprintf(text, sizeof(text), "ttcp-r: IO: no data for 30 s\n%s", report);
	expect_end(&c, &end, text);
	/* To be stopped is no error. */
	err_set(&end.error, ERR_STOPPED, "IO", "stopped");
	expect_end(&c, &end, report);
}
END_TEST

START_TEST(without_a_transfer_only_the_error)
{
	const struct ttcp_conf c = usual(TTCP_TRANSMIT);
	struct ttcp_end end = {.used = {.at_ns = NS_PER_S}};

	errno = ECONNREFUSED;
	err_sys(&end.error, "connect");
	expect_end(&c, &end, "ttcp-t: connect: Connection refused\nerrno=111\n");
	err_set(&end.error, ERR_RESOLVE, "bad hostname", "x.invalid: no such name");
	expect_end(&c, &end, "ttcp-t: bad hostname: x.invalid: no such name\n");
	err_set(&end.error, ERR_STOPPED, "accept", "stopped");
	expect_end(&c, &end, "");
}
END_TEST

/* ---- JSON -------------------------------------------------------------------------- */

static void expect_json(const struct ttcp_conf *c, const struct ttcp_end *end,
			const char *text)
{
	const struct err warning = {.code = ERR_SYS};
	struct output o;
	struct ttcp_report r = open_report(c, &ttcp_report_json, &o);
	struct addr from = address("127.0.0.1");

	/* Nothing before the end. */
	r.how->begin(&r);
	all_steps(&r);
	r.how->accepted(&r, &from);
	r.how->warn(&r, &warning);
	r.how->end(&r, end);
	expect(&r, &o, jsonw_available() ? text : "");
}

static struct ttcp_end json_end(void)
{
	struct ttcp_end end = sample_end();

	end.result.tool = "ttcp";
	end.result.version = "1.2.3";
	end.result.role = "sender";
	end.result.start_wall_ns = UINT64_C(1767322985678999999);
	end.result.host = "example.net";
	end.result.port = 5001;
	end.result.protocol = "tcp";
	end.result.total.to_ns = 2500 * NS_PER_MS;
	end.result.cpu_user_ns = 250 * NS_PER_MS;
	end.result.cpu_system_ns = 1250 * NS_PER_MS;
	end.result.exit_reason = "done";
	return end;
}

#define HEAD                                                                     \
	"{\"tool\":\"ttcp\",\"version\":\"1.2.3\",\"role\":\"sender\","          \
	"\"start_time\":\"2026-01-02T03:03:05.678Z\","                           \
	"\"start_time_unix_s\":1767322985.678,"                                  \
	"\"host\":\"example.net\",\"port\":5001,\"protocol\":\"tcp\","           \
	"\"bytes\":10737418240,\"seconds\":2.5,\"bits_per_second\":34359738368," \
	"\"cpu_user_seconds\":0.25,\"cpu_system_seconds\":1.25,"

START_TEST(json_of_each_role)
{
	struct ttcp_conf c = usual(TTCP_TRANSMIT);
	struct ttcp_end end = json_end();

	c.memory = true;
	expect_json(&c, &end,
		    HEAD "\"exit_reason\":\"done\",\"buffer_bytes\":8192,"
			 "\"buffers\":2048,\"source\":\"memory\",\"io_calls\":25074,"
			 "\"max_rss_bytes\":1847296}\n");
	c.memory = false; /* then nobody asked for a number of buffers */
	expect_json(&c, &end,
		    HEAD "\"exit_reason\":\"done\",\"buffer_bytes\":8192,"
			 "\"source\":\"stdin\",\"io_calls\":25074,"
			 "\"max_rss_bytes\":1847296}\n");
	c.role = TTCP_RECEIVE;
	c.sockbuf_bytes = 65536;
	expect_json(&c, &end,
		    HEAD "\"exit_reason\":\"done\",\"buffer_bytes\":8192,"
			 "\"sink\":\"stdout\",\"socket_buffer_asked_bytes\":65536,"
			 "\"io_calls\":25074,\"max_rss_bytes\":1847296}\n");
	c.memory = true;
	c.sockbuf_bytes = 0;
	expect_json(&c, &end,
		    HEAD "\"exit_reason\":\"done\",\"buffer_bytes\":8192,"
			 "\"sink\":\"memory\",\"io_calls\":25074,"
			 "\"max_rss_bytes\":1847296}\n");
}
END_TEST

START_TEST(json_of_faults)
{
	const struct ttcp_conf c = usual(TTCP_TRANSMIT);
	struct ttcp_end end = json_end();

	end.result.exit_reason = "error";
	errno = EACCES;
	err_sys(&end.warning, "setsockopt: debug");
	errno = EPIPE;
	err_sys(&end.error, "IO");
	expect_json(&c, &end,
		    HEAD "\"exit_reason\":\"error\",\"buffer_bytes\":8192,"
			 "\"source\":\"stdin\",\"io_calls\":25074,"
			 "\"max_rss_bytes\":1847296,"
			 "\"warning\":\"setsockopt: debug: Permission denied\","
			 "\"error\":\"IO: Broken pipe\"}\n");
	end.result.exit_reason = "Interrupt";
	err_clear(&end.warning);
	err_set(&end.error, ERR_STOPPED, "IO", "stopped");
	expect_json(&c, &end,
		    HEAD "\"exit_reason\":\"Interrupt\",\"buffer_bytes\":8192,"
			 "\"source\":\"stdin\",\"io_calls\":25074,"
			 "\"max_rss_bytes\":1847296}\n");
}
END_TEST

START_TEST(json_without_a_transfer)
{
	const struct ttcp_conf c = usual(TTCP_TRANSMIT);
	struct ttcp_end end = {.result = {.tool = "ttcp", .exit_reason = "error"}};

	err_set(&end.error, ERR_RESOLVE, "bad hostname", "a\"b: no such name");
	expect_json(&c, &end,
		    "{\"tool\":\"ttcp\",\"bytes\":0,\"seconds\":0,"
		    "\"cpu_user_seconds\":0,\"cpu_system_seconds\":0,"
		    "\"exit_reason\":\"error\",\"buffer_bytes\":8192,"
		    "\"source\":\"stdin\","
		    "\"error\":\"bad hostname: a\\\"b: no such name\"}\n");
}
END_TEST

CHECK_MAIN("ttcp_report", first_line, steps, who_came, warnings, the_sample, units,
	   nothing_moved_in_no_time, how_long_is_shown, large_numbers,
	   an_error_comes_first, without_a_transfer_only_the_error, json_of_each_role,
	   json_of_faults, json_without_a_transfer)
