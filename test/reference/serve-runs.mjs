// The reference of the bench: one process of another framework that serves the runs of the bench, over the same HTTP model. The bench forks
// it and sends {setup, input, text, atOnce, total, merges}; the answer is {seconds, cpuMs, deltas, firstMs, gapMs}, or {error}.
// MODEL_URL, DATABASE (a file).
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { createModels } from '../../shared/models/src/mod.ts';
import { inputGuard, outputGuards } from './our-guards.mjs';

const { MODEL_URL = '', DATABASE = '' } = process.env;

/** dev-model uses a script only for calls with a number, as the orchestrator sends them. */
let calls = 0;
const numbered = (model) => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (options) => model.doGenerate(options),
  doStream: (options) =>
    model.doStream({ ...options, headers: { ...options.headers, 'X-Client-Request-Id': `reference-${calls++}.1` } }),
});
const plain = numbered(createOpenAI({ apiKey: 'stand-in', baseURL: MODEL_URL }).chat('stand-in'));
const merging = numbered(
  createModels({ apiKey: 'stand-in', baseUrl: MODEL_URL }).createLanguageModel('openai-chat/stand-in', {
    joinsDeltas: true,
  }),
);

const pass = (id) => ({
  id,
  name: id,
  processInput: async ({ messages }) => messages,
  processOutputStream: async ({ part }) => part,
});
const six = ['a', 'a2', 'b', 'b2', 'c', 'c2'].map((name) => pass(`pass-${name}`));
const SETUPS = {
  bare: {},
  six: {
    memory: new Memory({
      storage: new LibSQLStore({ id: 'reference', url: `file:${DATABASE}` }),
      options: { lastMessages: 10, semanticRecall: false, workingMemory: { enabled: false } },
    }),
    inputProcessors: six,
    outputProcessors: six,
  },
};

const agents = new Map();
function makeAgent({ setup, merges, guards }) {
  const key = `${setup} ${merges}`;
  const own = guards && {
    inputProcessors: guards.input.map(inputGuard),
    outputProcessors: [outputGuards(guards.output)],
  };
  const made =
    agents.get(key) ??
    new Agent({
      id: key,
      name: key,
      instructions: '',
      model: merges ? merging : plain,
      // The server closed an idle connection.
      maxRetries: 2,
      ...(SETUPS[setup] ?? own),
    });
  agents.set(key, made);
  return made;
}

let count = 0;
async function one(agent, hasMemory, { input, text }, seen) {
  const memory = { thread: `thread-${count++}`, resource: 'bench' };
  const begun = performance.now();
  const stream = await agent.stream(input, hasMemory ? { memory } : {});
  let last;
  let got = '';
  for await (const chunk of stream.fullStream) {
    if (chunk.type === 'error' || chunk.type === 'tripwire') throw new Error(JSON.stringify(chunk));
    if (chunk.type !== 'text-delta') continue;
    const now = performance.now();
    if (last === undefined) seen.firstMs.push(now - begun);
    else seen.gapMs.push(now - last);
    last = now;
    got += chunk.payload.text;
    seen.deltas += 1;
  }
  if (got !== text) throw new Error(`the reference gave ${got.length} characters instead of ${text.length}: ${got}`);
}

async function measure(asked) {
  const agent = makeAgent(asked);
  const seen = { deltas: 0, firstMs: [], gapMs: [] };
  let left = asked.total;
  const worker = async () => {
    while (left-- > 0) await one(agent, asked.setup === 'six', asked, seen);
  };
  const started = performance.now();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: asked.atOnce }, worker));
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - started) / 1_000;
  return { ...seen, seconds, cpuMs: (user + system) / 1_000 / asked.total, deltas: seen.deltas / asked.total };
}

process.on('message', (asked) => {
  measure(asked).then(
    (figures) => process.send?.(figures),
    (error) => process.send?.({ error: String(error?.stack ?? error) }),
  );
});
process.on('disconnect', () => process.exit());
