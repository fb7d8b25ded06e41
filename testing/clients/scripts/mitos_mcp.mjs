// The official SDK drives mitos-mcp against a sandbox server. Usage: node mitos_mcp.mjs PROGRAM TEMPLATE
// The server and the token are in MITOS_BASE_URL and MITOS_API_KEY.
import { claim, checkedTools, connect, fails, report, works } from './mcp_session.mjs';

const [program, template] = process.argv.slice(2);
const client = await connect(program, ['--enable-workspace-tools'], {});
const tools = await checkedTools(client);
claim(tools.length === 10, `6 tools and 4 for workspaces, not ${tools.length}`);

const { id } = await works(client, 'sandbox_create', { pool: template });
const ran = await works(client, 'sandbox_exec', { sandbox: id, command: 'echo out; echo err >&2; exit 3', timeout_seconds: 20 });
claim(ran.exit_code === 3 && ran.stdout === 'out\n' && ran.stderr === 'err\n', `exec: ${JSON.stringify(ran)}`);
await works(client, 'sandbox_write_file', { sandbox: id, path: '/root/a.bin', content: '/wABgA==', encoding: 'base64' });
const read = await works(client, 'sandbox_read_file', { sandbox: id, path: '/root/a.bin' });
claim(read.content === '/wABgA==' && read.encoding === 'base64' && read.size === 4, `bytes: ${JSON.stringify(read)}`);
await works(client, 'sandbox_write_file', { sandbox: id, path: '/root/state.txt', content: 'from the source\n' });

const { ids = [] } = await works(client, 'sandbox_fork', { sandbox: id, replicas: 3 });
claim(ids.length === 3 && new Set(ids).size === 3, `three copies: ${ids}`);
for (const copy of ids) {
  const seen = await works(client, 'sandbox_read_file', { sandbox: copy, path: '/root/state.txt' });
  claim(seen.content === 'from the source\n', `${copy} has the state`);
}
const news = [];
await works(client, 'sandbox_exec', { sandbox: id, command: 'echo live; sleep 1' }, { onprogress: (p) => news.push(p.message) });
claim(news.join('').includes('live'), `progress: ${news}`);

const { resources } = await client.listResources();
claim(resources.some((one) => one.uri.includes(id)), 'resources name the sandbox');
const file = await client.readResource({ uri: `mitos://sandboxes/${id}/files/root/state.txt` });
claim(file.contents[0].text === 'from the source\n', 'a file is a resource');
const log = await client.readResource({ uri: `mitos://sandboxes/${id}/log` });
claim(log.contents[0].text.includes('$ echo live'), 'so is the log');
claim((await client.listPrompts()).prompts.length === 2, 'prompts');

await fails(client, 'sandbox_create', { pool: 'no-such-template' }, 'not_found');
await fails(client, 'sandbox_create', {}, 'missing_required_argument');
await fails(client, 'sandbox_exec', { sandbox: 'nobody', command: 'true' }, 'not_found');
await fails(client, 'sandbox_exec', { sandbox: '../x', command: 'true' }, 'invalid_arguments');
await fails(client, 'sandbox_read_file', { sandbox: id, path: '/root/none' }, 'not_found');
await fails(client, 'sandbox_read_file', { sandbox: id, path: 7 }, 'invalid_arguments');
await fails(client, 'sandbox_write_file', { sandbox: 'nobody', path: '/root/x', content: '' }, 'not_found');
await fails(client, 'sandbox_write_file', { sandbox: id, path: '/root/x' }, 'missing_required_argument');
await fails(client, 'sandbox_fork', { sandbox: 'nobody' }, 'not_found');
await fails(client, 'sandbox_fork', { sandbox: id, replicas: 0 }, 'invalid_arguments');
await fails(client, 'sandbox_terminate', { sandbox: 'nobody' }, 'not_found');
await fails(client, 'sandbox_terminate', { sandbox: '' }, 'invalid_arguments');

await works(client, 'workspace_create', { name: 'notes' });
await works(client, 'workspace_attach', { sandbox: id, workspace: 'notes' });
const { workspaces = [] } = await works(client, 'workspace_list', {});
claim(workspaces.some((one) => one.name === 'notes'), `workspaces: ${JSON.stringify(workspaces)}`);
await fails(client, 'workspace_create', { name: '../x' }, 'invalid_arguments');
await fails(client, 'workspace_attach', { sandbox: id, workspace: 'none' }, 'not_found');
await fails(client, 'workspace_delete', { name: 'none' }, 'not_found');

for (const one of [id, ...ids]) await works(client, 'sandbox_terminate', { sandbox: one });
await works(client, 'workspace_delete', { name: 'notes' });
await client.close();

const stranger = await connect(program, [], { MITOS_API_KEY: 'wrong-token-000' });
const denied = await fails(stranger, 'sandbox_create', { pool: template }, 'unauthorized');
claim(JSON.stringify(denied).includes('status 401') && !JSON.stringify(denied).includes('wrong-token'), 'a wrong token is 401, unseen');
await stranger.close();
report();
