// Defines a rule of docs/wire.md: its promise, its heading in that page, and its check.
import type { Stage } from '@millrace/contracts';
import { STREAM } from './session-open.ts';
import type { CheckTarget } from './target.ts';

/** Headings of docs/wire.md. */
export const WIRE_PAGES = {
  everyMessage: '1. Rules for every message',
  found: '2. Being found',
  call: '3. A stage call',
  progress: 'Progress',
  givingUp: 'Giving up, and trying again',
  verdicts: 'Verdicts',
  session: '4. A session of the output stream',
  tell: 'Stop and report',
  lost: 'A session that is lost',
  batch: 'A batch in the open request',
  tool: '5. A tool call',
  versions: '8. Versions',
} as const;

type WirePage = keyof typeof WIRE_PAGES;

export type CheckRule<T = CheckTarget> = {
  id: string;
  /** Behavior of a correct processor. */
  promise: string;
  page: WirePage;
  /** No other rule runs concurrently: this one loads the replica, or ends it. */
  alone?: true;
  /** The rule ends a replica: it runs for one processor of the replica, with a stream if possible. */
  ends?: true;
  /** Returns the reason why the rule does not apply; undefined if it does. */
  skipReason?(target: T): string | undefined;
  /** @throws BrokenError if the processor violates the rule */
  run(target: T): Promise<void>;
};

/** Returns the stages that are called by request. */
export const listCalledStages = ({ descriptor }: CheckTarget): Stage[] =>
  descriptor.stages.filter((stage) => stage !== STREAM);

export const needsCalls = (target: CheckTarget): string | undefined =>
  listCalledStages(target).length > 0 ? undefined : 'it has no stage that is called';

export const needsStream = ({ descriptor }: CheckTarget): string | undefined =>
  descriptor.stages.includes(STREAM) ? undefined : 'it has no processOutputStream';

/** Runs the check for each called stage with each set of options. */
export async function forEachCalled(
  target: CheckTarget,
  run: (stage: Stage, options: CheckTarget['optionSets'][number]) => Promise<void>,
): Promise<void> {
  for (const stage of listCalledStages(target)) for (const options of target.optionSets) await run(stage, options);
}

/** Removes variable data from an answer: messages that a processor adds have the time of the call. */
export function removeTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (key, member: unknown) => (key === 'createdAt' ? 'now' : member)));
}
