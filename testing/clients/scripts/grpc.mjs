// HTTP/2 as gRPC uses it: messages one after the other, each echoed before the next is sent, then trailers.
// Usage: node grpc.mjs BASE
import http2 from 'node:http2';
const session = http2.connect(process.argv[2]);
session.on('error', (error) => { console.log('error', error.message); process.exit(1); });
const stream = session.request({ ':method': 'POST', ':path': '/echo.Echo/Talk', 'content-type': 'application/grpc', te: 'trailers' });
let trailers;
stream.on('trailers', (headers) => { trailers = headers; });
const head = await new Promise((r) => { stream.on('response', r); stream.write('message 0'); });
console.log(head[':status'], head['content-type']);
let wake = () => {};
let seen = '';
stream.on('data', (chunk) => { seen += chunk; wake(); });
for (let i = 0; i < 5; i++) {
  if (i > 0) stream.write(`message ${i}`);
  while (!seen.endsWith(`message ${i}`)) await new Promise((r) => { wake = r; });
}
stream.end();
await new Promise((r) => stream.on('end', r));
console.log(seen);
console.log('grpc-status', trailers['grpc-status'], trailers['grpc-message']);
session.close();
