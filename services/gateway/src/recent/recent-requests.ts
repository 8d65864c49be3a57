// Remembers the runs of recent requests, so that a repeated request joins the run of the first one. The openai clients count their
// attempts in a header. A request of another client is a repetition if the identical request of the same caller has not been
// answered: its connection broke, its run failed, or the gateway that served it is lost.
import type { Log } from '@millrace/service';
import type { Redis } from 'ioredis';
import type { FoundRecord, OpenedRequest } from './open-request.ts';
import { readRecord, writeRecord, type OpenRecord } from './open-record.ts';
import { KEEP_MS, createLocalStore, createSharedStore, type RecentStore } from './recent-store.ts';

export type RecentRequests = {
  /** Returns the identical request of the same caller, if it was served within the last minute. */
  find(fingerprint: string): Promise<FoundRecord | undefined>;
  /** Returns it only if that request was not answered and no gateway serves it any more. */
  findBroken(fingerprint: string): Promise<FoundRecord | undefined>;
  /** Called before the submission, so that a gateway that is killed after it leaves a trace. @param found of the request that this one repeats */
  open(fingerprint: string, value: string, found?: FoundRecord): Promise<OpenedRequest>;
};

type SharedBy = {
  /** Of this gateway. */
  id: string;
  /** Resolves with true if the other gateway has no connection to the bus: a slow one has not left. */
  hasLeft: (gateway: string) => Promise<boolean>;
  /** Of all gateways; without it each process remembers its own requests. */
  redis?: Redis | undefined;
  /** Interval in which the record of a request that is served is renewed. */
  renewMs?: number;
  log?: Pick<Log, 'warn'> | undefined;
};

const ALONE: SharedBy = { id: 'alone', hasLeft: async () => true };
/** A third of the time for which a record is kept: two renewals may fail. */
const RENEW_MS = 20_000;

export function createRecentRequests({
  id,
  hasLeft,
  redis,
  renewMs = RENEW_MS,
  log,
}: SharedBy = ALONE): RecentRequests {
  const store: RecentStore = redis ? createSharedStore(redis) : createLocalStore();
  /** Requests that this gateway serves. */
  const served = new Set<string>();
  const isServed = async ({ by, request }: OpenRecord): Promise<boolean> => {
    if (by === id) return served.has(request);
    return by !== undefined && !(await hasLeft(by));
  };
  const readOpen = async (print: string) => readRecord(await store.get(`open:${print}`));
  const reportFailure = (error: unknown) => log?.warn({ err: error }, 'the record of a request is not changed');
  return {
    async find(print) {
      const [value, record] = await Promise.all([store.get(print), readOpen(print)]);
      return value === undefined ? undefined : { value, until: record?.value === value ? record.until : undefined };
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
        store.set(`open:${print}`, writeRecord({ value, request, ...record }), computeMsLeft(record.until));
      /** A later identical request may have replaced the record, or removed it with its answer. */
      const isReplaced = async () => (await readOpen(print))?.request !== request;
      const renew = async () => {
        if (served.has(request) && !(await isReplaced()))
          await Promise.all([store.set(print, value, KEEP_MS), write({ by: id, until })]);
      };
      const close = async (outcome: Parameters<OpenedRequest['settle']>[0]) => {
        if (!served.delete(request) || (await isReplaced())) return;
        if (outcome === 'answered') await store.remove(`open:${print}`);
        else await write({ until: outcome === 'failed' ? (until ?? Date.now() + KEEP_MS) : undefined });
      };
      served.add(request);
      await Promise.all([store.set(print, value, KEEP_MS), write({ by: id, until })]);
      let renewal: Promise<void> | undefined;
      const renewOnce = () => {
        renewal ??= renew()
          .catch(reportFailure)
          .finally(() => (renewal = undefined));
      };
      const renewing = setInterval(renewOnce, renewMs).unref();
      return {
        async settle(outcome) {
          clearInterval(renewing);
          // A renewal that is under way would write the record after its end.
          await renewal;
          await close(outcome).catch(reportFailure);
        },
      };
    },
  };
}

/** A record of a failed run ends a minute after the failure, however often its request is repeated. */
const computeMsLeft = (until: number | undefined): number =>
  until === undefined ? KEEP_MS : Math.min(Math.max(until - Date.now(), 1), KEEP_MS);
