// The I/O of a run's state: write-once records of actions, the run's end, and the head that names those that count.
import {
  MillraceError,
  chooseRecordVersion,
  stateKeys,
  type RunAction,
  type RunEnd,
  type RunHead,
  type StoredEnd,
} from '@millrace/contracts';
import { readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { FencedError } from '../streams/fenced-error.ts';
import { createHeadWriter, type HeadWriter } from '../head/head-writer.ts';
import { FINAL_TTL_SECONDS, nameEnd, computeStateTtlSeconds, writeEnd } from '../head/run-head.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

export type RunStore = {
  getHead(): RunHead;
  /**
   * @throws FencedError, message-too-large, bus-unreachable; store-unavailable if the state was lost: the next write
   * recreates it
   */
  write(change: Partial<RunHead>, final?: boolean): Promise<void>;
  /**
   * Stores the actions as one or more records; they count when the next head names them. Returns whether a cancel was
   * requested by then. @throws message-too-large, bus-unreachable
   */
  record(actions: RunAction[]): Promise<RecordedActions>;
  /**
   * Stores the end of the run or of its suspension; it counts when the head names it. @throws message-too-large,
   * bus-unreachable
   */
  keepEnd(end: RunEnd, headTtlSeconds?: number): Promise<StoredEnd>;
};

/** A larger difference between clock and deadline is a step of the clock; smaller ones are errors of reading. ms */
const CLOCK_STEP_MS = 1_000;

type RecordedActions = { count: number; cancelAsked: boolean };

/** Writes the cancel key: the submitter reads it once the head is created, the owner when it takes the run and at each checkpoint. */
export async function askCancel(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
  ttlSeconds: number = FINAL_TTL_SECONDS,
): Promise<void> {
  const key = stateKeys.cancel(tenant, runId);
  await writeEntry(access, access.bus.names.state, key, { at: access.clock.now() }, { ttlSeconds });
}

/** `submission`: the cancel holds for that submission alone. */
type Tombstone = { tenant: string; run: string; caller: string; submission?: string | undefined };

/** Writes the cancel key of a run that this caller may still submit. */
export async function keepTombstone(
  access: JetStreamAccess,
  { tenant, run, caller, submission }: Tombstone,
  ttlSeconds: number,
): Promise<void> {
  const key = stateKeys.tombstone(tenant, run, caller, submission);
  await writeEntry(access, access.bus.names.state, key, { at: access.clock.now() }, { ttlSeconds });
}

/** @throws bus-unreachable, store-unavailable */
export function hasTombstone(
  access: JetStreamAccess,
  { tenant, run, caller, submission }: Tombstone,
): Promise<boolean> {
  return retryThroughOutages(`the tombstone of ${tenant}.${run}`, async () => {
    const key = stateKeys.tombstone(tenant, run, caller, submission);
    return (await readEntry(access, access.bus.names.state, key, z.unknown())) !== undefined;
  });
}

const joinSchema = z.object({ submission: z.string().optional() });

/** Stores the submission that joined a run which another one had created: a cancel of that other one does not hold from then on. */
export async function noteJoin(
  access: JetStreamAccess,
  { tenant, run, submission }: Omit<Tombstone, 'caller'>,
  ttlSeconds: number,
): Promise<void> {
  await writeEntry(access, access.bus.names.state, stateKeys.joined(tenant, run), { submission }, { ttlSeconds });
}

/** @returns the last submission that joined the run; undefined if none did. @throws bus-unreachable, store-unavailable */
export async function readJoin(
  access: JetStreamAccess,
  tenant: string,
  run: string,
): Promise<z.infer<typeof joinSchema> | undefined> {
  const key = stateKeys.joined(tenant, run);
  return (await readEntry(access, access.bus.names.state, key, joinSchema))?.value;
}

/** @throws bus-unreachable, store-unavailable */
export function isCancelAsked(access: JetStreamAccess, tenant: string, runId: string): Promise<boolean> {
  return retryThroughOutages(`the cancel key of ${tenant}.${runId}`, async () => {
    const asked = await readEntry(access, access.bus.names.state, stateKeys.cancel(tenant, runId), z.unknown());
    return asked !== undefined;
  });
}

/** Writes `first` as the head. @param revision of the head that it replaces, 0 if there was never one. @returns undefined if another writer was faster */
export async function openRunStore(
  access: JetStreamAccess,
  first: RunHead,
  revision: number,
): Promise<RunStore | undefined> {
  const heads = createHeadWriter(access, first, revision);
  return (await heads.put(first, computeStateTtlSeconds(first, access.clock.now()))) === 'written'
    ? createStore(access, heads)
    : undefined;
}

/** Opens the store of a run that no orchestrator drives, without a write: the first `write` replaces the head of that revision. */
export function openUndriven(access: JetStreamAccess, head: RunHead, revision: number): RunStore {
  return createStore(access, createHeadWriter(access, head, revision));
}

function createStore(access: JetStreamAccess, heads: HeadWriter): RunStore {
  const { tenant, runId } = heads.getHead();
  // One name for all tries: a repeated write replaces the end instead of leaving a second one.
  const endName = nameEnd(heads.getHead());
  const { clock } = access;
  const deadlineAt = performance.now() + heads.getHead().deadlineAt - clock.now();
  /** Each write repeats the time that is left, so that a step of a clock moves the deadline for no longer than to the next checkpoint. */
  const chooseCurrentDeadline = (known: number) => {
    const current = Math.round(clock.now() + deadlineAt - performance.now());
    return Math.abs(current - known) > CLOCK_STEP_MS ? current : known;
  };
  return {
    getHead: heads.getHead,
    async write(change, final = false) {
      const head = heads.getHead();
      const rest = { owner: access.bus.id, write: head.write + 1, deadlineAt: chooseCurrentDeadline(head.deadlineAt) };
      const next = { ...head, ...change, ...rest };
      const ttl = final ? FINAL_TTL_SECONDS : computeStateTtlSeconds(next, clock.now());
      let outcome = await heads.put(next, ttl);
      // If the store was lost, the command was lost too: no other owner ends the run.
      if (outcome === 'lost' && final) outcome = await heads.put(next, ttl);
      if (outcome === 'fenced') throw new FencedError(tenant, runId);
      if (outcome === 'lost') throw createStateLostError(tenant, runId);
    },
    record: (actions) => writeRecord(access, heads.getHead(), actions, heads.getHead().records),
    keepEnd: (end, headTtlSeconds) =>
      retryThroughOutages(`the end of ${tenant}.${runId}`, () =>
        writeEnd(access, heads.getHead(), endName, end, headTtlSeconds),
      ),
  };
}

/** Writes the actions as record `at`, or as several from there on if one message cannot hold them. */
async function writeRecord(
  access: JetStreamAccess,
  head: RunHead,
  actions: RunAction[],
  at: number,
): Promise<RecordedActions> {
  const { tenant, runId, epoch } = head;
  const name = buildRecordName(epoch, at);
  // Not parsed, because this process made the actions; the next owner parses each record that it reads.
  const value = { v: chooseRecordVersion(actions), epoch, actions };
  const key = stateKeys.record(tenant, runId, name);
  const ttlSeconds = computeStateTtlSeconds(head, access.clock.now());
  try {
    // Only this owner writes records of this epoch; a record that an earlier run of that id left there does not count.
    const write = (more: { unlessWritten?: string }) =>
      retryThroughOutages(`record ${name} of ${tenant}.${runId}`, () =>
        writeEntry(access, access.bus.names.state, key, value, { ttlSeconds, ...more }),
      );
    // The server checks for a cancel key: reading it would need another request.
    const written = await write({ unlessWritten: stateKeys.cancel(tenant, runId) });
    if ('revision' in written) return { count: 1, cancelAsked: false };
    // The cancel key may be that of an earlier run with the same id, which has expired.
    const [asked] = await Promise.all([isCancelAsked(access, tenant, runId), write({})]);
    return { count: 1, cancelAsked: asked };
  } catch (error) {
    if (actions.length < 2 || !isTooLarge(error)) throw error;
  }
  const middle = actions.length >> 1;
  const first = await writeRecord(access, head, actions.slice(0, middle), at);
  const second = await writeRecord(access, head, actions.slice(middle), at + first.count);
  return { count: first.count + second.count, cancelAsked: second.cancelAsked };
}

const isTooLarge = (error: unknown): boolean => MillraceError.isInstance(error) && error.code === 'message-too-large';

/** The epoch is first: a replaced owner's late record has another name. */
/** @param prolongedBy epoch of the suspension for which the record was stored again */
export const buildRecordName = (epoch: number, at: number, prolongedBy?: number): string =>
  prolongedBy === undefined ? `${epoch}-${at}` : `${epoch}-${at}-${prolongedBy}`;
export const parseEpoch = (record: string): number => Number.parseInt(record, 10);

function createStateLostError(tenant: string, runId: string): MillraceError {
  return new MillraceError('store-unavailable', `The state of ${tenant}.${runId} is missing: its store was lost.`, {
    remedy: 'Submit the request again under a new run id.',
  });
}
