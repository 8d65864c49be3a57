// Mastra: processors in the process of the agent.
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { RegexFilterProcessor } from '@mastra/core/processors';
import { runCase } from '../run-case.mjs';

const CASES = {
  'no-guard': {},
  'input-throws': { inputProcessors: [{ id: 'guard', processInput: () => fail() }] },
  'stream-throws': { outputProcessors: [{ id: 'guard', processOutputStream: async () => fail() }] },
  'guard-killed': { inputProcessors: [{ id: 'guard', processInput: () => process.kill(process.pid, 'SIGKILL') }] },
  'cut-secret': { outputProcessors: [new RegexFilterProcessor({ presets: ['pii'], strategy: 'redact' })] },
};
const fail = () => {
  throw new TypeError('the guard has a fault');
};

await runCase(async ({ name, modelUrl, show }) => {
  const model = createOpenAI({ apiKey: 'none', baseURL: modelUrl }).chat('stand-in');
  const agent = new Agent({ id: 'agent', name: 'agent', instructions: '', model, maxRetries: 0, ...CASES[name] });
  const stream = await agent.stream('Which card do I use?');
  for await (const chunk of stream.fullStream) {
    if (chunk.type === 'text-delta') show(chunk.payload.text);
    if (chunk.type === 'error') throw chunk.payload.error;
    if (chunk.type === 'tripwire') throw new Error(`tripwire: ${chunk.payload.reason}`);
  }
});
