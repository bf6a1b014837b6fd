// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * datagrams serve ADDRESS PORT COUNT MILLISECONDS: sends COUNT datagrams back
 * that come over UDP to this address, each after so long. Prints a line once it
 * waits for the first.
 * datagrams ask ADDRESS PORT COUNT: sends COUNT datagrams, and waits for what
 * comes back of each before it sends the next.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static void expect(int succeeded, const char *what)
{
	if (succeeded)
		return;
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	const int serves = argc == 6 && strcmp(argv[1], "serve") == 0;
	/* Who asks may begin late. */
	const struct timeval patience = { .tv_sec = serves ? 600 : 60 };
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct sockaddr *at = (struct sockaddr *)&address;
	socklen_t size = sizeof(address);
	int socket_fd = socket(AF_INET, SOCK_DGRAM, 0);
	char data[64] = "";

	if (argc != 5 && !serves)
		return 2;
	expect(socket_fd >= 0, "socket");
	expect(inet_pton(AF_INET, argv[2], &address.sin_addr) == 1, argv[2]);
	address.sin_port = htons((uint16_t)atoi(argv[3]));
	expect(setsockopt(socket_fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
			  sizeof(patience)) == 0,
	       "setsockopt");
	if (serves) {
		expect(bind(socket_fd, at, size) == 0, "bind");
		puts("waits");
		fflush(stdout);
	}
	for (int count = atoi(argv[4]); count > 0; count--) {
		if (!serves)
			expect(sendto(socket_fd, data, sizeof(data), 0, at,
				      size) > 0,
			       "sendto");
		expect(recvfrom(socket_fd, data, sizeof(data), 0, at, &size) >
			       0,
		       "recvfrom");
		if (!serves)
			continue;
		usleep((useconds_t)atoi(argv[5]) * 1000);
		expect(sendto(socket_fd, data, sizeof(data), 0, at, size) > 0,
		       "sendto");
	}
	/* A trace that ends with this process has the next call of who serves. */
	if (!serves)
		usleep(200000);
	return 0;
}
