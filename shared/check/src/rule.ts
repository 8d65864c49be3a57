// One rule of docs/wire.md: what it promises, where the page says so, and what finds out.
import type { Stage } from '@millrace/contracts';
import { STREAM } from './session-open.ts';
import type { Target } from './target.ts';
import type { WirePage } from './wire-page.ts';

export type Rule<T = Target> = {
  id: string;
  /** What a processor does that holds to it. */
  promise: string;
  page: WirePage;
  /** Nothing else is asked meanwhile: it loads the replica, or ends it. */
  alone?: true;
  /** It ends a replica: of all that this serves one processor is asked, with a stream if there is one. */
  ends?: true;
  /** Why it does not concern this processor; undefined: it does. */
  skipped?(target: T): string | undefined;
  /** @throws BrokenError where the processor does not hold to it */
  run(target: T): Promise<void>;
};

/** The stages that are answered by request. */
export const calledStages = ({ descriptor }: Target): Stage[] => descriptor.stages.filter((stage) => stage !== STREAM);

export const needsCalls = (target: Target): string | undefined =>
  calledStages(target).length > 0 ? undefined : 'it has no stage that is called';

export const needsStream = ({ descriptor }: Target): string | undefined =>
  descriptor.stages.includes(STREAM) ? undefined : 'it has no processOutputStream';

/** For each stage that is called, with each set of options. */
export async function eachCalled(
  target: Target,
  run: (stage: Stage, options: Target['optionSets'][number]) => Promise<void>,
): Promise<void> {
  for (const stage of calledStages(target)) for (const options of target.optionSets) await run(stage, options);
}
