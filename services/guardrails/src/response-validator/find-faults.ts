// What is wrong with an answer by the rules that need nothing but the answer. Pure, so that a long one is judged on another thread,
// and a schema whose own patterns never end costs only its own call.
import type { JsonSchema } from '@millrace/contracts';
import { findMisfit } from '@millrace/models/json-schema';
import { lengthOf } from '../content-length/length-counter.ts';
import { compilePattern, type LinearPattern } from '../text/linear-pattern.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { isRefusal } from './refusals.ts';
import type { PatternRule, ResponseValidatorOptions } from './response-validator-options.ts';

/** `rule`: a short id. `say`: what the model is told; never a part of the answer, never a pattern. */
export type Fault = { rule: string; say: string };
export type FaultRules = Pick<
  ResponseValidatorOptions,
  'jsonSchema' | 'mustMatch' | 'mustNotMatch' | 'minLength' | 'maxLength' | 'noRefusal'
>;

type Check = (answer: string) => Fault | undefined;

export const prepareFaults: PrepareJudge<FaultRules, Fault[]> = (rules) => {
  const checks = [
    ...lengthChecks(rules),
    ...(rules.jsonSchema ? [schemaCheck(rules.jsonSchema)] : []),
    ...rules.mustMatch.map((rule, at) => patternCheck(rule, at, true)),
    ...rules.mustNotMatch.map((rule, at) => patternCheck(rule, at, false)),
    ...(rules.noRefusal ? [refusalCheck] : []),
  ];
  return (answers) => answers.map((answer) => checks.flatMap((check) => check(answer) ?? []));
};

function lengthChecks({ minLength, maxLength }: FaultRules): Check[] {
  return [
    (answer) =>
      minLength > 0 && lengthOf(answer, 'codePoints') < minLength
        ? { rule: 'too-short', say: `it must have at least ${minLength} characters` }
        : undefined,
    (answer) =>
      maxLength > 0 && lengthOf(answer, 'codePoints') > maxLength
        ? { rule: 'too-long', say: `it must have at most ${maxLength} characters` }
        : undefined,
  ];
}

function schemaCheck(schema: JsonSchema): Check {
  return (answer) => {
    const misfit = misfitOf(schema, answer);
    return misfit === undefined
      ? undefined
      : { rule: 'schema', say: `it must be JSON that fits the schema: ${misfit}` };
  };
}

function misfitOf(schema: JsonSchema, answer: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    // What the parser says of it quotes the answer.
    return 'it is not JSON';
  }
  return findMisfit(schema, value);
}

function patternCheck(given: PatternRule, at: number, isWanted: boolean): Check {
  const { pattern, say } = typeof given === 'string' ? { pattern: given, say: undefined } : given;
  const compiled: LinearPattern = compilePattern(pattern);
  const rule = isWanted ? 'must-match' : 'must-not-match';
  const told =
    say ??
    (isWanted
      ? `it lacks something that is required (rule ${at + 1})`
      : `it holds something that is not allowed (rule ${at + 1})`);
  return (answer) => (compiled.test(answer) === isWanted ? undefined : { rule, say: told });
}

const refusalCheck: Check = (answer) =>
  isRefusal(answer) ? { rule: 'refusal', say: 'it refuses to help, though the request is allowed' } : undefined;
