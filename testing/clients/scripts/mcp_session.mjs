// What the scripts about our MCP servers share: the official SDK's client over stdio, and a list of claims.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import Ajv from 'ajv/dist/2020.js';

const wrong = [];
let right = 0;
export const claim = (is, what) => { if (is) right++; else wrong.push(what); };
export const report = () => { console.log(JSON.stringify({ right, wrong })); process.exitCode = wrong.length ? 1 : 0; };

export const connect = async (command, args, env) => {
  const client = new Client({ name: 'capsem-tests', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'inherit' }));
  return client;
};

// Every schema is JSON Schema 2020-12; asking for the list also lets the SDK check answers against the output schemas.
export const checkedTools = async (client) => {
  const { tools } = await client.listTools();
  const ajv = new Ajv.default({ strict: true, allowUnionTypes: true });
  for (const tool of tools) {
    for (const part of ['inputSchema', 'outputSchema']) {
      claim(ajv.validateSchema(tool[part]), `${tool.name} ${part}: ${ajv.errorsText()}`);
      try { ajv.compile(tool[part]); } catch (e) { claim(false, `${tool.name} ${part}: ${e.message}`); }
    }
    claim(tool.description && tool.title && typeof tool.annotations?.readOnlyHint === 'boolean', `${tool.name} says too little`);
    for (const [name, property] of Object.entries(tool.inputSchema.properties)) {
      claim(property.description, `${tool.name}.${name} has no description`);
    }
  }
  return tools;
};

export const works = async (client, name, args, options) => {
  try {
    const result = await client.callTool({ name, arguments: args }, undefined, options);
    claim(!result.isError, `${name} ${JSON.stringify(args)}: ${JSON.stringify(result.content)}`);
    claim(result.structuredContent, `${name}: no structured content`);
    return result.structuredContent ?? {};
  } catch (e) {
    claim(false, `${name} ${JSON.stringify(args)}: ${e.message}`);
    return {};
  }
};

// A failure is a result that says its code, its cause and what to do.
export const fails = async (client, name, args, code) => {
  try {
    const result = await client.callTool({ name, arguments: args });
    const error = result._meta?.['dev.capsem/error'] ?? {};
    claim(result.isError && error.code === code && error.cause && (error.remedy || error.remediation),
      `${name} ${JSON.stringify(args)} should fail as ${code}: ${JSON.stringify(result).slice(0, 300)}`);
    return result;
  } catch (e) {
    claim(false, `${name} ${JSON.stringify(args)}: ${e.message}`);
    return {};
  }
};
