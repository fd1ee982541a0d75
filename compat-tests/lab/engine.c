/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "linkconf.h"
#include "mono.h"

#define BATCH 32 /* frames in, or out, at one go */

/* Packets on their way in all; a bug or an endless queue must not eat the machine. */
#define FLIGHT_MAX (1 << 18)

void engine_free(struct engine *g)
{
	for (size_t i = 0; i < g->n; i++) {
		link_free(&g->ways[i].link);
		port_close(&g->ports[i]);
	}
	g->n = 0;
	eventq_free(&g->queue);
}

/* ---- set-up --------------------------------------------------------------------------
 */

static bool joins(const struct engine_way *w, const char *a, const char *b)
{
	return strcmp(w->from, a) == 0 && strcmp(w->to, b) == 0;
}

static int check_name(const char *name, struct err *e)
{
	if (*name == '\0' || strlen(name) >= ENGINE_NAME_MAX)
		return err_set(e, ERR_USAGE, name, "not a name (1 to %d letters)",
			       ENGINE_NAME_MAX - 1);
	if (name[strcspn(name, "-:> \t\n=")] != '\0')
		return err_set(e, ERR_USAGE, name,
			       "a name has none of - : > = and space");
	return 0;
}

int engine_add(struct engine *g, const char *a, const struct port *port_a, const char *b,
	       const struct port *port_b, struct err *e)
{
	struct link_conf conf = linkconf_default();

	if (check_name(a, e) < 0 || check_name(b, e) < 0)
		return -1;
	if (strcmp(a, b) == 0)
		return err_set(e, ERR_USAGE, a, "linked to itself");
	if (g->n == ENGINE_WAYS_MAX)
		return err_set(e, ERR_USAGE, a, "more than %d links", ENGINE_LINKS_MAX);
	for (size_t i = 0; i < g->n; i++) {
		if (joins(&g->ways[i], a, b))
			return err_set(e, ERR_USAGE, a, "linked to %s twice", b);
	}
	for (size_t i = g->n; i < g->n + 2; i++) {
		struct engine_way *w = &g->ways[i];

		*w = (struct engine_way){0};
		strlcpy(w->from, i == g->n ? a : b, sizeof(w->from));
		strlcpy(w->to, i == g->n ? b : a, sizeof(w->to));
		link_init(&w->link, &conf, g->seed, i);
	}
	g->ports[g->n] = *port_a;
	g->ports[g->n + 1] = *port_b;
	g->n += 2;
	return 0;
}

/* Bit i of the answer: way i is meant. 0 when no way has that name. */
static uint32_t find(const struct engine *g, const char *name)
{
	char from[ENGINE_NAME_MAX];
	size_t len = strcspn(name, "-:>");
	const char *to = name + len + 1;
	uint32_t found = 0;

	if (name[len] == '\0' || len >= sizeof(from))
		return 0;
	memcpy(from, name, len);
	from[len] = '\0';
	for (size_t i = 0; i < g->n; i++) {
		const struct engine_way *w = &g->ways[i];

		if (joins(w, from, to) || (name[len] == '-' && joins(w, to, from)))
			found |= UINT32_C(1) << i;
	}
	return found;
}

static int set_hop(struct packet_hop *hop, const char *word, struct err *e)
{
	const char *text = word + strlen("hop=");

	if (inet_pton(AF_INET, text, hop->addr4) == 1)
		hop->has4 = true;
	else if (inet_pton(AF_INET6, text, hop->addr6) == 1)
		hop->has6 = true;
	else
		return err_set(e, ERR_USAGE, word, "not an address");
	return 0;
}

int engine_set(struct engine *g, const char *name, char *const *words, size_t n,
	       struct err *e)
{
	struct link_conf conf[ENGINE_WAYS_MAX];
	struct packet_hop hop[ENGINE_WAYS_MAX];
	uint32_t found = find(g, name);

	if (!found)
		return err_set(e, ERR_USAGE, name, "no such link or way");
	if (n == 0)
		return err_set(e, ERR_USAGE, name, "nothing to set");
	for (size_t i = 0; i < g->n; i++) {
		conf[i] = g->ways[i].link.conf;
		hop[i] = g->ways[i].hop;
		for (size_t k = 0; k < n; k++) {
			int rc = strncmp(words[k], "hop=", 4) == 0
					 ? set_hop(&hop[i], words[k], e)
					 : linkconf_word(&conf[i], words[k], e);

			if (rc < 0)
				return -1;
		}
	}
	for (size_t i = 0; i < g->n; i++) {
		if (!(found & UINT32_C(1) << i))
			continue;
		link_configure(&g->ways[i].link, &conf[i]);
		g->ways[i].hop = hop[i];
	}
	return 0;
}

void engine_seed(struct engine *g, uint64_t seed)
{
	g->seed = seed;
	for (size_t i = 0; i < g->n; i++)
		link_seed(&g->ways[i].link, seed, i);
}

void engine_reset(struct engine *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct engine_count *c = &g->ways[i].count;

		*c = (struct engine_count){.flight = c->flight};
		port_count_drops(&g->ports[i]);
		g->ports[i].kernel_drops = 0;
		g->ports[i].unfinished = 0;
		g->ports[i].send_errors = 0;
	}
}

