// Lists runs without an index: reads the heads of a tenant from the bucket.
import { stateKeys, type RunHead } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { LARGE_PAGE_MESSAGES, PAGE_MESSAGES, readPages } from '../streams/read-stored.ts';
import { createRunList, type ListedRun, type RunList, type RunPage, type RunPageOptions } from './run-list.ts';

const text = z.string();
export type ListedHead = Omit<ListedRun, 'revision'>;
/** The members of a head that a list needs. The head was checked when it was written. */
export const listedHeadSchema: z.ZodType<ListedHead> = z.object({
  runId: text,
  status: z.custom<RunHead['status']>((value) => typeof value === 'string'),
  agent: text,
  caller: text.optional(),
  subject: text.optional(),
  threadId: text.optional(),
  resourceId: text.optional(),
  submittedAt: z.number(),
  startedAt: z.number().optional(),
  retryOf: text.optional(),
  deadlineAt: z.number(),
});

/** Stops at the end of the page. For the newest runs it reads all heads, because the bucket is read in one direction. */
export async function selectStored(
  access: JetStreamAccess,
  tenant: string,
  isMatch: (run: ListedRun) => boolean,
  options: RunPageOptions,
): Promise<RunPage> {
  if (options.newest) return (await readAll(access, tenant)).select(isMatch, options);
  const { limit, after } = options;
  const runs: ListedRun[] = [];
  for await (const run of readHeads(access, tenant, { from: after + 1, pageSize: PAGE_MESSAGES })) {
    if (!isMatch(run)) continue;
    const last = runs.at(-1);
    if (runs.length === limit && last) return { runs, next: last.revision };
    runs.push(run);
  }
  return { runs };
}

/** Reads under way: callers repeat a request that takes long. */
const underWay = new WeakMap<JetStreamAccess, Map<string, Promise<RunList>>>();

function readAll(access: JetStreamAccess, tenant: string): Promise<RunList> {
  const reads = underWay.get(access) ?? new Map<string, Promise<RunList>>();
  underWay.set(access, reads);
  const current = reads.get(tenant) ?? readList(access, tenant).finally(() => reads.delete(tenant));
  reads.set(tenant, current);
  return current;
}

async function readList(access: JetStreamAccess, tenant: string): Promise<RunList> {
  const list = createRunList();
  for await (const run of readHeads(access, tenant, { from: 1, pageSize: LARGE_PAGE_MESSAGES })) list.put(run);
  return list;
}

async function* readHeads(
  access: JetStreamAccess,
  tenant: string,
  { from, pageSize }: { from: number; pageSize: number },
): AsyncGenerator<ListedRun> {
  const { state } = access.bus.names;
  const subject = `$KV.${state}.${stateKeys.heads(tenant)}`;
  const query = { stream: `KV_${state}`, subject, schema: listedHeadSchema };
  for await (const page of readPages(access, query, from, pageSize))
    for (const { value, sequence } of page) yield { ...value, revision: sequence };
}
