// LangChain on LangGraph: middleware around the nodes of the agent's graph.
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, createMiddleware, piiMiddleware } from 'langchain';
import { runCase } from '../run-case.mjs';

const fail = () => {
  throw new TypeError('the guard has a fault');
};
const CASES = {
  'no-guard': () => [],
  'input-throws': () => createMiddleware({ name: 'Guard', beforeModel: fail }),
  'stream-throws': () => createMiddleware({ name: 'Guard', afterModel: fail }),
  'guard-killed': () => createMiddleware({ name: 'Guard', beforeModel: () => process.kill(process.pid, 'SIGKILL') }),
  'cut-secret': () => piiMiddleware('credit_card', { strategy: 'redact', applyToOutput: true }),
};

await runCase(async ({ name, modelUrl, show }) => {
  const model = new ChatOpenAI({
    model: 'stand-in',
    apiKey: 'none',
    maxRetries: 0,
    configuration: { baseURL: modelUrl },
  });
  const agent = createAgent({ model, tools: [], middleware: [CASES[name]()].flat() });
  const messages = [{ role: 'user', content: 'Which card do I use?' }];
  for await (const [chunk] of await agent.stream({ messages }, { streamMode: 'messages' }))
    if (chunk.type === 'ai') show(chunk.text);
});
