# requests, or httpx with "httpx" as second word. Usage: python3 requests_client.py BASE [httpx]
import sys
base = sys.argv[1]
if len(sys.argv) > 2:
    import httpx as client
else:
    import requests as client
r = client.get(base + "/text")
print(r.status_code, r.headers["x-origin"], r.text.strip())
r = client.post(base + "/echo", json={"hello": "world"})
print(r.status_code, r.text.strip())
