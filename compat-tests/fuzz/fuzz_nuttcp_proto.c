/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A request of nuttcp's: any line is read or refused. What is granted can be sent on and
 * comes back the same. */
#include <string.h>

#include "fuzz.h"
#include "../../nuttcp/proto.h"

static void granted(const struct nut_params *p)
{
	struct nut_params again;
	char line[NUT_LINE_MAX];
	int n = nut_params_print(p, NUT_VERSION, line, sizeof(line));

	MUST(n > 0 && line[n - 1] == '\n');
	line[n - 1] = '\0';
	MUST(nut_params_parse(line, &again) == 0);
	MUST(again.buflen_bytes == p->buflen_bytes && again.nstream == p->nstream);
	MUST(strcmp(again.thirdparty, p->thirdparty) == 0);
	MUST(p->nstream >= 1 && p->nstream <= NUT_STREAMS_MAX);
	MUST(p->port >= 1024 && p->port + p->nstream - 1 <= 65535);
	MUST(p->buflen_bytes <= NUT_BUFLEN_MAX);
	MUST(p->buflen_bytes > 0 || p->thirdparty[0]);
	MUST(p->timeout_s >= 0 && p->interval_s >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1), text[NUT_LINE_MAX];
	struct nut_params p;

	if (!line)
		return 0;
	if (size > 0)
		memcpy(line, data, size);
	line[size] = '\0';
	MUST(nut_helo_parse(line) >= -1 && nut_ok_parse(line) >= -1);
	if (nut_params_parse(line, &p) == 0) {
		if (nut_params_check(&p, 5000, text, sizeof(text)) == 0)
			granted(&p);
		else
			MUST(text[0] != '\0' && text[strlen(text) - 1] == '\n');
	}
	free(line);
	return 0;
}
