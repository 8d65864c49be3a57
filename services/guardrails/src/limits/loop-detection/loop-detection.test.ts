import type { JsonValue, StepResult, ToolCall } from '@millrace/contracts';
import { catchStop, stepArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { loopDetection } from './loop-detection.ts';

type TestCall = { name: string; args?: JsonValue; argsText?: string; result?: JsonValue };
type TestStep = { text?: string; calls: TestCall[] };

const buildCall = ({ name, args = {}, argsText }: TestCall, at: number): ToolCall => ({
  toolCallId: `c${at}`,
  toolName: name,
  args,
  ...(argsText !== undefined && { argsText }),
});
const buildStep = ({ text = '', calls }: TestStep, stepNumber: number): StepResult => ({
  stepNumber,
  text,
  reasoning: '',
  toolCalls: calls.map(buildCall),
  toolResults: calls.map((call, at) => ({ ...buildCall(call, at), result: call.result ?? 'same', isError: false })),
  finishReason: 'tool-calls',
  usage: {},
  model: 'openai/x',
  fromCache: false,
});

/** Calls the processor after each of the steps, as a run does. Returns the hint after each. */
function runSteps(steps: readonly TestStep[], options: object = {}) {
  const processor = loopDetection.create(loopDetection.options.parse(options));
  const state = {};
  const violations: unknown[] = [];
  const hints = steps.map(({ text = '', calls }, stepNumber) => {
    const current = { ...buildStep({ text, calls }, stepNumber), toolResults: [] };
    const args = {
      ...stepArgs(text, state),
      stepNumber,
      toolCalls: calls.map(buildCall),
      steps: [...steps.slice(0, stepNumber).map(buildStep), current],
    };
    void processor.processOutputStep?.(args);
    violations.push(...args.violations);
    return args.messageList.getSystemMessages('loop-detection').map(({ content }) => content)[0];
  });
  return { hints, violations };
}
const repeat = (count: number, ...steps: TestStep[]): TestStep[] => Array.from({ length: count }, () => steps).flat();
const call = (name: string, args: JsonValue = {}, result?: JsonValue): TestStep => ({
  calls: [{ name, args, ...(result !== undefined && { result }) }],
});
const findHinted = (steps: readonly TestStep[], options: object = {}): number =>
  runSteps(steps, options).hints.findIndex((hint) => hint !== undefined);

describe('repeated calls', () => {
  test('the model gets a hint that names the call after two repetitions', () => {
    const { hints, violations } = runSteps(repeat(4, call('search', { q: 'x' })));
    expect(hints.map((hint) => hint?.split(' with')[0])).toEqual([
      undefined,
      undefined,
      'You have repeated the call of search 2 times in a row',
      'You have repeated the call of search 3 times in a row',
    ]);
    expect(violations).toMatchObject([{ rule: 'repeated-call', strategy: 'hint', detail: { tools: ['search'] } }]);
  });
  test('the order of members does not matter', () => {
    const orders = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      { a: 1, b: { d: 3, c: 2 } },
    ];
    expect(findHinted(orders.map((args) => call('search', args)))).toBe(2);
  });
  test.each([
    ['other arguments', [1, 2, 3, 4].map((page) => call('search', { page }))],
    ['other orders of an array', [[1, 2], [2, 1], [1, 2], [3]].map((ids) => call('search', { ids }))],
    ['another tool in between', [call('a'), call('a'), call('b'), call('a'), call('a')]],
    ['a result that changes', [1, 2, 3, 4].map((done) => call('poll', {}, { done }))],
  ])('%s are no loop', (_, steps) => expect(findHinted(steps)).toBe(-1));
  test('a result that has changed does not count if the option ignores results', () => {
    expect(
      findHinted(
        [1, 2, 3].map((done) => call('poll', {}, { done })),
        { ignoreResults: true },
      ),
    ).toBe(2);
  });
  test('numbers that round to one double are different arguments', () => {
    const steps = ['9007199254740993', '9007199254740992', '9007199254740993'].map((number) => ({
      calls: [{ name: 'read', args: { id: 9007199254740992 }, argsText: `{"id":${number}}` }],
    }));
    expect(findHinted(steps)).toBe(-1);
  });
  test('a call repeats an earlier one although other calls of the answers differ', () => {
    const steps = [1, 2, 3].map((page) => ({ calls: [{ name: 'search', args: { page } }, { name: 'status' }] }));
    expect(runSteps(steps).hints[2]).toContain('the call of status 2 times');
  });
});

