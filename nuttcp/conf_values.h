/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The values of single options, as functions for the option table (opts.h). The text of
 * an error is all that is to be printed. */
#ifndef NUT_CONF_VALUES_H
#define NUT_CONF_VALUES_H

#include "err.h"

int nut_value_buflen(void *conf, const char *value, struct err *e);
int nut_value_nbuf(void *conf, const char *value, struct err *e);
int nut_value_nb(void *conf, const char *value, struct err *e);
int nut_value_timeout(void *conf, const char *value, struct err *e);
int nut_value_interval(void *conf, const char *value, struct err *e);
int nut_value_rate(void *conf, const char *value, struct err *e);
int nut_value_burst(void *conf, const char *value, struct err *e);
int nut_value_win(void *conf, const char *value, struct err *e);
int nut_value_srvwin(void *conf, const char *value, struct err *e);
int nut_value_braindead(void *conf, const char *value, struct err *e);
int nut_value_nstream(void *conf, const char *value, struct err *e);
int nut_value_port(void *conf, const char *value, struct err *e);
int nut_value_ctlport(void *conf, const char *value, struct err *e);
int nut_value_mss(void *conf, const char *value, struct err *e);
int nut_value_tos(void *conf, const char *value, struct err *e);
int nut_value_jitter(void *conf, const char *value, struct err *e);
int nut_value_owd(void *conf, const char *value, struct err *e);
int nut_value_multicast(void *conf, const char *value, struct err *e);
int nut_value_brief(void *conf, const char *value, struct err *e);
int nut_value_format(void *conf, const char *value, struct err *e);
int nut_value_ident(void *conf, const char *value, struct err *e);
int nut_value_priority(void *conf, const char *value, struct err *e);
int nut_value_affinity(void *conf, const char *value, struct err *e);
int nut_value_srvr_affinity(void *conf, const char *value, struct err *e);
int nut_value_x(void *conf, const char *value, struct err *e);
int nut_value_server(void *conf, const char *value, struct err *e);
int nut_value_pass(void *conf, const char *value, struct err *e);
int nut_value_pipe(void *conf, const char *value, struct err *e);
int nut_value_idle(void *conf, const char *value, struct err *e);
int nut_value_verbose(void *conf, const char *value, struct err *e);
int nut_value_very_verbose(void *conf, const char *value, struct err *e);
int nut_value_unlimited(void *conf, const char *value, struct err *e);
int nut_value_max_streams(void *conf, const char *value, struct err *e);
int nut_value_max_clients(void *conf, const char *value, struct err *e);
int nut_value_max_rate(void *conf, const char *value, struct err *e);
int nut_value_max_time(void *conf, const char *value, struct err *e);
int nut_value_allow(void *conf, const char *value, struct err *e);

#endif
