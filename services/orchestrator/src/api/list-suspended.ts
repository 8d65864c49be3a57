// Lists the questions of suspended runs, page by page, with their tokens: of the caller's runs, or for an operator of
// the tenant's.
import { stateKeys, suspensionSchema, type ApiAnswer, type ApiRequest, type Suspension } from '@millrace/contracts';
import type { ApiCall, JetStreamAccess } from '@millrace/bus';
import { locateHead } from '../head/run-head.ts';
import { readResumptions } from '../state/suspension-store.ts';
import { pageBytes } from '../transcript/logged-chunks.ts';
import { readPage } from '../streams/read-stored.ts';
import { isVisible } from './run-address.ts';

/** Concurrent reads of heads. */
const MAX_READS_AT_ONCE = 32;

export async function listSuspended(
  access: JetStreamAccess,
  call: ApiCall,
  { limit, after }: ApiRequest<'suspended-list'>,
): Promise<ApiAnswer<'suspended-list'>> {
  const { state } = access.bus.names;
  const subject = `$KV.${state}.${stateKeys.suspensions(call.tenant)}`;
  const query = { stream: `KV_${state}`, subject, schema: suspensionSchema };
  const options = { from: after + 1, maxMessages: limit, maxBytes: pageBytes(access) };
  const { found, next } = await readPage(access, query, options);
  const suspended: Suspension[] = [];
  for (let at = 0; at < found.length; at += MAX_READS_AT_ONCE) {
    const some = found.slice(at, at + MAX_READS_AT_ONCE).map(({ value }) => readWaiting(access, call, value));
    suspended.push(...(await Promise.all(some)).flat());
  }
  return { suspended, ...(next !== undefined && { next: next - 1 }) };
}

/** Skips entries of runs that have continued, and answered questions, even if their run has not continued yet. */
async function readWaiting(access: JetStreamAccess, call: ApiCall, suspension: Suspension): Promise<Suspension[]> {
  const { tenant } = call;
  const { runId, epoch, pending } = suspension;
  const there = await locateHead(access, tenant, runId);
  // An invalid head is logged by the owner; it must not hide the others.
  const head = 'value' in there ? there.value : undefined;
  if (head?.status !== 'suspended' || head.epoch !== epoch || !isVisible(head, call)) return [];
  const answered = new Set((await readResumptions(access, { tenant, runId }, pending)).map(({ id }) => id));
  const open = pending.filter(({ id }) => !answered.has(id));
  return open.length === 0 ? [] : [{ ...suspension, pending: open }];
}
