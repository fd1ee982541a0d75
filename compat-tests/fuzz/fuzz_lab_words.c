/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any text as settings of a link, and as a command to the emulator: what is refused has a
 * reason and changes nothing. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "lab/command.h"

static void one(struct command_run *run, const char *before, const uint8_t *text,
		size_t len)
{
	struct link_conf old = run->engine->ways[0].link.conf, new;
	size_t start = strlen(before);
	char *line = malloc(start + len + 1);
	FILE *out = fopen("/dev/null", "w");
	struct err e = {0};

	if (line && out) {
		memcpy(line, before, start);
		if (len > 0)
			memcpy(line + start, text, len);
		line[start + len] = '\0';
		if (command_line(run, line, out, &e) < 0) {
			new = run->engine->ways[0].link.conf;
			MUST(e.code == ERR_USAGE && e.text[0] != '\0');
			/* NOLINTNEXTLINE: padding was copied with the rest */
			MUST(memcmp(&old, &new, sizeof(old)) == 0);
		}
	}
	if (out)
		fclose(out);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct port closed = {.fd = -1};
	struct command_run run = {.running = true}; /* "link" would open devices */
	struct err e;

	run.engine = calloc(1, sizeof(*run.engine));
	if (!run.engine)
		return 0;
	MUST(engine_add(run.engine, "a", &closed, "b", &closed, &e) == 0);
	one(&run, "set a-b ", data, size);
	one(&run, "", data, size);
	engine_free(run.engine);
	free(run.engine);
	return 0;
}
