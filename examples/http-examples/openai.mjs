// Calls the demo agent with the unchanged openai client: a stream of a chat completion, then a response.
// Usage: node examples/http-examples/openai.mjs   (while `npm start` serves; the checkout installs the client)
// OPENAI_BASE_URL and OPENAI_API_KEY name another gateway and another API key.
import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';

const root = new URL('../../', import.meta.url);
const client = new OpenAI({
  baseURL: process.env.OPENAI_BASE_URL ?? 'http://127.0.0.1:8080/v1',
  apiKey: process.env.OPENAI_API_KEY ?? (await readFile(new URL('.millrace/keys/auth/first.key', root), 'utf8')).trim(),
});

const stream = await client.chat.completions.create({
  model: 'demo',
  messages: [{ role: 'user', content: 'What is 17 * 23?' }],
  stream: true,
});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '');
process.stdout.write('\n');

const response = await client.responses.create({ model: 'demo', input: 'What is 6 * 7?' });
process.stdout.write(`${response.output_text}\n`);
