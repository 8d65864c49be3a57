// What stands beside a vector in Qdrant: all that recall needs, so that no other store is asked.
import { z } from 'zod';
import type { Recalled, RecallMessage, RunBlock } from '../../store/vector-store.ts';

const payloadSchema = z.object({
  tenant: z.string(),
  resource: z.string(),
  thread: z.string(),
  run: z.string(),
  epoch: z.number(),
  order: z.number(),
  message: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  created: z.string(),
});
export type Payload = z.output<typeof payloadSchema>;

/** What is filtered and ordered by. Without these Qdrant scans, and refuses to order. */
export const PAYLOAD_INDEXES = {
  tenant: { type: 'keyword', is_tenant: true },
  resource: { type: 'keyword' },
  thread: { type: 'keyword' },
  run: { type: 'keyword' },
  epoch: { type: 'integer', lookup: false, range: true },
  order: { type: 'integer', lookup: false, range: true },
} as const satisfies Partial<Record<keyof Payload, object>>;
export type IndexedField = keyof typeof PAYLOAD_INDEXES;

export function payloadOf(block: RunBlock, message: RecallMessage, order: number): Payload {
  const { tenant, key, threadId, runId, epoch } = block;
  const { messageId, role, text, createdAt } = message;
  const where = { tenant, resource: key, thread: threadId, run: runId, epoch, order };
  return { ...where, message: messageId, role, text, created: createdAt };
}

/** @throws a ZodError for what this service did not write */
export function readPayload(payload: unknown): Payload {
  return payloadSchema.parse(payload);
}

export function recalledOf({ message, role, text, created, thread, run, order }: Payload): Recalled {
  return { messageId: message, role, text, createdAt: created, threadId: thread, runId: run, order };
}
