/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Feeds each file of the command line to a fuzz target, so that seeds and found crashes
 * can be replayed in any build and under any debugger. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define INPUT_MAX (1 << 20)

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	unsigned char *data = malloc(INPUT_MAX);
	unsigned char *exact = NULL;
	size_t len = 0;
	int result = -1;

	if (f && data)
		len = fread(data, 1, INPUT_MAX, f);
	if (!f || !data || ferror(f) || len == INPUT_MAX) {
		fprintf(stderr, "%s: cannot be read, or is too long\n", path);
		goto out;
	}
	/* No byte more than the input, for a sanitizer to notice a read behind it. */
	exact = realloc(data, len ? len : 1);
	if (!exact)
		goto out;
	data = exact;
	LLVMFuzzerTestOneInput(data, len);
	result = 0;
out:
	free(data);
	if (f)
		fclose(f);
	return result;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (replay(argv[i]) < 0)
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
