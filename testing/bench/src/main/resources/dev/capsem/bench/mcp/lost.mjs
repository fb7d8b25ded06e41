// Calls a tool as soon as it is offered, and prints when its answer came, by the clock that all programs of a machine
// share, in nanoseconds, and what the answer was.
// Usage: node lost.mjs TOOL
import { spawn } from 'node:child_process';
import readline from 'node:readline';

const tool = process.argv[2];
const AGAIN_MILLIS = 100;
const relay = spawn('capsem-mcp-server', { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => relay.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const list = () => send({ id: 'list', method: 'tools/list', params: {} });

readline.createInterface({ input: relay.stdout }).on('line', (line) => {
  const at = process.hrtime.bigint();
  const message = JSON.parse(line);
  if (message.id === 'hello') {
    send({ method: 'notifications/initialized' });
    list();
  } else if (message.id === 'list') {
    const isOffered = message.result?.tools?.some((each) => each.name === tool);
    if (isOffered) send({ id: 'call', method: 'tools/call', params: { name: tool, arguments: {} } });
    else setTimeout(list, AGAIN_MILLIS);
  } else if (message.id === 'call') {
    console.log(JSON.stringify({ at: Number(at), error: message.error?.message ?? '' }));
    process.exit(0);
  }
});
send({
  id: 'hello', method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lost', version: '1' } },
});
