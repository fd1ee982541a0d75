/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where frames enter and leave the emulator: a packet socket on the far end of a veth
 * pair, or a TUN device. */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"

/* Longest frame that is read whole; with segmentation offload off it is MTU + 14. */
#define PORT_FRAME_MAX (65535 + 14)

#define PORT_NAME_MAX 128

struct port {
	int fd;
	bool ethernet; /* packet socket: frames have Ethernet headers and kernel stamps */
	char name[PORT_NAME_MAX]; /* as given to port_open() */
	uint64_t kernel_drops;    /* came faster than they were read */
	uint64_t unfinished; /* without checksum, or too long: offloads are on, TCP cannot
			      * work */
	uint64_t send_errors;
	int send_errno; /* of the last of them */
};

/* spec is [tun:]DEVICE[@NAMESPACE]; NAMESPACE is a name under /run/netns, or a path. A
 * TUN device is made there and lives as long as the port. The process stays in its own
 * namespace. Returns 0, or -1 with e filled. */
int port_open(struct port *p, const char *spec, struct err *e);
void port_close(struct port *p);

/* Wall clock minus monotonic clock, read back to back; for port_recv(). */
int64_t port_clock_offset_ns(void);

/* Next waiting frame. *rx_ns is when it entered this kernel, on the monotonic clock (with
 * TUN: when it is read). Returns its length; -1 when none is waiting, or with e filled
 * (e->code is ERR_NONE otherwise) when the device is gone. */
ssize_t port_recv(struct port *p, uint8_t buf[static PORT_FRAME_MAX], int64_t offset_ns,
		  uint64_t *rx_ns, struct err *e);

/* Send now. A frame that the kernel refuses is counted and lost. */
void port_send(struct port *p, const uint8_t *frame, size_t len);

/* Bring p->kernel_drops up to date. */
void port_count_drops(struct port *p);

#endif
