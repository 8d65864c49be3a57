// Counts the runs that an outage of NATS ends, with their codes.
import type { Client } from '@millrace/client';
import { script } from '../e2e/script.ts';

export type OutagePoint = { seconds: number; orchestrators: number; runs: number };
export type OutageOutcome = { withoutSession: number; withSession: number; codes: string[] };

/** Delay between two deltas, ms; the text of a run takes longer than the outage. */
const DELTA_MS = 200;
const AFTER_MS = 6_000;

/** @param outage resolves when the server is available again */
export async function measureOutage(
  client: Client,
  { seconds, runs }: Omit<OutagePoint, 'orchestrators'>,
  outage: () => Promise<void>,
): Promise<OutageOutcome> {
  await client.agents.apply({ name: 'plain', model: 'openai/gpt-5-mini', flushMs: 0 });
  await client.agents.apply({ name: 'guarded', model: 'openai/gpt-5-mini', flushMs: 0, output: ['pii'] });
  const deltas = Math.ceil((seconds * 1_000 + AFTER_MS) / DELTA_MS);
  const input = script({ text: 'word '.repeat(deltas), chunkSize: 5, delayMs: DELTA_MS });
  const startAll = (agent: string) => Promise.all(Array.from({ length: runs }, () => client.start(agent, input)));
  const [plain, guarded] = await Promise.all([startAll('plain'), startAll('guarded')]);
  await Promise.all(
    [...plain, ...guarded].map(async (run) => {
      for await (const text of run.textStream) if (text !== '') break;
    }),
  );
  await outage();
  const waitForEnd = async (started: typeof plain) => {
    const results = await Promise.all(started.map((run) => run.result()));
    return results.filter(({ status }) => status !== 'finished').map(({ status, error }) => error?.code ?? status);
  };
  const [without, withOpen] = await Promise.all([waitForEnd(plain), waitForEnd(guarded)]);
  const codes = [...new Set([...without, ...withOpen])];
  return { withoutSession: without.length, withSession: withOpen.length, codes };
}
