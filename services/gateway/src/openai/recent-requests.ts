// Remembers the runs of recent requests, so that a repeated request joins the run of the first one. The openai clients count their
// attempts in a header. A request of another client is a repetition if the identical request of the same caller has not been
// answered: its connection broke, its run failed, or the gateway that served it is lost.
import { createHash } from 'node:crypto';
import type { Client } from '@millrace/client';
import { MillraceError, isObject } from '@millrace/contracts';
import type { Redis } from 'ioredis';
import type { Access } from '../access/access.ts';
import type { CallMark, Found, OpenRequest } from '../agents/run-mark.ts';
import { KEEP_MS, createLocalStore, createSharedStore, type RecentStore } from './recent-store.ts';

export type RecentRequests = {
  /** Returns the identical request of the same caller, if it was served within the last minute. */
  find(fingerprint: string): Promise<Found | undefined>;
  /** Returns it only if that request was not answered and no gateway serves it any more. */
  findBroken(fingerprint: string): Promise<Found | undefined>;
  /** Called before the submission, so that a gateway that is killed after it leaves a trace. @param found of the request that this one repeats */
  open(fingerprint: string, value: string, found?: Found): Promise<OpenRequest>;
};

type SharedBy = {
  /** Of this gateway. */
  id: string;
  /** Resolves with the ids of the gateways that answer. */
  listGateways: () => Promise<readonly string[]>;
  /** Of all gateways; without it each process remembers its own requests. */
  redis?: Redis | undefined;
  /** Interval in which the record of a request that is served is renewed. */
  renewMs?: number;
};

const ALONE: SharedBy = { id: 'alone', listGateways: async () => [] };
/** A third of the time for which a record is kept: two renewals may fail. */
const RENEW_MS = 20_000;

export function createRecentRequests({
  id,
  listGateways,
  redis,
  renewMs = RENEW_MS,
}: SharedBy = ALONE): RecentRequests {
  const store: RecentStore = redis ? createSharedStore(redis) : createLocalStore();
  /** Requests that this gateway serves. */
  const served = new Set<string>();
  const isServed = async (record: OpenRecord): Promise<boolean> => {
    if (record.by === id) return served.has(record.request);
    return record.by !== undefined && (await listGateways()).includes(record.by);
  };
  const readOpen = async (print: string) => readRecord(await store.get(`open:${print}`));
  return {
    async find(print) {
      const value = await store.get(print);
      return value === undefined ? undefined : { value };
    },
    async findBroken(print) {
      const record = await readOpen(print);
      if (!record || (await isServed(record))) return undefined;
      const { value, until } = record;
      return { value, until };
    },
    async open(print, value, found) {
      const request = crypto.randomUUID();
      const until = found?.value === value ? found.until : undefined;
      const write = (record: Pick<OpenRecord, 'by' | 'until'>) =>
        store.set(`open:${print}`, JSON.stringify({ value, request, ...record }), leftMs(record.until));
      /** A later identical request may have replaced the record, or removed it with its answer. */
      const isReplaced = async () => (await readOpen(print))?.request !== request;
      const renew = async () => {
        if (served.has(request) && !(await isReplaced()))
          await Promise.all([store.set(print, value, KEEP_MS), write({ by: id, until })]);
      };
      served.add(request);
      await Promise.all([store.set(print, value, KEEP_MS), write({ by: id, until })]);
      const renewing = setInterval(() => void renew(), renewMs).unref();
      return {
        async settle(outcome) {
          clearInterval(renewing);
          if (!served.delete(request) || (await isReplaced())) return;
          if (outcome === 'answered') await store.remove(`open:${print}`);
          else await write({ until: outcome === 'failed' ? (until ?? Date.now() + KEEP_MS) : undefined });
        },
      };
    },
  };
}

/** A record of a failed run ends a minute after the failure, however often its request is repeated. */
const leftMs = (until: number | undefined): number =>
  until === undefined ? KEEP_MS : Math.min(Math.max(until - Date.now(), 1), KEEP_MS);

type OpenRecord = {
  value: string;
  request: string;
  /** The gateway that serves the request. */
  by?: string | undefined;
  /** Of a failed run: the time at which the record ends, ms since 1970. */
  until?: number | undefined;
};

/** A gateway has written the record. */
function readRecord(text: string | undefined): OpenRecord | undefined {
  const record: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isObject(record)) return undefined;
  const { value, request, by, until } = record;
  if (typeof value !== 'string' || typeof request !== 'string') return undefined;
  return {
    value,
    request,
    by: typeof by === 'string' ? by : undefined,
    until: typeof until === 'number' ? until : undefined,
  };
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
    open: (value, found) => recent.open(print, value, found),
  };
}

/** Returns the run that a repeated request joins. */
export async function findRepeatedRun(
  client: Client,
  headers: Headers,
  print: string,
  recent: RecentRequests,
): Promise<Found | undefined> {
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
