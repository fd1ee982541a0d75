/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"

#include <inttypes.h>
#include <string.h>

#include "mono.h"
#include "units.h"

#define WORDS_MAX 32

static size_t split(char *line, char *words[static WORDS_MAX])
{
	size_t n = 0;

	for (char *p = line; n < WORDS_MAX;) {
		p += strspn(p, " \t\r\n");
		if (*p == '\0')
			break;
		words[n++] = p;
		p += strcspn(p, " \t\r\n");
		if (*p == '\0')
			break;
		*p++ = '\0';
	}
	return n;
}

static int do_link(struct command_run *run, char **words, size_t n, struct err *e)
{
	char name[2 * ENGINE_NAME_MAX];
	struct port a, b;

	if (run->running)
		return err_set(e, ERR_USAGE, "link", "only before the emulator runs");
	if (n < 4)
		return err_set(e, ERR_USAGE, "link",
			       "needs: A B PORT PORT [KEY=VALUE...]");
	if (port_open(&a, words[2], e) < 0)
		return -1;
	if (port_open(&b, words[3], e) < 0) {
		port_close(&a);
		return -1;
	}
	if (engine_add(run->engine, words[0], &a, words[1], &b, e) < 0) {
		port_close(&a);
		port_close(&b);
		return -1;
	}
	if (n == 4)
		return 0;
	snprintf(name, sizeof(name), "%s-%s", words[0], words[1]);
	return engine_set(run->engine, name, words + 4, n - 4, e);
}

static int do_seed(struct command_run *run, const char *word, struct err *e)
{
	uint64_t seed;

	if (units_parse_u64(word, 0, UINT64_MAX, &seed, "seed", e) < 0)
		return -1;
	engine_seed(run->engine, seed);
	return 0;
}

int command_line(struct command_run *run, char *line, FILE *out, struct err *e)
{
	char *words[WORDS_MAX];
	size_t n = split(line, words);

	if (n == WORDS_MAX)
		return err_set(e, ERR_USAGE, words[0], "too many words");
	if (n == 0)
		return err_set(e, ERR_USAGE, "command", "empty");
	if (strcmp(words[0], "link") == 0)
		return do_link(run, words + 1, n - 1, e);
	if (strcmp(words[0], "set") == 0 && n > 1)
		return engine_set(run->engine, words[1], words + 2, n - 2, e);
	if (strcmp(words[0], "seed") == 0 && n == 2)
		return do_seed(run, words[1], e);
	if (n > 1)
		return err_set(e, ERR_USAGE, words[0], "no such command with %zu words",
			       n - 1);
	if (strcmp(words[0], "show") == 0)
		command_show(run, out);
	else if (strcmp(words[0], "reset") == 0)
		engine_reset(run->engine);
	else if (strcmp(words[0], "stop") == 0)
		run->stop = true;
	else
		return err_set(e, ERR_USAGE, words[0], "no such command");
	return 0;
}

static void show_conf(const struct link_conf *c, FILE *out)
{
	fprintf(out,
		" rate_bps=%" PRIu64 " delay_ns=%" PRIu64 " queue_limit_bytes=%" PRIu64
		" mtu=%u loss=%g every=%" PRIu64 " duplicate=%g jitter_ns=%" PRIu64
		" reorder=%g hold_ns=%" PRIu64,
		c->rate_bps, c->delay_ns, c->queue_bytes, c->mtu_bytes, c->loss,
		c->loss_every, c->duplicate, c->jitter_ns, c->reorder, c->reorder_ns);
}

static void show_late(const struct late *l, FILE *out)
{
	double mean_ns = l->count ? (double)l->sum_ns / (double)l->count : 0;

	fprintf(out,
		" late_count=%" PRIu64 " late_mean_us=%.3f late_max_us=%.3f late_bins=",
		l->count, mean_ns / 1e3, (double)l->max_ns / 1e3);
	for (size_t i = 0; i < LATE_BINS; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", l->bin[i]);
}

static void show_way(struct engine_way *w, FILE *out)
{
	const struct engine_count *c = &w->count;

	fprintf(out,
		"way %s>%s in=%" PRIu64 " in_bytes=%" PRIu64 " out=%" PRIu64
		" out_bytes=%" PRIu64 " drop_queue=%" PRIu64 " drop_loss=%" PRIu64
		" too_big=%" PRIu64 " answers=%" PRIu64 " cut=%" PRIu64 " twice=%" PRIu64
		" reordered=%" PRIu64 " drop_memory=%" PRIu64 " flight=%" PRIu64
		" queue_bytes=%" PRIu64 " queue_max_bytes=%" PRIu64 " other_in=%" PRIu64
		" other_out=%" PRIu64,
		w->from, w->to, c->in, c->in_bytes, c->out, c->out_bytes, c->drop_queue,
		c->drop_loss, c->too_big, c->answers, c->cut, c->twice, c->reordered,
		c->drop_memory, c->flight, link_queued_bytes(&w->link, mono_now_ns()),
		c->queue_max_bytes, c->other_in, c->other_out);
	show_late(&c->late, out);
	show_conf(&w->link.conf, out);
	fputc('\n', out);
}

void command_show(const struct command_run *run, FILE *out)
{
	struct engine *g = run->engine;

	for (size_t i = 0; i < g->n; i++)
		show_way(&g->ways[i], out);
	for (size_t i = 0; i < g->n; i++) {
		struct port *p = &g->ports[i];

		port_count_drops(p);
		fprintf(out,
			"port %s kernel_drops=%" PRIu64 " unfinished=%" PRIu64
			" send_errors=%" PRIu64 " send_errno=%d\n",
			p->name, p->kernel_drops, p->unfinished, p->send_errors,
			p->send_errno);
	}
	fprintf(out,
		"run impair seed=%" PRIu64
		" seconds=%.3f priority=%d locked=%d gave_up=%d",
		g->seed, ns_to_s(mono_since_ns(run->started_ns, mono_now_ns())),
		run->realtime.priority, run->realtime.locked, realtime_gave_up());
	fputs(" late_edges_us=", out);
	for (size_t i = 0; i < LATE_BINS; i++)
		fprintf(out, "%s%u", i ? "," : "", late_edge_us(i));
	fputc('\n', out);
}
