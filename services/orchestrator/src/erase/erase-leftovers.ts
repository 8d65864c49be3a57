// Deletes the data that outlives the heads of the runs of an erased resource: deferred saves, dead letters, events and recorded changes.
import {
  deadLetterSchema,
  eventOwnerSchema,
  stateKeys,
  type DeadLetter,
  type Erasure,
  type PutOffSave,
} from '@millrace/contracts';
import { purgeEntries, type JetStreamAccess } from '@millrace/bus';
import type { DeferredSaves } from '../saves/deferred-saves.ts';
import { hashResource } from '../state/hash-resource.ts';
import { readPages } from '../streams/read-stored.ts';

type ErasedLeftovers = { deleted: number; left: number };
export type LeftoverParts = {
  access: JetStreamAccess;
  saves: DeferredSaves;
  erasure: Erasure;
  /** Ids of the runs with a head. */
  runIds: ReadonlySet<string>;
  /** Keeps the claim on the erasure. */
  extend: () => Promise<void>;
};

export async function eraseSaves({ access, saves, erasure, runIds, extend }: LeftoverParts): Promise<ErasedLeftovers> {
  const { tenant, resourceId } = erasure;
  const isOwn = async (save: PutOffSave): Promise<boolean> => {
    if (runIds.has(save.runId) || save.resourceId === resourceId) return true;
    if (save.resourceId !== undefined) return false;
    // An entry of an earlier version, or of a run without a resource.
    return (await saves.readKept(save))?.ref.resourceId === resourceId;
  };
  const listOwn = async () => {
    const own: PutOffSave[] = [];
    for (const save of saves.list(tenant)) if (await isOwn(save)) own.push(save);
    return own;
  };
  const found = await listOwn();
  for (const save of found) {
    await saves.drop(save);
    await extend();
  }
  // The input of a save of an abandoned save belongs to its dead letter.
  for (const runId of runIds) await purgeEntries(access, access.bus.names.state, stateKeys.save(tenant, runId));
  return { deleted: found.length, left: (await listOwn()).length };
}

export async function eraseDeadLetters({ access, erasure, runIds, extend }: LeftoverParts): Promise<ErasedLeftovers> {
  const { tenant, resourceId } = erasure;
  const { state } = access.bus.names;
  const isOwn = (letter: DeadLetter) =>
    runIds.has(letter.runId) ||
    (letter.what === 'run'
      ? letter.request.resourceId === resourceId || letter.request.subject === resourceId
      : letter.save.resourceId === resourceId);
  const listOwn = async () => {
    const query = { stream: `KV_${state}`, subject: `$KV.${state}.${stateKeys.deadLetters(tenant)}` };
    const own: DeadLetter[] = [];
    for await (const page of readPages(access, { ...query, schema: deadLetterSchema })) {
      own.push(...page.map(({ value }) => value).filter(isOwn));
      await extend();
    }
    return own;
  };
  const letters = await listOwn();
  for (const { runId } of letters) {
    await purgeEntries(access, state, stateKeys.deadLetter(tenant, runId));
    await purgeEntries(access, state, stateKeys.save(tenant, runId));
  }
  return { deleted: letters.length, left: (await listOwn()).length };
}

/** Reads all events of the tenant: those of runs whose heads have expired name the resource by its hash alone. */
export async function eraseEvents(parts: LeftoverParts): Promise<ErasedLeftovers> {
  const { names, subjects } = parts.access.bus;
  return eraseByOwner(parts, { stream: names.events, subject: subjects.eventsOfTenant(parts.erasure.tenant) });
}

/** Reads all recorded changes of the tenant, as eraseEvents does. */
export async function eraseChanges(parts: LeftoverParts): Promise<ErasedLeftovers> {
  const { names, subjects } = parts.access.bus;
  return eraseByOwner(parts, { stream: names.changes, subject: subjects.changesOfTenant(parts.erasure.tenant) });
}

async function eraseByOwner(
  { access, erasure, extend }: LeftoverParts,
  { stream, subject }: { stream: string; subject: string },
): Promise<ErasedLeftovers> {
  const { tenant, resourceId } = erasure;
  const { jsm } = access;
  const owner = hashResource(tenant, resourceId);
  const query = { stream, subject, schema: eventOwnerSchema };
  const listOwn = async () => {
    const found = new Set<string>();
    for await (const page of readPages(access, query)) {
      for (const { value, subject: own } of page) if (value.owner === owner) found.add(own);
      await extend();
    }
    return found;
  };
  let deleted = 0;
  for (const filter of await listOwn()) deleted += (await jsm.streams.purge(stream, { filter })).purged;
  return { deleted, left: (await listOwn()).size };
}
