// openai, Chat Completions: two streamed turns with a tool call between them. Usage: node openai_chat.mjs BASE/v1 MODEL
import OpenAI from 'openai';
const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'sk-test-0002', maxRetries: 0 });
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } }];
const ask = async (messages) => {
  const stream = await client.chat.completions.create({ model: process.argv[3], tools, messages, stream: true, stream_options: { include_usage: true } });
  const out = { text: '', id: '', name: '', args: '', finish: '', usage: null };
  for await (const chunk of stream) {
    const choice = chunk.choices[0];
    if (chunk.usage) out.usage = chunk.usage;
    if (!choice) continue;
    out.text += choice.delta.content ?? '';
    for (const call of choice.delta.tool_calls ?? []) {
      out.id ||= call.id; out.name ||= call.function.name; out.args += call.function.arguments ?? '';
    }
    out.finish = choice.finish_reason ?? out.finish;
  }
  console.log(out.finish, out.usage.prompt_tokens, out.usage.completion_tokens);
  return out;
};
const messages = [{ role: 'system', content: 'You are brief.' }, { role: 'user', content: 'How is the weather in Oslo?' }];
const first = await ask(messages);
console.log(first.name, first.args);
messages.push({ role: 'assistant', content: null, tool_calls: [{ id: first.id, type: 'function', function: { name: first.name, arguments: first.args } }] });
messages.push({ role: 'tool', tool_call_id: first.id, content: 'sunny, 21 degrees' });
console.log((await ask(messages)).text);
