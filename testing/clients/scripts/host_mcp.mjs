// The official SDK drives all tools of capsem-mcp: every example of a description, two failures each, progress,
// cancellation, calls at once, and a service that dies meanwhile. Usage: node host_mcp.mjs BIN_FOLDER
// Requires: a temporary sandbox brave-lynx-tmp.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { claim, checkedTools, connect, fails, report, works } from './mcp_session.mjs';

const bin = process.argv[2];
const client = await connect(`${bin}/capsem-mcp`, [], {});
const tools = await checkedTools(client);
claim(tools.length === 26, `26 tools, not ${tools.length}`);
claim(await client.ping().then(() => true, () => false), 'ping');

const cases = JSON.parse(readFileSync(new URL('host_mcp_cases.json', import.meta.url))).tools;
const example = (name) => JSON.parse(tools.find((tool) => tool.name === name).description.split('Example: ')[1]);
const answers = {};
for (const { name, answer } of cases) {
  const got = await works(client, name, example(name));
  for (const [member, value] of Object.entries(answer)) claim(got[member] === value, `${name} says ${member} ${got[member]}`);
  answers[name.replace('capsem_', '')] = got;
}
claim(new Set(cases.map(({ name }) => name)).size === 26, 'every tool has its turn');
claim(answers.exec.stdout?.includes('notes') && answers.exec.stdout.includes('Linux'), 'the command saw the file');
claim(answers.timeline.rows?.length > 0 && answers.inspect.rows?.[0]?.[0] > 0, 'the record has the command');
claim(answers.inspect_schema.text?.includes('CREATE TABLE exec_events'), 'the schema');

for (const { name, failures } of cases) {
  claim(failures.length > 1, `${name} fails twice`);
  for (const failure of failures) await fails(client, name, failure.arguments, failure.code);
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
