// Every task by its name: what a thread can be asked to do.
import { prepareCounting } from '../content-length/count-texts.ts';
import { prepareKeywords } from '../keyword/find-keywords.ts';
import { preparePii } from '../pii/find-pii.ts';
import { prepareWords } from '../moderation/moderate-words.ts';
import { prepareInjections } from '../prompt-injection/prepare-injections.ts';
import { prepareFaults } from '../response-validator/find-faults.ts';
import { prepareTokenCounting } from '../token-limiter/count-tokens.ts';
import { prepareMatches } from '../regex-filter/find-matches.ts';
import { prepareSecrets } from '../secrets/find-secrets.ts';
import { prepareRepair } from '../structured-output/repair-answer.ts';
import { prepareLeaks } from '../system-prompt-scrubber/find-leaks.ts';
import { prepareNormalizing } from '../unicode-normalizer/normalize-text.ts';
import type { Judge } from './task-outcome.ts';

export const TASKS = {
  'content-length': prepareCounting,
  keyword: prepareKeywords,
  moderation: prepareWords,
  pii: preparePii,
  'prompt-injection': prepareInjections,
  'response-validator': prepareFaults,
  'token-limiter': prepareTokenCounting,
  'regex-filter': prepareMatches,
  secrets: prepareSecrets,
  'structured-output': prepareRepair,
  'system-prompt-scrubber': prepareLeaks,
  'unicode-normalizer': prepareNormalizing,
};

/** @throws for a name that is not there */
export function prepareTask(name: string, options: unknown): Judge<unknown> {
  const prepare = Object.entries(TASKS).find(([task]) => task === name)?.[1];
  if (!prepare) throw new Error(`There is no task "${name}".`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- createTask sends a task's own options along with its name
  return prepare(options as never);
}
