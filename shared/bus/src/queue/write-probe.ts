// Writes a small message into the streams every few seconds. After a write that failed for want of room, nats-server refuses or drops every
// further write into that stream until it is restarted, also when there is room again; it lists the stream and answers reads as before.
import { headers } from 'nats';
import type { Bus } from '../core/bus.ts';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';

const WRITE_TIMEOUT_MS = 2_000;
/** Failed writes in a row after which a stream counts as broken: a busy server can be late once. */
const BROKEN_AFTER = 2;

export type WriteProbe = {
  /** Writes into the bucket of run states, the next one of the other streams, and those that have failed. */
  check(): Promise<void>;
  /** Why nothing can be stored, with the remedy; undefined: every stream took its last write. */
  findProblem(): string | undefined;
};

export function createWriteProbe(access: JetStreamAccess): WriteProbe {
  const { bus, logStreams } = access;
  const [first, ...others] = listTargets(bus, logStreams);
  const failed = new Map<string, { target: ProbeTarget; count: number; why: string }>();
  let turn = 0;
  const write = async (target: ProbeTarget) => {
    const { stream } = target;
    try {
      await writeInto(access, target);
      failed.delete(stream);
    } catch (error) {
      const count = (failed.get(stream)?.count ?? 0) + 1;
      failed.set(stream, { target, count, why: error instanceof Error ? error.message : String(error) });
    }
  };
  return {
    async check() {
      turn += 1;
      const broken = [...failed.values()].map(({ target }) => target);
      const due = [first, others[turn % others.length], ...broken].filter((target) => target !== undefined);
      await Promise.all([...new Set(due)].map(write));
    },
    findProblem() {
      const broken = [...failed].filter(([, { count }]) => count >= BROKEN_AFTER);
      if (broken.length === 0) return undefined;
      const each = broken.map(([stream, { why }]) => `${stream} (${why})`);
      return `NATS rejects writes to ${each.join(', ')}: make room on its disk, then restart NATS`;
    },
  };
}

type ProbeTarget = { stream: string; subject: string };

/** The bucket of run states first: every run writes there. */
function listTargets({ names, subjects }: Bus, logStreams: number): ProbeTarget[] {
  const describeBucket = (name: string) => ({ stream: `KV_${name}`, subject: `$KV.${name}.${subjects.probes.key}` });
  const logs = Array.from({ length: logStreams }, (_, at) => ({
    stream: names.chunks(at),
    subject: subjects.probes.log(at),
  }));
  return [
    describeBucket(names.state),
    { stream: names.runs, subject: subjects.probes.runs },
    ...logs,
    { stream: names.events, subject: subjects.probes.events },
    { stream: names.timers, subject: subjects.probes.timers },
    describeBucket(names.agents),
    describeBucket(names.saves),
  ];
}

/** A bucket keeps one tombstone, which no watcher heeds. From other streams the message is removed: a queue with one would not be empty. */
async function writeInto({ js, jsm }: JetStreamAccess, { stream, subject }: ProbeTarget): Promise<void> {
  const tombstone = headers();
  tombstone.set('KV-Operation', 'DEL');
  await js.publish(subject, new Uint8Array(), { headers: tombstone, timeout: WRITE_TIMEOUT_MS, retries: 0 });
  if (!subject.startsWith('$KV.')) await jsm.streams.purge(stream, { filter: subject });
}
