// Remembers the runs of recent requests, so that a repeated request joins the run of the first one. The openai clients count their
// attempts in a header. A request of another client is a repetition if the identical request of the same caller has not been
// answered: its connection broke, or the gateway that served it is lost.
import { createHash } from 'node:crypto';
import type { Client } from '@millrace/client';
import { MillraceError, isObject } from '@millrace/contracts';
import type { Redis } from 'ioredis';
import type { Access } from '../access/access.ts';
import type { CallMark, OpenRequest } from '../agents/client-calls.ts';
import { createLocalStore, createSharedStore, type RecentStore } from './recent-store.ts';

export type RecentRequests = {
  /** Returns the value of the identical request of the same caller, if it was submitted within a minute. */
  find(fingerprint: string): Promise<string | undefined>;
  /** Returns it only if that request was not answered and no gateway serves it any more. */
  findBroken(fingerprint: string): Promise<string | undefined>;
  /** Called before the submission, so that a gateway that is killed after it leaves a trace. @param value id of the run, or the mark of its calls */
  open(fingerprint: string, value: string): Promise<OpenRequest>;
};

type SharedBy = {
  /** Of this gateway. */
  id: string;
  /** Resolves with the ids of the gateways that answer. */
  listGateways: () => Promise<readonly string[]>;
  /** Of all gateways; without it each process remembers its own requests. */
  redis?: Redis | undefined;
};

const ALONE: SharedBy = { id: 'alone', listGateways: async () => [] };

export function createRecentRequests({ id, listGateways, redis }: SharedBy = ALONE): RecentRequests {
  const store: RecentStore = redis ? createSharedStore(redis) : createLocalStore();
  /** Requests that this gateway serves. */
  const served = new Set<string>();
  const isServed = async (record: OpenRecord): Promise<boolean> => {
    if (record.by === id) return served.has(record.request);
    return record.by !== undefined && (await listGateways()).includes(record.by);
  };
  return {
    find: (print) => store.get(print),
    async findBroken(print) {
      const record = readRecord(await store.get(`open:${print}`));
      return record && !(await isServed(record)) ? record.value : undefined;
    },
    async open(print, value) {
      const request = crypto.randomUUID();
      const write = (by?: string) => store.set(`open:${print}`, JSON.stringify({ value, request, by }));
      served.add(request);
      await Promise.all([store.set(print, value), write(id)]);
      return {
        async settle(outcome) {
          if (!served.delete(request)) return;
          // A later identical request has replaced the record.
          if (readRecord(await store.get(`open:${print}`))?.request !== request) return;
          await (outcome === 'broken' ? write() : store.remove(`open:${print}`));
        },
      };
    },
  };
}

type OpenRecord = {
  value: string;
  request: string;
  /** The gateway that serves the request. */
  by: string | undefined;
};

/** A gateway has written the record. */
function readRecord(text: string | undefined): OpenRecord | undefined {
  const record: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isObject(record)) return undefined;
  const { value, request, by } = record;
  if (typeof value !== 'string' || typeof request !== 'string') return undefined;
  return { value, request, by: typeof by === 'string' ? by : undefined };
}

export function fingerprint({ account, subject, identity }: Access, route: string, body: unknown): string {
  const text = JSON.stringify([identity.tenant, account, subject ?? null, route, body]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Returns the place of a value for the repetitions of a request that continues a run. */
export function createMark(access: Access, body: unknown, headers: Headers, recent: RecentRequests): CallMark {
  const print = fingerprint(access, 'results', body);
  return {
    find: () => (isCounted(headers) ? recent.find(print) : recent.findBroken(print)),
    open: (value) => recent.open(print, value),
  };
}

/** Returns the run that a repeated request joins. */
export async function findRepeatedRun(
  client: Client,
  headers: Headers,
  print: string,
  recent: RecentRequests,
): Promise<string | undefined> {
  return findJoined(client, await (isCounted(headers) ? recent.find(print) : recent.findBroken(print)));
}

const isCounted = (headers: Headers): boolean => Number(headers.get('x-stainless-retry-count') ?? 0) > 0;

/** A run that was cancelled with the first connection is not joined: the repeated request needs an answer. */
async function findJoined(client: Client, runId: string | undefined): Promise<string | undefined> {
  if (runId === undefined) return undefined;
  try {
    return (await client.runs.get(runId)).status === 'cancelled' ? undefined : runId;
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return runId;
    throw error;
  }
}
