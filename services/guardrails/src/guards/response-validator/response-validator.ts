// response-validator: checks the last answer of a run against rules, and retries with the problem as often as the
// options permit. An answer with tool calls is not the last one and is not judged.
import { defineProcessor, type ProcessOutputStepArgs } from '@millrace/processor';
import { refuse, refuseUnjudged } from '../../guard/report.ts';
import { retryAnswer } from '../../guard/retry-answer.ts';
import { detectLanguages, loadLanguages } from '../language/detect-language.ts';
import { compilePattern, weighPatterns } from '../../text/linear-pattern.ts';
import { createTask, getInlineCost, type Task } from '../../work/task.ts';
import { faultTask, type AnswerFault } from './find-faults.ts';
import {
  responseValidatorOptions,
  getPatternSource,
  type ResponseValidatorOptions,
} from './response-validator-options.ts';

/**
 * Checks the last answer of a run against rules. If the answer breaks one, the model is called again with the problem,
 * at most `maxRetries` times and within the agent's `maxProcessorRetries`. An answer with tool calls is not the last
 * one and is not judged.
 *
 * @verdict continue: the answer follows the rules, or strategy warn without retries left
 * @verdict abort: with `retry` while retries are left; then with strategy block
 * @verdict halt: strategy block without retries left, if `response` is set
 * @cannot Hide rejected text from clients: the stream releases text immediately, and a retry retracts it afterwards.
 * @cannot Judge whether an answer is true.
 * @cannot Repair an answer: only the model can correct its structure and length.
 * @example
 * output:
 *   - use: response-validator
 *     options: { maxLength: 2000, noRefusal: true, mustNotMatch: [{ pattern: 'as an ai', say: do not talk about yourself }] }
 */
export const responseValidator = defineProcessor({
  id: 'response-validator',
  description: 'Retries an answer that breaks a rule: schema, patterns, length, language, refusal.',
  aliases: ['ResponseValidator'],
  stages: ['processOutputStep'],
  positions: { output: 110 },
  reads: ['input'],
  changes: { processOutputStep: 'never' },
  prepare: loadLanguages,
  options: responseValidatorOptions,
  create(options) {
    const validator = createValidator(options);
    return { id: 'response-validator', processOutputStep: (args) => validate(validator, args) };
  },
});

type ResponseValidator = ResponseValidatorOptions & { task: Task<AnswerFault[]> };

function createValidator(options: ResponseValidatorOptions): ResponseValidator {
  const { jsonSchema, mustMatch, mustNotMatch, minLength, maxLength, noRefusal } = options;
  const rules = { jsonSchema, mustMatch, mustNotMatch, minLength, maxLength, noRefusal };
  // The bound 0 runs every judgment in a worker, because a schema may contain slow patterns.
  const patterns = [...mustMatch, ...mustNotMatch].map((rule) => compilePattern(getPatternSource(rule)));
  const maxInline = jsonSchema ? 0 : getInlineCost(weighPatterns(patterns));
  return { ...options, task: createTask(faultTask, rules, maxInline) };
}

async function validate(validator: ResponseValidator, args: ProcessOutputStepArgs): Promise<void> {
  if (args.toolCalls.length > 0) return;
  const outcome = await validator.task.run([args.text], args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, validator.response, outcome.exceeded);
  const faults = [...outcome.found.flat(), ...(await findLanguageFaults(validator, args))];
  if (faults.length > 0) reject(validator, args, faults);
}

/** Throws (abort, halt) unless the strategy passes the answer. */
function reject(
  { strategy, maxRetries, response }: ResponseValidator,
  args: ProcessOutputStepArgs,
  faults: AnswerFault[],
): void {
  const rules = [...new Set(faults.map(({ rule }) => rule))];
  for (const rule of rules) {
    args.onViolation({ message: 'The answer breaks a rule.', rule, strategy, detail: { try: args.retryCount } });
  }
  const reason = `The answer was not accepted: ${faults.map(({ say }) => say).join('; ')}.`;
  retryAnswer(args, maxRetries, reason, { rules });
  if (strategy === 'block') refuse(args, response, reason, { rules });
}

const DETECTION = { threshold: 0.7, minLength: 20 };

/** Compares only certain detections, and reports a fault only if the two share no possible language. */
async function findLanguageFaults(
  { sameLanguage }: ResponseValidator,
  args: ProcessOutputStepArgs,
): Promise<AnswerFault[]> {
  if (!sameLanguage) return [];
  const [asked, answered] = await Promise.all(
    [args.messageList.getLatestUserContent(), args.text].map((text) => selectLikeliest(text, args.abortSignal)),
  );
  const [first] = asked ?? [];
  if (first === undefined || !answered?.length || answered.some((one) => asked?.includes(one))) return [];
  return [{ rule: 'language', say: `it must be in the language of the question (${first})` }];
}

async function selectLikeliest(text: string, signal: AbortSignal): Promise<string[]> {
  const stretches = await detectLanguages(text, DETECTION, signal);
  return stretches.find(({ languages }) => languages.length > 0)?.languages ?? [];
}
