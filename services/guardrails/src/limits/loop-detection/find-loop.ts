// Finds the repetition at the end of a run's steps: one call, one text, or a cycle of steps. Pure. It compares a bounded number of
// last steps, so that the cost of a step does not grow with the run.
import { replaceInexact, type StepResult } from '@millrace/contracts';
import { tagNumber, writeCall, writeCanonical } from '../call-key.ts';

export type LoopRules = { maxPeriod: number; ignoreResults: boolean; minTextLength: number };
/** `repetitions`: steps in a row that equal the step one period earlier; `tools`: names of the repeated calls, empty for a text. */
export type FoundLoop = { period: number; repetitions: number; tools: string[] };
/** A step without its results is the current one. */
export type LoopStep = Pick<StepResult, 'text' | 'toolCalls'> & Partial<Pick<StepResult, 'toolResults'>>;

/** Keys of the calls with their results; `results` is absent for the current step. */
type StepKeys = { text: string; calls: ReadonlyMap<string, { name: string; results: string | undefined }> };

/**
 * Returns the loops at the end of the steps, at most one for each period.
 * @param steps oldest first, the current one last
 * @param most greatest number of repetitions that matters
 */
export function findLoops(steps: readonly LoopStep[], rules: LoopRules, most: number): FoundLoop[] {
  const window = steps.slice(-(most + rules.maxPeriod)).map((step) => readKeys(step, rules));
  const periods = Array.from({ length: rules.maxPeriod }, (_, at) => at + 1);
  return [...findRepeatedCall(window, rules), ...periods.flatMap((period) => findCycle(window, period, rules))];
}

/** Finds the call that most of the last steps share, whatever other calls they make. */
function findRepeatedCall(window: readonly StepKeys[], rules: LoopRules): FoundLoop[] {
  const counts = [...(window.at(-1)?.calls ?? [])].map(([key, { name }]) => ({
    period: 1,
    repetitions: countFromEnd(window, 1, (later, earlier) => matchesCall(key, later, earlier, rules)),
    tools: [name],
  }));
  const first = counts.toSorted((one, other) => other.repetitions - one.repetitions)[0];
  return first && first.repetitions > 0 ? [first] : [];
}

function findCycle(window: readonly StepKeys[], period: number, rules: LoopRules): FoundLoop[] {
  const repetitions = countFromEnd(window, period, (later, earlier) => matchesStep(later, earlier, rules));
  if (repetitions < period) return [];
  const cycle = window.slice(-period);
  const isSilent = cycle.some((step, at) => !hasSameCalls(step, window[window.length - 2 * period + at]));
  const names = cycle.flatMap(({ calls }) => [...calls.values()].map(({ name }) => name));
  return [{ period, repetitions, tools: isSilent ? [] : [...new Set(names)] }];
}

function countFromEnd(
  window: readonly StepKeys[],
  period: number,
  repeats: (later: StepKeys, earlier: StepKeys) => boolean,
): number {
  for (let at = window.length - 1; ; at--) {
    const [later, earlier] = [window[at], window[at - period]];
    if (!later || !earlier || !repeats(later, earlier)) return window.length - 1 - at;
  }
}

/** A result that differs shows that the call observed a change, as in polling. */
function matchesCall(key: string, later: StepKeys, earlier: StepKeys, { ignoreResults }: LoopRules): boolean {
  const [call, before] = [later.calls.get(key), earlier.calls.get(key)];
  if (!call || !before) return false;
  return ignoreResults || call.results === undefined || call.results === before.results;
}

function matchesStep(later: StepKeys, earlier: StepKeys, rules: LoopRules): boolean {
  if (hasSameCalls(later, earlier))
    return [...later.calls.keys()].every((key) => matchesCall(key, later, earlier, rules));
  return later.text !== '' && later.text === earlier.text;
}

const hasSameCalls = ({ calls }: StepKeys, other: StepKeys | undefined): boolean =>
  calls.size > 0 && calls.size === other?.calls.size && [...calls.keys()].every((key) => other.calls.has(key));

function readKeys({ text, toolCalls, toolResults }: LoopStep, { minTextLength }: LoopRules): StepKeys {
  const calls = new Map<string, { name: string; results: string | undefined }>();
  for (const [at, call] of toolCalls.entries()) {
    const key = writeCall(call);
    const found = toolResults?.[at];
    const own = found && writeCanonical([replaceInexact(found.result, found.resultText, tagNumber), found.isError]);
    calls.set(key, { name: call.toolName, results: toolResults && `${calls.get(key)?.results ?? ''}${own ?? ''}\n` });
  }
  const plain = text.trim();
  return { text: plain.length < minTextLength ? '' : plain, calls };
}
