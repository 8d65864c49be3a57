// Replaces the references to items of earlier responses by the messages of their runs.
import type { Client } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { Access } from '../../access/access.ts';
import { createIdentity } from './response-identity.ts';
import type { Item, ResponseRequest } from './responses-request.ts';
import { readResponse } from './responses-stream.ts';

/** Runs that one request may refer to. */
const MAX_RUNS = 50;

const isReference = (item: Item): item is Extract<Item, { type: 'item_reference' }> => item.type === 'item_reference';

/**
 * The first reference to an item of a run stands for the messages of that run, the others for nothing: a run has one
 * answer. @throws run-unknown
 */
export async function resolveReferences(body: ResponseRequest, access: Access): Promise<ResponseRequest['input']> {
  const { input } = body;
  if (typeof input === 'string' || !input.some(isReference)) return input;
  const resolved: Item[] = [];
  const seen = new Set<string>();
  for (const item of input) {
    if (!isReference(item)) resolved.push(item);
    else {
      const { runId, client } = await findRun(item.id, access);
      if (!seen.has(runId)) resolved.push(...(await readMessages(runId, client, body)));
      seen.add(runId);
      if (seen.size > MAX_RUNS) throw createReferenceError(item.id);
    }
  }
  return resolved;
}

/** The id of an item has the id of its run, and a number or two. */
async function findRun(id: string, access: Access): Promise<{ runId: string; client: Client }> {
  const [, base = ''] = /^[a-z]+_(.+)_\d+$/.exec(id) ?? [];
  for (const runId of [base, base.replace(/_\d+$/, '')]) {
    try {
      const client = await access.connectClient();
      await client.runs.get(runId);
      return { runId, client };
    } catch (error) {
      if (!MillraceError.isInstance(error) || !UNKNOWN.has(error.code)) throw error;
    }
  }
  throw createReferenceError(id);
}

const UNKNOWN: ReadonlySet<string> = new Set(['run-unknown', 'message-invalid', 'run-refused', 'token-invalid']);

async function readMessages(runId: string, client: Client, body: ResponseRequest): Promise<Item[]> {
  const run = await client.follow(runId);
  const { items } = await readResponse({ run, client, identity: createIdentity(body, undefined) });
  return items.flatMap((item): Item[] =>
    item.kind === 'message' && item.text !== ''
      ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: item.text }] }]
      : [],
  );
}

const createReferenceError = (id: string): MillraceError =>
  new MillraceError('run-refused', `The item "${id.slice(0, 100)}" is not stored.`, {
    path: 'input',
    remedy: 'Send the items themselves: the AI SDK does so with the option store: false.',
  });
