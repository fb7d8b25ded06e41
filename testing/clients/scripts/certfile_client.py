# Trusts nothing but what SSL_CERT_FILE names, as clients written in Go and Rust do. Usage: python3 certfile_client.py BASE
import http.client, os, ssl, sys, urllib.parse
url = urllib.parse.urlparse(sys.argv[1])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.load_verify_locations(os.environ["SSL_CERT_FILE"])
connection = http.client.HTTPSConnection(url.hostname, url.port, context=context)
connection.request("GET", "/text")
r = connection.getresponse()
print(r.status, r.headers["x-origin"], r.read().decode().strip())
