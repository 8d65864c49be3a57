// A thread as it is stored: flat, times in milliseconds since 1970, metadata as JSON. One schema for both stores; Redis gives
// every value as a string.
import type { JsonObject, Thread } from '@millrace/contracts';
import { findResource } from '@millrace/stores';
import { z } from 'zod';

const storedThreadSchema = z.object({
  owner: z.string(),
  title: z.string(),
  createdAt: z.coerce.number(),
  updatedAt: z.coerce.number(),
  lastMessageAt: z.coerce.number().nullish(),
  messageCount: z.coerce.number().int(),
  metadata: z.string(),
  /** Members of the caller; absent: `metadata` contains them. */
  own: z.string().nullish(),
});
const metadataSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** @param stored an object with the fields of the schema; others are ignored */
export function readThread(id: string, stored: unknown): Thread {
  const { owner, title, createdAt, updatedAt, lastMessageAt, messageCount, metadata, own } =
    storedThreadSchema.parse(stored);
  const resourceId = findResource(owner);
  return {
    id,
    ...(resourceId !== undefined && { resourceId }),
    title,
    createdAt: formatIso(createdAt),
    updatedAt: formatIso(updatedAt),
    ...(typeof lastMessageAt === 'number' && { lastMessageAt: formatIso(lastMessageAt) }),
    messageCount,
    metadata: { ...parseMetadata(own ?? '{}'), ...parseMetadata(metadata) },
  };
}

const parseMetadata = (text: string): JsonObject => metadataSchema.parse(JSON.parse(text));

/** Returns the members that the caller has given the thread. */
export function readOwnMetadata({ metadata: { agents: _, ...own } }: Thread): JsonObject {
  return own;
}

/** Returns undefined for a thread of an earlier version, which has no list of agents. */
export function readAgents({ metadata: { agents } }: Thread): string[] | undefined {
  return Array.isArray(agents) ? agents.map(String) : undefined;
}

function formatIso(ms: number): string {
  return new Date(ms).toISOString();
}
