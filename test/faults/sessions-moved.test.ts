// One of two guards fails while runs stream through it: every run ends as without the fault, and no subscriber of the
// bus receives text that the guard must redact.
import type { Chunk } from '@millrace/contracts';
import { eventually, useBus, useNats, useStack } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { script } from '../e2e/script.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails', 'guardrails'], undefined, { processes: 'all' });
const listener = useBus(nats, 'listener');
let heard = '';
beforeAll(async () => {
  await stack.client.agents.apply({
    name: 'guarded',
    model: 'openai/gpt-5-mini',
    flushMs: 0,
    output: ['pii', 'secrets'],
  });
  // Everything that clients can follow, of all tenants.
  listener.bus.nc.subscribe('mr.v1.chunks.>', { callback: (_error, message) => void (heard += message.string()) });
  await listener.bus.nc.flush();
});

const SECRET = 'ann.example@example.com';
const RUNS = 6;
const said = `before it ${'word '.repeat(20)}write to ${SECRET} and go on ${'word '.repeat(40)}`;
/** The client's text after all retracts. */
function joinShown(chunks: readonly { index: number; chunk: Chunk }[]): string {
  let kept: typeof chunks = [];
  for (const one of chunks) {
    const { chunk } = one;
    if (chunk.type === 'retract') kept = kept.filter(({ index }) => index < chunk.payload.index);
    else kept = [...kept, one];
  }
  return kept.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('');
}
async function start() {
  const run = await stack.client.start('guarded', script({ text: said, chunkSize: 3, delayMs: 40 }));
  const chunks: { index: number; chunk: Chunk }[] = [];
  const reading = (async () => {
    for await (const chunk of run.fullStream) chunks.push({ index: chunks.length, chunk });
  })();
  return { run, chunks, reading };
}
const guards = () => stack.pids().filter(({ service }) => service === 'guardrails');

describe('a fault of one of two guards', () => {
  test.each<[string, boolean, (pid: number) => Promise<void>]>([
    ['killed', true, async (pid) => void process.kill(pid, 'SIGKILL')],
    [
      'stopped for longer than a session is silent',
      false,
      async (pid) => {
        process.kill(pid, 'SIGSTOP');
        await new Promise((resolve) => setTimeout(resolve, 8_000));
        process.kill(pid, 'SIGCONT');
      },
    ],
    ['ended cleanly', true, async (pid) => void process.kill(pid, 'SIGTERM')],
  ])(
    '%s, runs under way end as without the fault',
    async (_what, strikeEnds, strike) => {
      const [struck] = guards();
      if (!struck) throw new Error('there are guards');
      const started = await Promise.all(Array.from({ length: RUNS }, start));
      await eventually(() => started.every(({ chunks }) => chunks.length > 5), { timeoutMs: 20_000 });
      await strike(struck.pid);
      const results = await Promise.all(started.map(({ run }) => run.result()));
      await Promise.all(started.map(({ reading }) => reading));
      if (strikeEnds) await stack.start('guardrails');
      expect(results.map(({ status, error }) => error?.code ?? status)).toEqual(results.map(() => 'finished'));
      const expected = said.replace(SECRET, '***@***.***');
      for (const [at, { text }] of results.entries()) {
        expect(text).toBe(expected);
        expect(joinShown(started[at]?.chunks ?? [])).toBe(expected);
      }
      // Cut over chunks it would arrive in pieces: none of them may appear.
      for (const piece of ['ann', 'example']) expect(heard).not.toContain(piece);
    },
    90_000,
  );
});
