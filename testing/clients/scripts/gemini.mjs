// @google/genai: two streamed turns with a function call between them. Usage: node gemini.mjs BASE MODEL
import { GoogleGenAI } from '@google/genai';
const client = new GoogleGenAI({ apiKey: 'AIza-test-0004', httpOptions: { baseUrl: process.argv[2] } });
const config = { systemInstruction: 'You are brief.', tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } } }] }] };
const ask = async (contents) => {
  const stream = await client.models.generateContentStream({ model: process.argv[3], contents, config });
  let text = '';
  let call;
  let usage;
  for await (const chunk of stream) {
    const parts = chunk.candidates?.[0]?.content?.parts ?? [];
    for (const part of parts) {
      text += part.text ?? '';
      call ??= part.functionCall;
    }
    usage = chunk.usageMetadata;
  }
  console.log(usage.promptTokenCount, usage.candidatesTokenCount);
  return { text, call };
};
const contents = [{ role: 'user', parts: [{ text: 'How is the weather in Oslo?' }] }];
const first = await ask(contents);
console.log(first.call.name, JSON.stringify(first.call.args));
contents.push({ role: 'model', parts: [{ functionCall: first.call }] });
contents.push({ role: 'user', parts: [{ functionResponse: { id: first.call.id, name: first.call.name, response: { output: 'sunny, 21 degrees' } } }] });
console.log((await ask(contents)).text);