/* ---- in ------------------------------------------------------------------------------
 */

static bool hold(struct engine *g, size_t way, uint64_t at_ns, const uint8_t *frame,
		 size_t len, bool plain)
{
	struct event ev = {.at_ns = at_ns,
			   .way = (uint32_t)way,
			   .len = (uint32_t)len,
			   .plain = plain};

	if (g->queue.count >= FLIGHT_MAX)
		return false;
	ev.frame = malloc(len);
	if (!ev.frame)
		return false;
	memcpy(ev.frame, frame, len);
	if (!eventq_add(&g->queue, &ev)) {
		free(ev.frame);
		return false;
	}
	return true;
}

/* Put an accepted frame on its way. */
static void pass(struct engine *g, size_t way, const struct link_answer *a,
		 const uint8_t *frame, size_t len, bool plain)
{
	struct engine_count *c = &g->ways[way].count;
	int copies = a->twice ? 2 : 1;

	c->twice += a->twice;
	c->reordered += a->reordered;
	for (int i = 0; i < copies; i++) {
		if (hold(g, way, a->deliver_ns, frame, len, plain))
			c->flight += plain;
		else
			c->drop_memory += plain;
	}
}

static void offer(struct engine *g, size_t way, uint64_t rx_ns, const uint8_t *frame,
		  size_t len, const struct packet *p);

static void too_big(struct engine *g, size_t way, uint64_t rx_ns, const uint8_t *frame,
		    size_t len, const struct packet *p)
{
	struct engine_way *w = &g->ways[way];
	uint16_t mtu = (uint16_t)w->link.conf.mtu_bytes;
	struct packet_cut cut = {.frame = frame, .len = len, .packet = p, .mtu = mtu};
	uint8_t piece[PORT_FRAME_MAX];
	size_t n, pieces = 0;

	while ((n = packet_cut_next(&cut, piece)) > 0) {
		struct packet part = packet_look(piece, n, p->ip_at > 0);

		w->count.cut += pieces++ > 0;
		offer(g, way, rx_ns, piece, n, &part);
	}
	if (pieces > 0)
		return;
	w->count.too_big += p->plain;
	n = packet_too_big(g->reply, frame, len, p, &w->hop, mtu, g->ip_id++);
	if (n > 0) {
		port_send(&g->ports[way], g->reply, n);
		w->count.answers++;
	}
}

/* Ask the model about one packet, and do as it says. */
static void offer(struct engine *g, size_t way, uint64_t rx_ns, const uint8_t *frame,
		  size_t len, const struct packet *p)
{
	struct engine_way *w = &g->ways[way];
	struct link_answer a = link_arrive(&w->link, rx_ns, p->bytes, !p->plain);

	switch (a.fate) {
	case LINK_PASS:
		if (w->link.queued_bytes > w->count.queue_max_bytes)
			w->count.queue_max_bytes = w->link.queued_bytes;
		pass(g, way, &a, frame, len, p->plain);
		break;
	case LINK_DROP_QUEUE:
		w->count.drop_queue += p->plain;
		break;
	case LINK_DROP_LOSS:
		w->count.drop_loss++;
		break;
	case LINK_TOO_BIG:
		too_big(g, way, rx_ns, frame, len, p);
		break;
	}
}

int engine_take(struct engine *g, size_t i, struct err *e)
{
	int64_t offset_ns = g->ports[i].ethernet ? port_clock_offset_ns() : 0;
	struct engine_count *c = &g->ways[i].count;

	for (int k = 0; k < BATCH; k++) {
		uint64_t rx_ns;
		ssize_t n = port_recv(&g->ports[i], g->frame, offset_ns, &rx_ns, e);
		struct packet p;

		if (n < 0)
			return e->code == ERR_NONE ? 0 : -1;
		p = packet_look(g->frame, (size_t)n, g->ports[i].ethernet);
		if (p.plain) {
			c->in++;
			c->in_bytes += p.bytes;
		} else {
			c->other_in++;
		}
		offer(g, i, rx_ns, g->frame, (size_t)n, &p);
	}
	return 0;
}

/* ---- out -----------------------------------------------------------------------------
 */

uint64_t engine_next_ns(const struct engine *g)
{
	const struct event *ev = eventq_first(&g->queue);

	return ev ? ev->at_ns : MONO_NEVER;
}

void engine_deliver(struct engine *g)
{
	for (int k = 0; k < BATCH && engine_next_ns(g) <= mono_now_ns(); k++) {
		struct event ev = eventq_take(&g->queue);
		struct engine_count *c = &g->ways[ev.way].count;
		struct port *out = &g->ports[ev.way ^ 1];

		port_send(out, ev.frame, ev.len);
		late_add(&c->late, mono_since_ns(ev.at_ns, mono_now_ns()));
		if (ev.plain) {
			c->out++;
			c->out_bytes += ev.len - (out->ethernet ? PACKET_ETHER : 0);
			c->flight--;
		} else {
			c->other_out++;
		}
		free(ev.frame);
	}
}
