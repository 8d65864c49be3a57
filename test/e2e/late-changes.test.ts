// Text that a processor changes after it was streamed: every reader joins the text of the result, live, in a replay,
// rejoined in between, after tool steps, and although orchestrators are killed in the middle.
import type { PositionedChunk } from '@millrace/client';
import { readMessageText, buildTextMessage } from '@millrace/contracts';
import {
  defineMethods,
  defineProcessor,
  defineTool,
  eventually,
  useNats,
  useProcessors,
  useStack,
} from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { script, type ScriptElement } from './script.ts';

const nats = useNats();
let open = Promise.withResolvers<void>();
let waiting = 0;
beforeEach(() => {
  open = Promise.withResolvers();
  waiting = 0;
});

const options = z.strictObject({
  stage: z.enum(['step', 'result']).default('result'),
  waits: z.boolean().default(false),
});
const censor = (text: string): string => text.replaceAll('Bob', 'a guest');
const processors = [
  defineProcessor({
    id: 'late-censor',
    description: 'Replaces a name in whole answers, and adds a note at the end.',
    stages: ['processOutputStep', 'processOutputResult'],
    reads: ['response'],
    policy: { timeoutMs: 60_000, attempts: 1 },
    options,
    create: ({ stage, waits }) => ({
      id: 'late-censor',
      processOutputStep: ({ messages }) =>
        stage === 'step'
          ? messages.map((message) => (message.role === 'assistant' ? withCensored(message) : message))
          : undefined,
      processOutputResult: async ({ messages, messageList }) => {
        if (waits) {
          waiting += 1;
          await open.promise;
        }
        if (stage !== 'result') return;
        const own = messages.map((message) =>
          readMessageText(message).includes('Bob') ? withCensored(message) : message,
        );
        if (own.some((message, at) => message !== messages[at])) return own;
        if (messages.some((message) => readMessageText(message).includes('Sign here.')))
          messageList.add(buildTextMessage('note', 'assistant', ' Signed.'), 'response');
      },
    }),
  }),
  defineMethods('pieces-only', {
    processOutputStream: async ({ part }) =>
      part.type === 'text-delta'
        ? { ...part, payload: { ...part.payload, text: part.payload.text.replaceAll('a guest', '***') } }
        : part,
  }),
];
type Answer = Parameters<typeof readMessageText>[0];
function withCensored(message: Answer): Answer {
  const parts = message.content.parts.map((part) =>
    part.type === 'text' ? { ...part, text: censor(part.text) } : part,
  );
  return { ...message, content: { ...message.content, parts } };
}

const look = defineTool({
  name: 'late-look',
  description: 'Looks.',
  effect: 'read',
  inputSchema: z.strictObject({}),
  execute: () => ({ seen: 'a wall' }),
});
useProcessors(nats, processors, 'late-processors', [look]);
const stack = useStack(nats, ['orchestrator'], undefined, { processes: ['orchestrator'] });

async function start(name: string, lists: object, ...says: ScriptElement[]) {
  const agent = { name, model: 'openai/gpt-5-mini', instructions: 'Help.', tools: ['late-look'], ...lists };
  await eventually(() => stack.client.agents.apply(agent), { timeoutMs: 30_000 });
  return stack.client.start(name, script(...says));
}
const late = (more: object = {}) => ({ output: [{ use: 'late-censor', options: more }] });
const steps: ScriptElement[] = [
  { text: 'Bob is here. ', toolCalls: [{ name: 'late-look', args: {} }] },
  { text: 'I see Bob.' },
];
const CENSORED = 'a guest is here. I see a guest.';

/** Applies the retracts and joins the text. @param shown the texts that the reader had before, by index */
async function readText(positions: AsyncIterable<PositionedChunk>, shown: string[] = []): Promise<string> {
  for await (const { index, chunk } of positions) {
    if (chunk.type === 'retract') shown.length = Math.min(shown.length, chunk.payload.index);
    shown[index] = chunk.type === 'text-delta' ? chunk.payload.text : '';
  }
  return Object.values(shown).join('');
}
const replay = async (runId: string) => readText((await stack.client.follow(runId)).positions);

describe('an answer that a processor changes late', () => {
  test.each([
    ['processOutputResult', { stage: 'result' }],
    ['processOutputStep', { stage: 'step' }],
  ])('by %s is the text of every reader, after steps with tools', async (_stage, more) => {
    const run = await start(`late-${more.stage}`, late(more), ...steps);
    const live = readText(run.positions);
    const { text, status } = await run.result();
    expect([status, text]).toEqual(['finished', CENSORED]);
    expect([await live, await replay(run.runId)]).toEqual([CENSORED, CENSORED]);
  });

  test('is the text of a reader that left before the change and rejoins after it', async () => {
    const run = await start('late-rejoin', late({ waits: true }), ...steps);
    const shown: string[] = [];
    let next = { epoch: 1, index: 0 };
    for await (const { epoch, index, chunk } of run.positions) {
      shown[index] = chunk.type === 'text-delta' ? chunk.payload.text : '';
      next = { epoch, index: index + 1 };
      if (Object.values(shown).join('').endsWith('I see Bob.')) break;
    }
    expect(Object.values(shown).join('')).toBe('Bob is here. I see Bob.');
    open.resolve();
    expect((await run.result()).text).toBe(CENSORED);
    const rejoined = await stack.client.follow(run.runId, { from: next });
    expect(await readText(rejoined.positions, shown)).toBe(CENSORED);
  });

  test('follows the streamed text without a retract if it is only longer', async () => {
    const run = await start('late-note', late(), { text: 'Sign here.' });
    const types: string[] = [];
    for await (const chunk of run.fullStream) types.push(chunk.type);
    expect(types).not.toContain('retract');
    expect([(await run.result()).text, await replay(run.runId)]).toEqual(['Sign here. Signed.', 'Sign here. Signed.']);
  });

  test('has passed the processors of the stream that judge pieces only', async () => {
    const run = await start('late-pieces', { output: ['pieces-only', 'late-censor'] }, ...steps);
    const masked = CENSORED.replaceAll('a guest', '***');
    const live = readText(run.positions);
    expect([(await run.result()).text, await live, await replay(run.runId)]).toEqual([masked, masked, masked]);
  });

  test('is the text of every reader although orchestrators are killed while it is published', async () => {
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, at) => start(`late-killed-${at % 3}`, late({ waits: true }), ...steps)),
    );
    const live = runs.map((run) => readText(run.positions));
    const retracted = Promise.race(
      runs.map(async ({ fullStream }) => {
        for await (const { type } of fullStream) if (type === 'retract') return;
      }),
    );
    await eventually(() => waiting >= runs.length, { timeoutMs: 30_000 });
    const doomed = stack.pids().filter(({ service }) => service === 'orchestrator');
    await stack.start('orchestrator');
    open.resolve();
    await retracted;
    for (const { pid } of doomed) process.kill(pid, 'SIGKILL');
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results.map(({ text }) => text)).toEqual(runs.map(() => CENSORED));
    expect(await Promise.all(live)).toEqual(runs.map(() => CENSORED));
    expect(await Promise.all(runs.map(({ runId }) => replay(runId)))).toEqual(runs.map(() => CENSORED));
  }, 120_000);
});
