// The official SDK drives all tools of capsem-mcp: every example of a description, two failures each, progress,
// cancellation, calls at once, and a service that dies meanwhile. Usage: node host_mcp.mjs BIN_FOLDER
// Requires: a temporary sandbox brave-lynx-tmp.
import { execFileSync } from 'node:child_process';
import { claim, checkedTools, connect, fails, report, works } from './mcp_session.mjs';

const bin = process.argv[2];
const client = await connect(`${bin}/capsem-mcp`, [], {});
const tools = await checkedTools(client);
claim(tools.length === 26, `26 tools, not ${tools.length}`);
claim(await client.ping().then(() => true, () => false), 'ping');

const example = (name) => JSON.parse(tools.find((tool) => tool.name === name).description.split('Example: ')[1]);
const order = ['create', 'list', 'info', 'write_file', 'read_file', 'exec', 'run', 'fork', 'suspend', 'resume', 'persist', 'vm_logs',
  'service_logs', 'host_logs', 'panics', 'triage', 'timeline', 'inspect_schema', 'inspect', 'version', 'mcp_connectors', 'mcp_add',
  'mcp_delete', 'stop', 'delete', 'purge'];
const answers = {};
for (const name of order) answers[name] = await works(client, `capsem_${name}`, example(`capsem_${name}`));
claim(new Set(order).size === 26, 'every tool has its turn');
claim(answers.read_file.content === 'water the plants\n', 'what was written is read');
claim(answers.exec.stdout?.includes('notes') && answers.exec.stdout.includes('Linux'), 'the command saw the file');
claim(answers.run.stdout === 'hello\n', 'the variable arrived');
claim(answers.fork.name === 'calm-otter-copy' && answers.resume.mode === 'thaw' && answers.persist.name === 'brave-lynx', 'life');
claim(answers.timeline.rows?.length > 0 && answers.inspect.rows?.[0]?.[0] > 0, 'the record has the command');
claim(answers.inspect_schema.text?.includes('CREATE TABLE exec_events'), 'the schema');
claim(answers.version.service === 'connected', 'the service answers');

const missing = 'sandbox_not_found';
const failures = {
  create: [[{ name: 'calm-otter' }, 'name_taken'], [{ ramMb: 1 }, 'invalid_arguments']],
  list: [[{ x: 1 }, 'invalid_arguments'], [{ id: 'a' }, 'invalid_arguments']],
  info: [[{ id: 'nobody' }, missing], [{}, 'missing_required_argument']],
  exec: [[{ id: 'nobody', command: 'true' }, missing], [{ id: 'a', command: 5 }, 'invalid_arguments']],
  run: [[{}, 'missing_required_argument'], [{ command: 'true', timeout: 0 }, 'invalid_arguments']],
  read_file: [[{ id: 'calm-otter', path: 'no/such' }, 'file_not_found'], [{ id: 'calm-otter', path: '../x' }, 'bad_path']],
  write_file: [[{ id: 'calm-otter', path: '/etc/x', content: '' }, 'path_outside'], [{ id: 'calm-otter', path: 'x', content: '?', encoding: 'base64' }, 'invalid_arguments']],
  stop: [[{ id: 'nobody' }, missing], [{ id: '' }, 'invalid_arguments']],
  suspend: [[{ id: 'nobody' }, missing], [{}, 'missing_required_argument']],
  resume: [[{ name: 'nobody' }, missing], [{ name: 3 }, 'invalid_arguments']],
  persist: [[{ id: 'nobody', name: 'x' }, missing], [{ id: 'a', name: '../x' }, 'invalid_arguments']],
  delete: [[{ id: 'nobody' }, missing], [{ id: 'x'.repeat(65) }, 'invalid_arguments']],
  purge: [[{ all: 'yes' }, 'invalid_arguments'], [{ force: true }, 'invalid_arguments']],
  fork: [[{ id: 'nobody', name: 'x' }, missing], [{ id: 'calm-otter', name: 'brave-lynx' }, 'name_taken']],
  vm_logs: [[{ id: 'nobody' }, missing], [{ id: 'a', tail: 0 }, 'invalid_arguments']],
  service_logs: [[{ tail: -1 }, 'invalid_arguments'], [{ grep: '' }, 'invalid_arguments']],
  host_logs: [[{ name: 'passwd' }, 'invalid_arguments'], [{}, 'missing_required_argument']],
  panics: [[{ since: 'yesterday' }, 'bad_query'], [{ limit: 1000 }, 'invalid_arguments']],
  triage: [[{ since: 'x' }, 'bad_query'], [{ limit: 0 }, 'invalid_arguments']],
  timeline: [[{ id: 'nobody' }, missing], [{ id: 'calm-otter', layers: ['none'] }, 'invalid_arguments']],
  inspect_schema: [[{ id: 'a' }, 'invalid_arguments'], [{ x: [] }, 'invalid_arguments']],
  inspect: [[{ id: 'nobody', sql: 'SELECT 1' }, missing], [{ id: 'calm-otter' }, 'missing_required_argument']],
  version: [[{ x: 1 }, 'invalid_arguments'], [{ y: {} }, 'invalid_arguments']],
  mcp_connectors: [[{ profile: 'no-such-profile' }, 'profile_not_found'], [{ profile: 1 }, 'invalid_arguments']],
  mcp_add: [[{ id: 'UPPER' }, 'invalid_arguments'], [{ id: 'empty' }, 'bad_server']],
  mcp_delete: [[{ id: 'nobody' }, 'server_not_found'], [{}, 'missing_required_argument']],
};
claim(Object.keys(failures).length === 26, 'every tool fails');
for (const [name, cases] of Object.entries(failures)) {
  for (const [args, code] of cases) await fails(client, `capsem_${name}`, args, code);
}
const refused = await client.callTool({ name: 'capsem_inspect', arguments: { id: 'calm-otter', sql: 'DELETE FROM exec_events' } });
claim(refused.isError, 'only reading');

const { id } = await works(client, 'capsem_create', {});
const news = [];
const talk = await works(client, 'capsem_exec', { id, command: 'echo one; sleep 1; echo two' }, { onprogress: (p) => news.push(p) });
claim(talk.stdout === 'one\ntwo\n' && news.some((p) => p.message?.includes('one')), 'output comes as progress');
claim(news.every((p, i) => i === 0 || p.progress > news[i - 1].progress), 'progress grows');

const left = new AbortController();
const silent = client.callTool({ name: 'capsem_exec', arguments: { id, command: 'sleep 4321', timeout: 600 } }, undefined, { signal: left.signal })
  .then(() => false, () => true);
const sleeping = async () => (await works(client, 'capsem_exec', { id, command: 'pgrep -fx "sleep 4321" | wc -l' })).stdout?.trim();
for (let i = 0; i < 100 && (await sleeping()) === '0'; i++);
claim((await sleeping()) !== '0', 'the command runs');
left.abort('enough');
claim(await silent, 'a cancelled call ends');
for (let i = 0; i < 400 && (await sleeping()) !== '0'; i++);
claim((await sleeping()) === '0', 'cancelling kills the command');

const many = await Promise.all(Array.from({ length: 10 }, (_, i) => works(client, 'capsem_exec', { id, command: `echo ${i}` })));
claim(many.every((answer, i) => answer.stdout === `${i}\n`), 'calls at once keep their answers');

execFileSync(`${bin}/capsem`, ['service', 'stop'], { stdio: 'ignore' });
claim((await works(client, 'capsem_exec', { id, command: 'echo again' })).stdout === 'again\n', 'the service is started anew');
await works(client, 'capsem_delete', { id });
await client.close();
report();
