// The output stream of a processor in raw JSON: a session that returns its input, or sends its verdict at once.
import type { TestBus } from '@millrace/testkit';
import { z } from 'zod';
import { REPLICA } from './raw-replica.ts';

const flag = z.boolean().default(false);
const list = z.array(z.unknown()).default([]);
const openSchema = z.object({ session: z.string(), orchestrator: z.string(), chunks: list, end: flag });
const batchSchema = z.object({ chunks: list, end: flag, drop: flag });

type RawVerdict = {
  verdict: object;
  /** Whether the input passes and the verdict follows at its end. */
  passes: boolean;
};

/** Builds the answer of the open request. Batches pass; content of a verdict is sent as one. */
export function openRaw({ nc, subjects }: TestBus['bus'], service: string, call: unknown, said: RawVerdict): object {
  const { session, orchestrator, chunks, end } = openSchema.parse(call);
  const opened = { opened: true, service, replica: REPLICA, served: 1 };
  const last = { verdicts: [said.verdict], ms: [0] };
  const passed = { verdicts: [{ type: 'continue' }], ms: [0] };
  if (end) return { ...opened, output: { chunks, ...(said.passes ? last : passed) } };
  let sequence = 0;
  let processed = 0;
  const out = (more: object) => {
    const batch = { session, sequence: sequence++, processed, ...more };
    nc.publish(subjects.out(orchestrator, session), JSON.stringify(batch));
  };
  const input = nc.subscribe(subjects.session(service, REPLICA, session), {
    callback: (_error, message) => {
      const batch = batchSchema.parse(message.json());
      processed += batch.chunks.length;
      if (batch.drop || batch.end || !said.passes) input.unsubscribe();
      if (batch.drop) return;
      out(said.passes ? { chunks: batch.chunks, ...(batch.end && last) } : { chunks: [], ...last });
    },
  });
  return opened;
}
