// Calls an echo tool as fast as it is answered, with C calls under way. The server is a program on stdio or a URL.
// Usage: node load.mjs TOOL C SECONDS URL | PROGRAM [ARGUMENT…]. Prints calls per second and percentiles as JSON.
import { spawn } from 'node:child_process';
import http from 'node:http';

const [tool, concurrency, seconds, ...where] = process.argv.slice(2);
const WARM_UP_MILLIS = 1500;
const initialize = {
  jsonrpc: '2.0', id: 0, method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'load', version: '1' } },
};
const began = performance.now();
const end = began + WARM_UP_MILLIS + seconds * 1000;
const millis = [];
const call = (id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":{"text":"echo"}}}`;

function answered(since, reply) {
  if (!reply.includes('"text":"echo"')) throw new Error(`not an echo: ${reply.slice(0, 300)}`);
  if (since > began + WARM_UP_MILLIS) millis.push(performance.now() - since);
}

function report() {
  millis.sort((a, b) => a - b);
  const at = (share) => millis[Math.min(millis.length - 1, Math.floor(share * millis.length))];
  console.log(JSON.stringify({ per_second: millis.length / seconds, p50: at(0.5), p99: at(0.99) }));
  process.exit(0);
}

async function overPipes() {
  const server = spawn(where[0], where.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  const since = new Map();
  let next = 1;
  let rest = '';
  let pending = '';
  // One write for all that is ready, as a client with many calls would.
  const send = (line) => {
    if (pending === '') setImmediate(() => { server.stdin.write(pending); pending = ''; });
    pending += line + '\n';
  };
  const begin = () => { since.set(next, performance.now()); send(call(next++)); };
  server.stdout.setEncoding('utf8');
  server.stdout.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const id = Number(/"id":(\d+)/.exec(line)?.[1]);
      if (id === 0) {
        send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
        for (let i = 0; i < concurrency; i++) begin();
      } else if (since.has(id)) {
        answered(since.get(id), line);
        since.delete(id);
        if (performance.now() < end) begin(); else if (since.size === 0) report();
      }
    }
  });
  send(JSON.stringify(initialize));
}

async function overHttp() {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number(concurrency) });
  let session;
  const post = (body) => new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'content-length': Buffer.byteLength(body) };
    if (session) Object.assign(headers, { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' });
    const request = http.request(where[0], { method: 'POST', agent, headers }, (reply) => {
      session ??= reply.headers['mcp-session-id'];
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk) => { text += chunk; }).on('end', () => resolve(text)).on('error', reject);
    });
    request.on('error', reject).end(body);
  });
  await post(JSON.stringify(initialize));
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  let next = 1;
  const caller = async () => {
    while (performance.now() < end) {
      const since = performance.now();
      answered(since, await post(call(next++)));
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, caller));
  report();
}

await (where[0].startsWith('http://') ? overHttp() : overPipes());
