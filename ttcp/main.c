/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ttcp - one TCP connection or one UDP flow, one direction, measured at both ends. */
#include <stdio.h>

#include "child.h"
#include "conf.h"
#include "report.h"
#include "run.h"
#include "stopper.h"

static void usage(FILE *out)
{
	fputs("Usage: ttcp -t [-options] host [ < in ]\n"
	      "       ttcp -r [-options > out]\n",
	      out);
	opts_help(out, &ttcp_opts);
	fputs("Sizes and counts take K, M, G (powers of 1024). Results go to standard "
	      "error.\n",
	      out);
}

static int bad_command(const struct err *e)
{
	if (e->what[0]) {
		fprintf(stderr, "ttcp: %s: %s\n", e->what, e->text);
	} else {
		fprintf(stderr, "ttcp: %s\n", e->text);
		usage(stderr);
	}
	return TTCP_FAILED;
}

int main(int argc, char **argv)
{
	struct ttcp_conf conf;
	struct ttcp_report report = {.out = stderr, .conf = &conf};
	struct stopper stop;
	struct err e;

	if (child_std_fds(&e) < 0)
		return TTCP_FAILED;
	if (argc < 2) {
		usage(stderr);
		return TTCP_FAILED;
	}
	if (ttcp_conf_parse(&conf, argc, argv, &e) < 0)
		return bad_command(&e);
	if (conf.help || conf.version) {
		if (conf.help)
			usage(stdout);
		else
			printf("ttcp %s (netclassics)\n", NETCLASSICS_VERSION);
		return fflush(stdout) == 0 ? TTCP_OK : TTCP_FAILED;
	}
	setvbuf(stderr, NULL, _IOLBF, 0);
	report.how = conf.json ? &ttcp_report_json : &ttcp_report_text;
	if (stopper_init(&stop, &e) < 0)
		return bad_command(&e);
	return ttcp_run(&conf, &report, &stop);
}
