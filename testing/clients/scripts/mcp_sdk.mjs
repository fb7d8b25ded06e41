// Lists the tools behind the relay, then calls some: name and arguments (JSON) in turn.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const client = new Client({ name: 'sdk-typescript', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: 'capsem-mcp-server' }));
const { tools } = await client.listTools();
console.log(tools.map((tool) => tool.name).join(' '));
for (let i = 2; i + 1 < process.argv.length; i += 2) {
  const result = await client.callTool({ name: process.argv[i], arguments: JSON.parse(process.argv[i + 1]) });
  console.log(`${result.isError ? 'failed: ' : ''}${result.content[0].text}`);
}
const { resources } = await client.listResources();
if (resources.length > 0) {
  const { contents } = await client.readResource({ uri: resources[0].uri });
  console.log(`${resources[0].uri} ${contents.length}`);
}
const { prompts } = await client.listPrompts();
console.log(prompts.map((prompt) => prompt.name).join(' '));
await client.close();
