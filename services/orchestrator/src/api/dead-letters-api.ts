// Implements the verbs of dead letters and of deferred saves.
import {
  MillraceError,
  deadLetterSchema,
  toShownDeadLetter,
  toShownSave,
  stateKeys,
  type ApiAnswer,
  type ApiRequest,
  type DeadLetter,
  readOwner,
  type RunRequest,
} from '@millrace/contracts';
import type { ApiCall, BucketEntry, JetStreamAccess } from '@millrace/bus';
import { changeDeadLetter, readDeadLetter } from '../saves/dead-letters.ts';
import type { DeferredSaves } from '../saves/deferred-saves.ts';
import { pageBytes } from '../transcript/logged-chunks.ts';
import { readPage } from '../streams/read-stored.ts';
import { isVisible } from './run-address.ts';

type Submit = (request: RunRequest, call: ApiCall) => Promise<unknown>;

/** Number of times that another writer may change the letter between reading and writing it here. */
const RETRY_ATTEMPTS = 5;
/** Maximum number of saves in one answer; further ones are only counted. */
const MAX_SAVES_SHOWN = 1_000;

export function createDeadLettersApi(access: JetStreamAccess, saves: DeferredSaves, submit: Submit) {
  const { state } = access.bus.names;
  return {
    async list(
      { limit, after }: ApiRequest<'dead-letters-list'>,
      call: ApiCall,
    ): Promise<ApiAnswer<'dead-letters-list'>> {
      const query = {
        stream: `KV_${state}`,
        subject: `$KV.${state}.${stateKeys.deadLetters(call.tenant)}`,
        schema: deadLetterSchema,
      };
      const options = { from: after + 1, maxMessages: limit, maxBytes: pageBytes(access) };
      const { found, next } = await readPage(access, query, options);
      return {
        letters: found.flatMap(({ value }) => (isVisible(readHolder(value), call) ? [toShownDeadLetter(value)] : [])),
        ...(next !== undefined && { next: next - 1 }),
      };
    },
    /** Idempotent, also for concurrent calls. */
    async retry(_request: object, call: ApiCall): Promise<ApiAnswer<'dead-letters-retry'>> {
      const { tenant, run = '' } = call;
      for (let attempt = 1; ; attempt += 1) {
        const entry = await readDeadLetter(access, tenant, run);
        if (!entry || !isVisible(readHolder(entry.value), call)) throw createUnknownLetterError(run);
        const { value } = entry;
        try {
          const runId =
            value.what === 'run'
              ? await repeatRun(access, submit, entry, value)
              : await repeatSave(access, saves, entry, value);
          return { what: value.what, runId };
        } catch (error) {
          const isChanged = MillraceError.isInstance(error) && error.code === 'state-conflict';
          if (!isChanged || attempt === RETRY_ATTEMPTS) throw error;
        }
      }
    },
    async saves({ threadId }: ApiRequest<'saves-list'>, call: ApiCall): Promise<ApiAnswer<'saves-list'>> {
      const waiting = saves.list(call.tenant, threadId).filter((save) => isVisible(save, call));
      return { saves: waiting.slice(0, MAX_SAVES_SHOWN).map(toShownSave), total: waiting.length };
    },
  };
}

/** Returns the part of a letter that names the caller. */
const readHolder = (letter: DeadLetter) => (letter.what === 'run' ? letter.request : letter.save);

type Of<W extends DeadLetter['what']> = Extract<DeadLetter, { what: W }>;

/** Stores the id of the new run before the submission: a repeated retry submits the same run. */
async function repeatRun(
  access: JetStreamAccess,
  submit: Submit,
  entry: BucketEntry<DeadLetter>,
  letter: Of<'run'>,
): Promise<string> {
  const retriedAs = letter.retriedAs ?? crypto.randomUUID();
  if (letter.retriedAs === undefined) await changeDeadLetter(access, entry, { ...letter, retriedAs });
  const { tenant, request, runId } = letter;
  const { caller: _, ...own } = { ...request, runId: retriedAs, retryOf: runId };
  await submit(own, { tenant, caller: readOwner(request), run: retriedAs });
  return retriedAs;
}

/** Adds the save after the deferred ones of its thread: its own place has passed. */
async function repeatSave(
  access: JetStreamAccess,
  saves: DeferredSaves,
  entry: BucketEntry<DeadLetter>,
  letter: Of<'save'>,
): Promise<string> {
  const { save, runId, retriedAs } = letter;
  const kept = await saves.readKept(save);
  // The save was made, and its input deleted.
  if (!kept && retriedAs !== undefined) return retriedAs;
  if (!kept) throw createLetterMissingError(runId);
  if (!(await saves.add(save, kept)))
    throw new MillraceError('queue-full', 'Too many saves are deferred.', { remedy: 'Try again later.' });
  await changeDeadLetter(access, entry, { ...letter, retriedAs: runId });
  return runId;
}

function createLetterMissingError(run: string): MillraceError {
  return new MillraceError('run-unknown', `The input of the save of "${run}" has expired.`, {
    remedy: "Read the run's result, as long as that is stored.",
  });
}

function createUnknownLetterError(run: string): MillraceError {
  return new MillraceError('run-unknown', `There is no dead letter of "${run}".`, {
    remedy: 'millrace dead-letters list shows the stored ones.',
  });
}
