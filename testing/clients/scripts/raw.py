# Sends bytes as they are over TLS (or plain with "http") and prints what comes back, until the other side is done.
# Usage: python3 raw.py https|http CONNECT_HOST PORT SNI   < request   ("-" as SNI: none)
import socket, ssl, sys
scheme, host, port, sni = sys.argv[1:5]
s = socket.create_connection((host, int(port)), timeout=20)
if scheme == "https":
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if sni == "-":
        context.check_hostname = False
    s = context.wrap_socket(s, server_hostname=None if sni == "-" else sni)
s.sendall(sys.stdin.buffer.read())
s.settimeout(5)
try:
    while True:
        data = s.recv(65536)
        if not data:
            break
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
except (TimeoutError, OSError):
    pass
