// An MCP server over stdio whose tools reach the network as programs do that know nothing of proxies.
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';

Object.keys(process.env).filter((name) => /proxy/i.test(name)).forEach((name) => delete process.env[name]);

const URLLIB = 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode(), end="")';
// Node's fetch never ends if its first connection is reset while its HTTP parser is still being loaded.
const MILLIS_MAX = 30_000;
const TOOLS = {
  fetch: (url) => fetch(url, { signal: AbortSignal.timeout(MILLIS_MAX) }).then((reply) => reply.text()),
  urllib: (url) => new Promise((done, failed) => {
    execFile('/usr/bin/python3', ['-c', URLLIB, url], (error, out, said) => (error ? failed(new Error(said)) : done(out)));
  }),
};

async function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fetching', version: '1' } };
    case 'tools/list':
      return { tools: Object.keys(TOOLS).map((name) => ({ name, description: `Reads a page with ${name}.`, inputSchema: { type: 'object' } })) };
    case 'tools/call': {
      const text = await TOOLS[params.name](params.arguments.url).catch((error) => `failed: ${error.cause?.code ?? error.message}`);
      return { content: [{ type: 'text', text }] };
    }
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id !== undefined) {
    answer(message).then((result) => console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result })));
  }
}
