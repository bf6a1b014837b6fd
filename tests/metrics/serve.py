#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Serves the output of a command as OpenMetrics, on a free port of loopback.

Usage: serve.py COMMAND [ARGUMENT...]

Prints the port.
"""

import http.server
import subprocess
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE).stdout
        self.send_response(200)
        self.send_header('Content-Type', 'application/openmetrics-text; '
                         'version=1.0.0; charset=utf-8')
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
