# Says each argument as a WebSocket message in two fragments with a ping in between, and prints what comes back.
# Usage: python3 messages.py HOST PORT PATH MESSAGE...
import os, socket, ssl, struct, sys
host, port, path = sys.argv[1:4]
s = ssl.create_default_context().wrap_socket(socket.create_connection((host, int(port)), timeout=60), server_hostname=host)
s.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGVzdC10ZXN0LXRlc3QhIQ==\r\n"
           "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n").encode())
stream = s.makefile("rb")
print(stream.readline().decode().strip())
while stream.readline().strip():
    pass
def say(first, payload):
    mask = os.urandom(4)
    s.sendall(bytes([first, 0x80 | len(payload)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))
def hear():
    head = stream.read(2)
    if len(head) < 2:
        print("end")
        sys.exit()
    length = struct.unpack(">H", stream.read(2))[0] if head[1] == 126 else head[1]
    payload = stream.read(length)
    kind = {1: "text", 8: "close", 9: "ping", 10: "pong"}[head[0] & 15]
    print(kind, f"{struct.unpack('>H', payload[:2])[0]} {payload[2:].decode()}" if kind == "close" else payload.decode())
    return kind
for message in sys.argv[4:]:
    text = message.encode()
    say(0x01, text[:len(text) // 2])
    say(0x89, b"hi")
    hear()
    say(0x80, text[len(text) // 2:])
    if hear() == "close":
        break
