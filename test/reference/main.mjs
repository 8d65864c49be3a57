// The reference of the bench: one process that does what our services do, with the same HTTP model, six processors that pass
// everything on, ten messages of memory. MODEL_URL, INPUT, DATABASE (a file), AT_ONCE, RUNS. Prints JSON.
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';

const { MODEL_URL, INPUT = '', DATABASE = '', AT_ONCE = '1', RUNS = '32' } = process.env;
const provider = createOpenAI({ apiKey: 'stand-in', baseURL: MODEL_URL });

const pass = (id) => ({
  id,
  name: id,
  processInput: async ({ messages }) => messages,
  processOutputStream: async ({ part }) => part,
});
const six = ['a', 'a2', 'b', 'b2', 'c', 'c2'].map((name) => pass(`pass-${name}`));
const agent = new Agent({
  id: 'reference',
  name: 'reference',
  instructions: '',
  model: provider.chat('stand-in'),
  memory: new Memory({
    storage: new LibSQLStore({ id: 'reference', url: `file:${DATABASE}` }),
    options: { lastMessages: 10, semanticRecall: false, workingMemory: { enabled: false } },
  }),
  inputProcessors: six,
  outputProcessors: six,
});

let count = 0;
async function one() {
  const thread = `thread-${count++}`;
  const stream = await agent.stream(INPUT, { memory: { thread, resource: 'bench' } });
  let deltas = 0;
  for await (const chunk of stream.fullStream) {
    if (chunk.type === 'text-delta') deltas += 1;
    if (chunk.type === 'error') throw new Error(JSON.stringify(chunk));
  }
  if (deltas === 0) throw new Error('a run said nothing');
}

async function runs(total) {
  let left = total;
  const worker = async () => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: Number(AT_ONCE) }, worker));
}

const total = Number(RUNS);
await runs(Math.ceil(total / 2));
const started = performance.now();
const before = process.cpuUsage();
await runs(total);
const { user, system } = process.cpuUsage(before);
const seconds = (performance.now() - started) / 1_000;
process.stdout.write(JSON.stringify({ runsPerSecond: total / seconds, cpuMs: (user + system) / 1_000 / total }));
process.exit();
