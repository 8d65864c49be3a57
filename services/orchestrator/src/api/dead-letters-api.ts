// The verbs of what was given up, and of saves that wait for their store.
import {
  MillraceError,
  deadLetterSchema,
  shownDeadLetter,
  shownSave,
  stateKeys,
  type ApiAnswer,
  type ApiRequest,
  type DeadLetter,
  type RunRequest,
} from '@millrace/contracts';
import type { Entry, JetStreamAccess } from '@millrace/bus';
import { changeDeadLetter, readDeadLetter } from '../state/dead-letters.ts';
import type { PutOffSaves } from '../state/put-off-saves.ts';
import { pageBytes } from './read-run.ts';
import { readPage } from './read-stored.ts';

type Call = { tenant: string; run: string | undefined };
type Submit = (request: RunRequest, call: Call) => Promise<unknown>;

/** How often somebody else may change the letter between reading and writing it here. */
const RETRY_ATTEMPTS = 5;
/** Of saves in one answer; more are counted. */
const MAX_SAVES_SHOWN = 1_000;

export function createDeadLettersApi(access: JetStreamAccess, saves: PutOffSaves, submit: Submit) {
  const { state } = access.bus.names;
  return {
    async list(
      { limit, after }: ApiRequest<'dead-letters-list'>,
      { tenant }: Call,
    ): Promise<ApiAnswer<'dead-letters-list'>> {
      const query = {
        stream: `KV_${state}`,
        subject: `$KV.${state}.${stateKeys.deadLetters(tenant)}`,
        schema: deadLetterSchema,
      };
      const options = { from: after + 1, maxMessages: limit, maxBytes: pageBytes(access) };
      const { found, next } = await readPage(access, query, options);
      return {
        letters: found.map(({ value }) => shownDeadLetter(value)),
        ...(next !== undefined && { next: next - 1 }),
      };
    },
    /** Asked twice it is once, at the same time too. */
    async retry(_request: object, { tenant, run = '' }: Call): Promise<ApiAnswer<'dead-letters-retry'>> {
      for (let attempt = 1; ; attempt += 1) {
        const entry = await readDeadLetter(access, tenant, run);
        if (!entry) throw unknown(run);
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
    async saves({ threadId }: ApiRequest<'saves-list'>, { tenant }: Call): Promise<ApiAnswer<'saves-list'>> {
      const waiting = saves.list(tenant, threadId);
      return { saves: waiting.slice(0, MAX_SAVES_SHOWN).map(shownSave), total: waiting.length };
    },
  };
}

type Of<W extends DeadLetter['what']> = Extract<DeadLetter, { what: W }>;

/** The id of the new run is kept before it is submitted: trying again is the same run again. */
async function repeatRun(
  access: JetStreamAccess,
  submit: Submit,
  entry: Entry<DeadLetter>,
  letter: Of<'run'>,
): Promise<string> {
  const retriedAs = letter.retriedAs ?? crypto.randomUUID();
  if (letter.retriedAs === undefined) await changeDeadLetter(access, entry, { ...letter, retriedAs });
  const { tenant, request, runId } = letter;
  await submit({ ...request, runId: retriedAs, retryOf: runId }, { tenant, run: retriedAs });
  return retriedAs;
}

/** Behind what waits in its thread by now: its own place has been passed. */
async function repeatSave(
  access: JetStreamAccess,
  saves: PutOffSaves,
  entry: Entry<DeadLetter>,
  letter: Of<'save'>,
): Promise<string> {
  const { save, runId, retriedAs } = letter;
  const kept = await saves.read(save);
  // It was made: what it was to store is forgotten then.
  if (!kept && retriedAs !== undefined) return retriedAs;
  if (!kept) throw gone(runId);
  if (!(await saves.add(save, kept)))
    throw new MillraceError('queue-full', 'Too many saves are put off.', { remedy: 'Try again later.' });
  await changeDeadLetter(access, entry, { ...letter, retriedAs: runId });
  return runId;
}

function gone(run: string): MillraceError {
  return new MillraceError('run-unknown', `What "${run}" had to save is no longer kept.`, {
    remedy: 'The run is over: what it said is in its result, for as long as that is kept.',
  });
}

function unknown(run: string): MillraceError {
  return new MillraceError('run-unknown', `There is no dead letter of "${run}".`, {
    remedy: 'millrace dead-letters list shows those that are kept.',
  });
}
