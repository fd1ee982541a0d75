/* SPDX-License-Identifier: BSD-2-Clause
 *
 * impair - links with a known rate, delay, queue and loss between network devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "engine.h"
#include "loop.h"
#include "mono.h"
#include "opts.h"
#include "realtime.h"

#define EXIT_BAD 2 /* wrong use, or something that cannot be had */

struct conf {
	uint64_t seed, spin_us;
	int priority;
	bool until_eof, help;
	const char *control;
};

static const struct opt rows[] = {
	{'s', "seed", "N", OPT_U64, OPT_ANY, OPT_FIELD(struct conf, seed), 0, 0, NULL,
	 "choose the random streams (1)"},
	{'p', "priority", "N", OPT_INT, OPT_ANY, OPT_FIELD(struct conf, priority), 0, 99,
	 NULL, "real-time priority, SCHED_FIFO; 0 for none (50)"},
	{0, "spin-us", "US", OPT_U64, OPT_ANY, OPT_FIELD(struct conf, spin_us), 0, 1000,
	 NULL, "stop sleeping this long before a packet is due (60)"},
	{'c', "control", "PATH", OPT_STR, OPT_ANY, OPT_FIELD(struct conf, control), 0, 0,
	 NULL, "take commands on a Unix socket"},
	{0, "until-eof", NULL, OPT_FLAG, OPT_ANY, OPT_FIELD(struct conf, until_eof), 0, 0,
	 NULL, "end when standard input does"},
	{'h', "help", NULL, OPT_FLAG, OPT_ANY, OPT_FIELD(struct conf, help), 0, 0, NULL,
	 "print this text"},
};

static const struct opts opts = {
	.tool = "impair",
	.grammar = OPTS_GETOPT,
	.rows = rows,
	.count = ARRAY_LEN(rows),
};

static void usage(FILE *out)
{
	fputs("usage: impair [OPTION...] 'COMMAND'...\n"
	      "Join network devices by links that are emulated in this process.\n\n",
	      out);
	opts_help(out, &opts);
	fputs("\nCommands, one an argument:\n"
	      "  link A B PORT PORT [KEY=VALUE...]   join two ports\n"
	      "  set A-B KEY=VALUE...                change both ways of a link\n"
	      "  set 'A>B' KEY=VALUE...              change one; A:B is the same\n"
	      "PORT is DEVICE[@NAMESPACE], for example the far end of a veth pair, or\n"
	      "tun:DEVICE[@NAMESPACE]. Keys: rate=20M (bit/s) delay=20ms queue=150K "
	      "(bytes)\n"
	      "mtu=1400 hop=ADDRESS (who says that a packet is too big) loss=1% "
	      "every=100\n"
	      "duplicate=1% jitter=100us reorder=1% hold=5ms.\n\n"
	      "Prints \"ready\" when it runs and the counters when it ends or gets "
	      "SIGUSR1.\n"
	      "On the control socket also: show, reset, seed N, stop.\n",
	      out);
}

static void say_ready(void *arg)
{
	const struct command_run *run = arg;

	if (run->realtime.reason.code != ERR_NONE)
		fprintf(stderr, "impair: goes on without: %s: %s\n",
			run->realtime.reason.what, run->realtime.reason.text);
	puts("ready");
	fflush(stdout);
}

static int complain(const struct err *e)
{
	fprintf(stderr, "impair: %s%s%s\n", e->what, *e->what ? ": " : "", e->text);
	return EXIT_BAD;
}

int main(int argc, char **argv)
{
	struct conf conf = {.seed = 1, .spin_us = 60, .priority = 50};
	struct command_run run = {0};
	struct loop_conf loop;
	struct opts_given given;
	struct err e;
	int code = 0;

	if (opts_parse(&opts, argc, argv, &conf, &given, &e) < 0)
		return complain(&e);
	if (conf.help) {
		usage(stdout);
		return 0;
	}
	run.engine = calloc(1, sizeof(*run.engine));
	if (!run.engine) {
		err_sys(&e, "memory");
		return complain(&e);
	}
	run.engine->seed = conf.seed;
	for (int i = 0; code == 0 && i < given.operands; i++) {
		if (command_line(&run, given.operand[i], stdout, &e) < 0)
			code = complain(&e);
	}
	if (code == 0 && run.engine->n == 0) {
		err_set(&e, ERR_USAGE, "", "no links to emulate; see impair --help");
		code = complain(&e);
	}
	if (code == 0) {
		loop = (struct loop_conf){.spin_ns = conf.spin_us * NS_PER_US,
					  .control = conf.control,
					  .until_eof = conf.until_eof};
		run.realtime = realtime_enter(conf.priority);
		if (loop_run(&loop, &run, say_ready, &run, &e) < 0)
			code = complain(&e);
		command_show(&run, stdout);
	}
	engine_free(run.engine);
	free(run.engine);
	return code;
}
