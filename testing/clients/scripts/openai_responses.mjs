// openai, Responses: two streamed turns with a tool call between them. Usage: node openai_responses.mjs BASE/v1 MODEL
import OpenAI from 'openai';
const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'sk-test-0003', maxRetries: 0 });
const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } }, strict: false }];
const ask = async (input) => {
  const stream = await client.responses.create({ model: process.argv[3], instructions: 'You are brief.', tools, input, stream: true });
  let text = '';
  let done;
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') text += event.delta;
    if (event.type === 'response.completed') done = event.response;
  }
  console.log(done.status, done.usage.input_tokens, done.usage.output_tokens);
  return { text, output: done.output };
};
const input = [{ role: 'user', content: 'How is the weather in Oslo?' }];
const first = await ask(input);
const call = first.output[0];
console.log(call.name, call.arguments);
input.push(call);
input.push({ type: 'function_call_output', call_id: call.call_id, output: 'sunny, 21 degrees' });
console.log((await ask(input)).text);
