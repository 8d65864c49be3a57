// Checks an answer against the rules that need only its text. Runs as a task, so that a long answer is judged on
// another thread and a schema with a slow pattern blocks only its own call.
import type { JsonSchema } from '@millrace/contracts';
import { findMisfit } from '@millrace/models/json-schema';
import { countLength } from '../../text/length-counter.ts';
import { compilePattern, type TextPattern } from '../../text/linear-pattern.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import { isRefusal } from './refusals.ts';
import type { PatternRule, ResponseValidatorOptions } from './response-validator-options.ts';

/** `rule`: a short id. `say`: message for the model, without any part of the answer or a pattern. */
export type AnswerFault = { rule: string; say: string };
export type FaultRules = Pick<
  ResponseValidatorOptions,
  'jsonSchema' | 'mustMatch' | 'mustNotMatch' | 'minLength' | 'maxLength' | 'noRefusal'
>;

type AnswerCheck = (answer: string) => AnswerFault | undefined;

const prepareFaults: PrepareJudge<FaultRules, AnswerFault[]> = (rules) => {
  const checks = [
    ...createLengthChecks(rules),
    ...(rules.jsonSchema ? [createSchemaCheck(rules.jsonSchema)] : []),
    ...rules.mustMatch.map((rule, at) => createPatternCheck(rule, at, true)),
    ...rules.mustNotMatch.map((rule, at) => createPatternCheck(rule, at, false)),
    ...(rules.noRefusal ? [createRefusalCheck] : []),
  ];
  return (answers) => answers.map((answer) => checks.flatMap((check) => check(answer) ?? []));
};

export const faultTask = defineTask(import.meta.url, prepareFaults);

function createLengthChecks({ minLength, maxLength }: FaultRules): AnswerCheck[] {
  return [
    (answer) =>
      minLength > 0 && countLength(answer, 'codePoints') < minLength
        ? { rule: 'too-short', say: `it must have at least ${minLength} characters` }
        : undefined,
    (answer) =>
      maxLength > 0 && countLength(answer, 'codePoints') > maxLength
        ? { rule: 'too-long', say: `it must have at most ${maxLength} characters` }
        : undefined,
  ];
}

function createSchemaCheck(schema: JsonSchema): AnswerCheck {
  return (answer) => {
    const misfit = findSchemaMisfit(schema, answer);
    return misfit === undefined
      ? undefined
      : { rule: 'schema', say: `it must be JSON that fits the schema: ${misfit}` };
  };
}

function findSchemaMisfit(schema: JsonSchema, answer: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    // The parser's own message would quote the answer.
    return 'it is not JSON';
  }
  return findMisfit(schema, value);
}

function createPatternCheck(given: PatternRule, at: number, isWanted: boolean): AnswerCheck {
  const { pattern, say } = typeof given === 'string' ? { pattern: given, say: undefined } : given;
  const compiled: TextPattern = compilePattern(pattern);
  const rule = isWanted ? 'must-match' : 'must-not-match';
  const requirement =
    say ??
    (isWanted ? `it lacks required text (rule ${at + 1})` : `it contains text that is not allowed (rule ${at + 1})`);
  return (answer) => (compiled.matches(answer) === isWanted ? undefined : { rule, say: requirement });
}

const createRefusalCheck: AnswerCheck = (answer) =>
  isRefusal(answer) ? { rule: 'refusal', say: 'it refuses to help, though the request is allowed' } : undefined;
