// Gives the conformance suite, which speaks HTTP, the relay inside a sandbox, which speaks stdio. One relay for each
// session. Names get the server's prefix on their way in and lose it on their way out: namespaces are ours by design.
// Usage: node conformance_bridge.mjs PORT SERVER PROGRAM [ARGUMENT…], where the program runs the relay.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const [portText, name, command, ...args] = process.argv.slice(2);
const port = Number(portText);
const NAME = `${name}__`;
const URI = `capsem://${name}/`;

function inward(message) {
  const params = message.params;
  if (message.method === 'tools/call' || message.method === 'prompts/get') params.name = NAME + params.name;
  if (/^resources\/(read|subscribe|unsubscribe)$/.test(message.method ?? '')) params.uri = URI + params.uri;
  if (message.method === 'completion/complete') {
    const { ref } = params;
    if (ref.type === 'ref/prompt') ref.name = NAME + ref.name; else ref.uri = URI + ref.uri;
  }
  return message;
}

// Wherever a server gave an address: in contents, links, embedded resources and notifications.
function unlink(node) {
  if (node === null || typeof node !== 'object') return;
  if (typeof node.uri === 'string' && node.uri.startsWith(URI)) node.uri = node.uri.slice(URI.length);
  Object.values(node).forEach(unlink);
}

function outward(message) {
  const result = message.result ?? {};
  const own = (entry, member, prefix) => entry[member].startsWith(prefix) && Object.assign(entry, { [member]: entry[member].slice(prefix.length) });
  for (const list of ['tools', 'prompts']) if (result[list]) result[list] = result[list].filter((entry) => own(entry, 'name', NAME));
  if (result.resources) result.resources = result.resources.filter((entry) => own(entry, 'uri', URI));
  if (result.resourceTemplates) result.resourceTemplates = result.resourceTemplates.filter((entry) => own(entry, 'uriTemplate', URI));
  unlink(message);
  return message;
}

async function session(sessions) {
  const pending = new Set();
  const outside = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, outside),
    enableDnsRebindingProtection: true,
    allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
  });
  const inside = new StdioClientTransport({ command, args, env: process.env });
  inside.onmessage = (message) => {
    const isReply = message.method === undefined;
    if (isReply) pending.delete(message.id);
    // What a server says meanwhile belongs to the call under way.
    const related = isReply ? message.id : [...pending].at(-1);
    outside.send(outward(message), related === undefined ? {} : { relatedRequestId: related }).catch(() => {});
  };
  outside.onmessage = (message) => {
    if (message.method !== undefined && message.id !== undefined) pending.add(message.id);
    inside.send(inward(message)).catch(() => {});
  };
  outside.onclose = () => inside.close();
  await inside.start();
  await outside.start();
  return outside;
}

const sessions = new Map();
http.createServer(async (request, reply) => {
  const known = sessions.get(request.headers['mcp-session-id']);
  await (known ?? await session(sessions)).handleRequest(request, reply);
}).listen(port, '127.0.0.1');
