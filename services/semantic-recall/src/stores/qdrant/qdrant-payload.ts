// What stands beside a vector in Qdrant: all that recall needs, so that no other store is asked.
import { z } from 'zod';
import type { Recalled, RunBlock } from '../../store/vector-store.ts';
import { orderOf } from '../../store/vector-store.ts';

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
  order: { type: 'integer', lookup: false, range: true },
} as const satisfies Partial<Record<keyof Payload, object>>;

export function payloadsOf(block: RunBlock, savedAt: number): Payload[] {
  const { tenant, key, threadId, runId, epoch } = block;
  return block.messages.map(({ messageId, role, text, createdAt }, position) => ({
    tenant,
    resource: key,
    thread: threadId,
    run: runId,
    epoch,
    order: orderOf(savedAt, position),
    message: messageId,
    role,
    text,
    created: createdAt,
  }));
}

/** @throws a ZodError for what this service did not write */
export function readPayload(payload: unknown): Payload {
  return payloadSchema.parse(payload);
}

export function recalledOf({ message, role, text, created, thread, run, order }: Payload): Recalled {
  return { messageId: message, role, text, createdAt: created, threadId: thread, runId: run, order };
}
