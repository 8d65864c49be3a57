// Lists stored keys of finished runs and queued commands: no run continues from them, and they hold the caller's texts.
import { createNames } from '@millrace/contracts';
import type { Bus } from '@millrace/testkit/bench';
import { z } from 'zod';

const ASK_WITHIN_MS = 10_000;
const infoSchema = z.object({
  state: z.object({ messages: z.number(), subjects: z.record(z.string(), z.number()).default({}) }),
});

export type StoredState = { keys: readonly string[]; waiting: number };

export async function readStored(bus: Bus): Promise<StoredState> {
  const { state, runs } = createNames(bus.subjects.prefix);
  const info = async (stream: string) => {
    const query = JSON.stringify({ subjects_filter: '>' });
    const answer = await bus.nc.request(`$JS.API.STREAM.INFO.${stream}`, query, { timeout: ASK_WITHIN_MS });
    return infoSchema.parse(answer.json()).state;
  };
  const [bucket, queue] = await Promise.all([info(`KV_${state}`), info(runs)]);
  const prefix = `$KV.${state}.`;
  return { keys: Object.keys(bucket.subjects).map((key) => key.slice(prefix.length)), waiting: queue.messages };
}

const storedSchema = z.object({ message: z.object({ time: z.string(), data: z.string().default('') }) });
const SHOWN_CHARACTERS = 600;

/** Describes a key by its time and the start of its value, which show its writer. */
export async function readKey(bus: Bus, key: string): Promise<string> {
  const { state } = createNames(bus.subjects.prefix);
  const asked = JSON.stringify({ last_by_subj: `$KV.${state}.${key}` });
  const answer = await bus.nc.request(`$JS.API.STREAM.MSG.GET.KV_${state}`, asked, { timeout: ASK_WITHIN_MS });
  const stored = storedSchema.safeParse(answer.json());
  if (!stored.success) return 'deleted by now';
  const { time, data } = stored.data.message;
  return `${time} ${Buffer.from(data, 'base64').toString().slice(0, SHOWN_CHARACTERS)}`;
}

/** Keys that a run leaves behind until they expire: its head and end, its cancel, the name of a submission that joined it, and its deferred or dead saves. */
const KEPT: ReadonlySet<string> = new Set(['head', 'end', 'cancel', 'joined', 'save', 'dead']);

/** Returns the keys of the runs that should not exist. Ignores late writes of a replaced owner under its own epoch. */
export function listRemaining(keys: readonly string[], ended: readonly string[]): string[] {
  const runs = new Set(ended);
  const epochs = new Map<string, number>();
  const parts = keys
    .map((key) => ({ key, parts: key.split('.') }))
    .filter(({ parts: [, , run = ''] }) => runs.has(run));
  for (const {
    parts: [kind, , run = '', name = ''],
  } of parts)
    if (kind === 'end') epochs.set(run, Math.max(epochs.get(run) ?? 0, Number.parseInt(name, 10)));
  const isLate = (run: string, name: string) => Number.parseInt(name, 10) < (epochs.get(run) ?? 0);
  return parts
    .filter(
      ({ parts: [kind = '', , run = '', name = ''] }) => !KEPT.has(kind) && !(kind === 'record' && isLate(run, name)),
    )
    .map(({ key }) => key);
}
