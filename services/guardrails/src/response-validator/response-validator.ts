// response-validator: holds the last answer of a run against rules, and asks the model again, told what was wrong, as often as the
// options say. An answer with tool calls is not the last one, and is not judged.
import { defineProcessor, type ProcessOutputStepArgs } from '@millrace/processor';
import { refuse, refuseUnjudged } from '../guard/report.ts';
import { detectLanguages, loadLanguages } from '../language/detect-language.ts';
import { compilePattern, weightOf } from '../text/linear-pattern.ts';
import { createTask, inlineCostOf, type Task } from '../work/task.ts';
import { prepareFaults, type Fault } from './find-faults.ts';
import { responseValidatorOptions, sourceOf, type ResponseValidatorOptions } from './response-validator-options.ts';

/**
 * Holds the last answer of a run against rules. The model is told what was wrong and asked again, `maxRetries` times at most, within the
 * agent's `maxProcessorRetries`. An answer with tool calls is not the last one, and is not judged.
 *
 * @verdict continue: the answer keeps the rules, or strategy warn and no retries left
 * @verdict abort: with `retry` while it may be asked again; then with strategy block
 * @verdict halt: strategy block with no retries left, where `response` is set
 * @cannot Take back what a client has seen: text is released while it streams, and a retry retracts it afterwards.
 * @cannot Judge whether an answer is true.
 * @cannot Repair: structure and length are the model's to mend.
 * @example
 * output:
 *   - use: response-validator
 *     options: { maxLength: 2000, noRefusal: true, mustNotMatch: [{ pattern: 'as an ai', say: do not talk about yourself }] }
 */
export const responseValidator = defineProcessor({
  id: 'response-validator',
  description: 'Asks the model again where its answer breaks a rule: schema, patterns, length, language, refusal.',
  aliases: ['ResponseValidator'],
  stages: ['processOutputStep'],
  reads: ['input'],
  changes: { processOutputStep: 'never' },
  prepare: loadLanguages,
  options: responseValidatorOptions,
  create(options) {
    const validator = createValidator(options);
    return { id: 'response-validator', processOutputStep: (args) => validate(validator, args) };
  },
});

type Validator = ResponseValidatorOptions & { task: Task<Fault[]> };

function createValidator(options: ResponseValidatorOptions): Validator {
  const { jsonSchema, mustMatch, mustNotMatch, minLength, maxLength, noRefusal } = options;
  const rules = { jsonSchema, mustMatch, mustNotMatch, minLength, maxLength, noRefusal };
  // A schema may hold patterns of any kind: these never run here.
  const patterns = [...mustMatch, ...mustNotMatch].map((rule) => compilePattern(sourceOf(rule)));
  const maxInline = jsonSchema ? 0 : inlineCostOf(weightOf(patterns));
  return { ...options, task: createTask('response-validator', prepareFaults, rules, maxInline) };
}

async function validate(validator: Validator, args: ProcessOutputStepArgs): Promise<void> {
  if (args.toolCalls.length > 0) return;
  const outcome = await validator.task.run([args.text], args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, validator.response, outcome.exceeded);
  const faults = [...outcome.found.flat(), ...(await languageFaults(validator, args))];
  if (faults.length > 0) reject(validator, args, faults);
}

/** Throws (abort, halt) unless the answer may pass all the same. */
function reject({ strategy, maxRetries, response }: Validator, args: ProcessOutputStepArgs, faults: Fault[]): void {
  const rules = [...new Set(faults.map(({ rule }) => rule))];
  for (const rule of rules) {
    args.onViolation({ message: 'The answer breaks a rule.', rule, strategy, detail: { try: args.retryCount } });
  }
  const reason = `The answer was not accepted: ${faults.map(({ say }) => say).join('; ')}.`;
  if (args.retryCount < maxRetries) args.abort(reason, { retry: true, metadata: { rules } });
  if (strategy === 'block') refuse(args, response, reason, { rules });
}

const DETECTION = { threshold: 0.7, minLength: 20 };

/** Only where both are told for sure, and share none of the languages that they may be in. */
async function languageFaults({ sameLanguage }: Validator, args: ProcessOutputStepArgs): Promise<Fault[]> {
  if (!sameLanguage) return [];
  const [asked, answered] = await Promise.all(
    [args.messageList.getLatestUserContent(), args.text].map((text) => likeliest(text, args.abortSignal)),
  );
  const [first] = asked ?? [];
  if (first === undefined || !answered?.length || answered.some((one) => asked?.includes(one))) return [];
  return [{ rule: 'language', say: `it must be in the language of the question (${first})` }];
}

async function likeliest(text: string, signal: AbortSignal): Promise<string[]> {
  const stretches = await detectLanguages(text, DETECTION, signal);
  return stretches.find(({ languages }) => languages.length > 0)?.languages ?? [];
}
