// Remembers the runs of recent requests, so that a repeated request joins the run of the first one. The openai clients count their
// attempts in a header. A request of another client is a repetition if the identical request of the same caller has not been
// answered: its connection broke, its run failed, or the gateway that served it is lost.
import type { Log } from '@millrace/service';
import type { Redis } from 'ioredis';
import type { FoundRecord, OpenedRequest } from './open-request.ts';
import {
  KEEP_MS,
  computeMsLeft,
  readRecord,
  readUntil,
  reduceRecord,
  writeRecord,
  type RecordEvent,
  type RequestRecord,
} from './request-record.ts';
import { createLocalStore, createSharedStore, type RecentStore } from './recent-store.ts';

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
  const isServed = async (record: RequestRecord): Promise<boolean> => {
    if (record.state !== 'served') return false;
    return record.by === id ? served.has(record.request) : !(await hasLeft(record.by));
  };
  const readOpen = async (print: string) => readRecord(await store.get(`open:${print}`));
  const write = async (print: string, record: RequestRecord) => {
    await store.set(`open:${print}`, writeRecord(record), computeMsLeft(record, Date.now()));
  };
  const change = async (print: string, event: RecordEvent) => {
    const record = event.event === 'opened' ? undefined : await readOpen(print);
    const next = reduceRecord(record, event);
    if (next === record) return;
    if (!next) return store.remove(`open:${print}`);
    await Promise.all([next.state === 'served' && store.set(print, next.value, KEEP_MS), write(print, next)]);
  };
  const reportFailure = (error: unknown) => log?.warn({ err: error }, 'the record of a request is not changed');
  return {
    async find(print) {
      const [value, record] = await Promise.all([store.get(print), readOpen(print)]);
      return value === undefined
        ? undefined
        : { value, until: record?.value === value ? readUntil(record) : undefined };
    },
    async findBroken(print) {
      const record = await readOpen(print);
      if (!record || (await isServed(record))) return undefined;
      return { value: record.value, until: readUntil(record) };
    },
    async open(print, value, found) {
      const request = crypto.randomUUID();
      const until = found?.value === value ? found.until : undefined;
      served.add(request);
      await change(print, { event: 'opened', record: { state: 'served', value, request, by: id, until } });
      let renewal: Promise<void> | undefined;
      const renew = () => {
        renewal ??= change(print, { event: 'renewed', request })
          .catch(reportFailure)
          .finally(() => (renewal = undefined));
      };
      const renewing = setInterval(renew, renewMs).unref();
      return {
        async end(end) {
          clearInterval(renewing);
          // A renewal that is under way would write the record after its end.
          await renewal;
          if (served.delete(request))
            await change(print, { event: 'ended', request, end, now: Date.now() }).catch(reportFailure);
        },
      };
    },
  };
}
