// The payload of a point in Qdrant. It holds all fields of a recall, so that no other store is queried.
import { trustSchema } from '@millrace/contracts';
import { z } from 'zod';
import type { RecalledMessage, RecallMessage, VectorBlock } from '../../store/vector-store.ts';

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
  trust: trustSchema.default('untrusted'),
});
export type Payload = z.output<typeof payloadSchema>;

/** Fields of filters and of the order. Without these indexes Qdrant scans, and refuses to order. */
export const PAYLOAD_INDEXES = {
  tenant: { type: 'keyword', is_tenant: true },
  resource: { type: 'keyword' },
  thread: { type: 'keyword' },
  run: { type: 'keyword' },
  epoch: { type: 'integer', lookup: false, range: true },
  order: { type: 'integer', lookup: false, range: true },
} as const satisfies Partial<Record<keyof Payload, object>>;
export type IndexedField = keyof typeof PAYLOAD_INDEXES;

export function buildPayload(block: VectorBlock, message: RecallMessage, order: number): Payload {
  const { tenant, key, threadId, runId, epoch } = block;
  const { messageId, role, text, createdAt, trust } = message;
  const where = { tenant, resource: key, thread: threadId, run: runId, epoch, order };
  return { ...where, message: messageId, role, text, created: createdAt, trust };
}

/** @throws a ZodError for a payload that this service did not write */
export function readPayload(payload: unknown): Payload {
  return payloadSchema.parse(payload);
}

export function toRecalledMessage({
  message,
  role,
  text,
  created,
  trust,
  thread,
  run,
  order,
}: Payload): RecalledMessage {
  return { messageId: message, role, text, createdAt: created, trust, threadId: thread, runId: run, order };
}
