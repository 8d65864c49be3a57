// Collects the pages of lists.
import type { ShownKey } from '@millrace/contracts';
import type { AskApi } from './connection.ts';

/** Reads pages until the last one: each starts after the preceding one, so the loop terminates. */
export async function collectPages<E>(
  page: (after: number) => Promise<{ items: E[]; next?: number | undefined }>,
): Promise<E[]> {
  const all: E[] = [];
  for (let after = 0; ;) {
    const { items, next } = await page(after);
    all.push(...items);
    if (next === undefined || next <= after) return all;
    after = next;
  }
}

export function collectEvents<E>(
  page: (after: number) => Promise<{ events: E[]; next?: number | undefined }>,
): Promise<E[]> {
  return collectPages(async (after) => {
    const { events: items, next } = await page(after);
    return { items, next };
  });
}

export async function collectAgents<A>(
  page: (of: { after: string | undefined }) => Promise<{ agents: A[]; next?: string | undefined }>,
): Promise<A[]> {
  const all: A[] = [];
  for (let after: string | undefined; ;) {
    const { agents, next } = await page({ after });
    all.push(...agents);
    if (next === undefined || (after !== undefined && next <= after)) return all;
    after = next;
  }
}

export async function collectKeys(ask: AskApi): Promise<ShownKey[]> {
  const all: ShownKey[] = [];
  for (let after: string | undefined; ;) {
    const { keys, next } = await ask('keys-list', { after });
    all.push(...keys);
    if (next === undefined || (after !== undefined && next <= after)) return all;
    after = next;
  }
}
