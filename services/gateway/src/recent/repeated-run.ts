// Finds the run that a repeated request joins.
import { createHash } from 'node:crypto';
import type { Client } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { Access } from '../access/access.ts';
import type { CallMark, FoundRecord } from './open-request.ts';
import type { RecentRequests } from './recent-requests.ts';

export function fingerprint({ account, subject, identity }: Access, route: string, body: unknown): string {
  const text = JSON.stringify([identity.tenant, account, subject ?? null, route, body]);
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Returns the place of a value for the repetitions of a request that continues a run. With an Idempotency-Key the second
 * request is a repetition, also if the first one is in progress or was answered.
 */
export function createMark(access: Access, body: unknown, headers: Headers, recent: RecentRequests): CallMark {
  const key = headers.get('idempotency-key');
  const print = fingerprint(access, 'results', key === null ? body : [key, body]);
  return {
    find: () => (key !== null || isCounted(headers) ? recent.find(print) : recent.findBroken(print)),
    open: (value, found) => recent.open(print, value, found),
  };
}

/** Returns the run that a repeated request joins. */
export async function findRepeatedRun(
  client: Client,
  headers: Headers,
  print: string,
  recent: RecentRequests,
): Promise<FoundRecord | undefined> {
  const found = await (isCounted(headers) ? recent.find(print) : recent.findBroken(print));
  return found && (await isJoined(client, found.value)) ? found : undefined;
}

const isCounted = (headers: Headers): boolean => Number(headers.get('x-stainless-retry-count') ?? 0) > 0;

/** A run that was cancelled with the first connection is not joined: the repeated request needs an answer. */
async function isJoined(client: Client, runId: string): Promise<boolean> {
  try {
    return (await client.runs.get(runId)).status !== 'cancelled';
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return true;
    throw error;
  }
}
