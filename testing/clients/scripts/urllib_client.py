# urllib: a GET and a chunked POST. Usage: python3 urllib_client.py BASE
import sys, urllib.request
base = sys.argv[1]
with urllib.request.urlopen(base + "/text") as r:
    print(r.status, r.headers["x-origin"], r.read().decode().strip())
def parts():
    for i in range(10):
        yield b"part %d;" % i
request = urllib.request.Request(base + "/echo", data=parts(), method="POST", headers={"Transfer-Encoding": "chunked"})
with urllib.request.urlopen(request) as r:
    print(r.status, r.read().decode().strip())