describe('cycles', () => {
  const [a, b, c] = [call('a'), call('b'), call('c')];
  test.each([
    ['A-B-A-B', [a, b, a, b], 3],
    ['A-B-C-A-B-C', [a, b, c, a, b, c], 5],
    ['A-B-A-B after other steps', [c, c, b, a, b, a, b], 5],
  ])('the hint follows the first whole repetition of %s', (_, steps, at) => {
    const { hints, violations } = runSteps(steps);
    expect(hints.findIndex((hint) => hint !== undefined)).toBe(at);
    expect(violations).toMatchObject([{ rule: 'repeated-cycle' }]);
  });
  test('a cycle above `maxPeriod` is no loop', () => {
    expect(findHinted(repeat(2, a, b, c), { maxPeriod: 2 })).toBe(-1);
  });
  test('a cycle with results that change is no loop', () => {
    const steps = [1, 2, 3].flatMap((done) => [call('a', {}, done), call('b', {}, done)]);
    expect(findHinted(steps)).toBe(-1);
  });
});

describe('repeated texts', () => {
  const text = 'I am going to look this up in the archive now.';
  const steps = [1, 2, 3].map((page) => ({ ...call('search', { page }), text }));
  test('a text that is repeated with differing calls is a loop', () => {
    const { hints, violations } = runSteps(steps);
    expect(hints[2]).toContain('Your text is the same as before, 2 times in a row.');
    expect(violations).toMatchObject([{ rule: 'repeated-text' }]);
  });
  test('a short text is none', () => expect(findHinted(steps, { minTextLength: 100 })).toBe(-1));
  test('a text with polling is none', () => {
    expect(findHinted([1, 2, 3].map((done) => ({ ...call('poll', {}, done), text })))).toBe(-1);
  });
});

describe('the end of a loop', () => {
  test('the hint is removed when the model stops repeating', () => {
    const steps = [...repeat(3, call('search')), call('read'), ...repeat(3, call('search'))];
    const { hints, violations } = runSteps(steps);
    expect(hints.map((hint) => hint !== undefined)).toEqual([false, false, true, false, false, false, true]);
    expect(violations).toHaveLength(2);
  });
  test.each([
    ['a call', repeat(5, call('search')), 'repeated-call'],
    ['a cycle', repeat(3, call('a'), call('b')), 'repeated-cycle'],
  ])('the run ends after two more repetitions of %s', async (_, steps, rule) => {
    expect(runSteps(steps.slice(0, -1)).hints.at(-1)).toBeDefined();
    expect(await catchStop(() => runSteps(steps))).toMatchObject({ type: 'abort', metadata: { rules: [rule] } });
  });
  test('the run ends with `response` if it is set', async () => {
    const stop = await catchStop(() => runSteps(repeat(5, call('search')), { response: 'I am stuck.' }));
    expect(stop).toMatchObject({ type: 'halt', response: 'I am stuck.' });
  });
  test('the run does not end if `endAfter` is 0', () => {
    expect(runSteps(repeat(30, call('search')), { endAfter: 0 }).hints).toHaveLength(30);
  });
  test('an answer without calls is no repetition', () => {
    expect(findHinted(repeat(5, { text: 'The same answer, in forty characters or more.', calls: [] }))).toBe(-1);
  });
});

test('the cost of a step does not grow with the run: older steps are not read', () => {
  const unread = {
    get toolCalls(): ToolCall[] {
      throw new Error('an old step was read');
    },
  };
  const steps = Array.from({ length: 60 }, (_, at) => buildStep(call('search'), at));
  const old = steps.slice(0, 50).map((step) => Object.defineProperties(step, Object.getOwnPropertyDescriptors(unread)));
  const args = {
    ...stepArgs(''),
    stepNumber: 60,
    toolCalls: [buildCall({ name: 'search' }, 0)],
    steps: [...old, ...steps.slice(50)],
  };
  const processor = loopDetection.create(loopDetection.options.parse({ endAfter: 0 }));
  expect(() => processor.processOutputStep?.(args)).not.toThrow();
});
