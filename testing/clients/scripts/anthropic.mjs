// @anthropic-ai/sdk: two streamed turns with a tool call between them. Usage: node anthropic.mjs BASE MODEL
import Anthropic from '@anthropic-ai/sdk';
const client = new Anthropic({ baseURL: process.argv[2], apiKey: 'sk-ant-test-0001', maxRetries: 0 });
const tools = [{ name: 'get_weather', description: 'Weather of a city', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }];
const ask = async (messages) => {
  const stream = client.messages.stream({ model: process.argv[3], max_tokens: 100, system: 'You are brief.', tools, messages });
  let deltas = 0;
  stream.on('text', () => { deltas++; });
  const message = await stream.finalMessage();
  console.log(message.stop_reason, message.usage.input_tokens, message.usage.output_tokens, deltas);
  return message;
};
const messages = [{ role: 'user', content: 'How is the weather in Oslo?' }];
const first = await ask(messages);
const call = first.content.find((block) => block.type === 'tool_use');
console.log(call.name, JSON.stringify(call.input));
messages.push({ role: 'assistant', content: first.content });
messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'sunny, 21 degrees' }] });
const second = await ask(messages);
console.log(second.content[0].text);
