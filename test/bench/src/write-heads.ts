// Stores the heads of ended runs, without the runs, so that lists have many.
import { connectBus } from '@millrace/testkit/bench';
import { setTimeout as delay } from 'node:timers/promises';

const BUCKET = 'mr_v1_STATE';
const FLUSH_EVERY = 1_000;

/** Resolves when the server has stored them. */
export async function writeHeads(natsUrl: string, count: number): Promise<void> {
  const bus = await connectBus({ servers: natsUrl, name: 'bench-heads' });
  const now = Date.now();
  for (let at = 0; at < count; at += 1) {
    const runId = crypto.randomUUID();
    const head = {
      v: 3,
      tenant: 'default',
      runId,
      agent: at % 2 === 0 ? 'bare' : 'demo',
      requestHash: 'x'.repeat(43),
      status: at % 50 === 0 ? 'failed' : 'finished',
      owner: 'd00ea35e56df4787',
      epoch: 1,
      write: 4,
      command: at,
      records: 3,
      nextIndex: 12,
      owners: [{ epoch: 1, index: 0, firstRecord: 0 }],
      takeovers: 0,
      threadId: `thread-${at % 10_000}`,
      resourceId: `user-${at % 1_000}`,
      submittedAt: now + at,
      startedAt: now + at,
      deadlineAt: now + 600_000,
      ended: { at: new Date(now).toISOString(), step: 1 },
      end: { name: '1-x', revision: at },
    };
    bus.nc.publish(`$KV.${BUCKET}.head.default.${runId}`, JSON.stringify(head));
    if (at % FLUSH_EVERY === 0) await bus.nc.flush();
  }
  const isStored = async () => {
    const info = await bus.nc.request(`$JS.API.STREAM.INFO.KV_${BUCKET}`);
    return info.json<{ state: { messages: number } }>().state.messages >= count;
  };
  while (!(await isStored())) await delay(200);
  await bus.close();
}
