/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The option table, for conf.c. */
#ifndef I3_CONF_OPTS_H
#define I3_CONF_OPTS_H

#include "conf.h"
#include "opts.h"

#define I3_OPT_CLIENT 1u
#define I3_OPT_SERVER 2u

/* Fills a struct i3_conf. */
extern const struct opts i3_opts;

#endif
