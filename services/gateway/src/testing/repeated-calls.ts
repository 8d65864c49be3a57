// Histories whose calls have ids that repeat, in the forms of chat completions, responses and useChat.
import * as fc from 'fast-check';

type RepeatedCall = { id: string; city: string; result: string | undefined };
/** The calls of one answer. `order` is the order in which their results arrive. */
export type CallTurn = { calls: readonly RepeatedCall[]; order: readonly number[] };

const LONG = 'x'.repeat(60);
const idOfCall = fc.constantFrom('0', '1', '', 'get_weather:0', 'call_0', '0_2', LONG, `${LONG}a`, `call_${LONG}`);
const givenTurn = fc
  .array(fc.record({ id: idOfCall, isAnswered: fc.boolean() }), { minLength: 1, maxLength: 6 })
  .chain((calls) =>
    fc.record({
      calls: fc.constant(calls),
      order: fc.shuffledSubarray([...calls.keys()], { minLength: calls.length }),
    }),
  );

/** Turns whose calls have a city and a result of their own. Of calls with one id in an answer, the last ones may have no result. */
export const repeatedCalls: fc.Arbitrary<CallTurn[]> = fc
  .array(givenTurn, { minLength: 1, maxLength: 5 })
  .map((turns) =>
    turns.map(({ calls, order }, turn) => ({ calls: nameCalls(calls, turn), order: keepOrder(calls, order) })),
  );

function nameCalls(calls: readonly { id: string; isAnswered: boolean }[], turn: number): RepeatedCall[] {
  const open = new Set<string>();
  return calls.map(({ id, isAnswered }, at) => {
    if (!isAnswered) open.add(id);
    return { id, city: `city ${turn}.${at}`, result: open.has(id) ? undefined : `weather ${turn}.${at}` };
  });
}

/** Results of one id arrive in the order of their calls. */
function keepOrder(calls: readonly { id: string }[], order: readonly number[]): number[] {
  const left = new Map<string, number[]>();
  for (const [at, { id }] of calls.entries()) left.set(id, [...(left.get(id) ?? []), at]);
  return order.flatMap((at) => left.get(calls[at]?.id ?? '')?.shift() ?? []);
}

const listResults = ({ calls, order }: CallTurn) =>
  order.flatMap((at) => {
    const { id = '', result } = calls[at] ?? {};
    return result === undefined ? [] : [{ id, result }];
  });
const writeArgs = (city: string): string => JSON.stringify({ city });

/** @param closing text of the last message of the user */
export const writeChatHistory = (turns: readonly CallTurn[], closing: string) => [
  ...turns.flatMap((turn) => [
    { role: 'user' as const, content: 'The weather?' },
    {
      role: 'assistant' as const,
      content: null,
      tool_calls: turn.calls.map(({ id, city }) => ({
        id,
        type: 'function' as const,
        function: { name: 'weather', arguments: writeArgs(city) },
      })),
    },
    ...listResults(turn).map(({ id, result }) => ({ role: 'tool' as const, tool_call_id: id, content: result })),
  ]),
  { role: 'user' as const, content: closing },
];

export const writeResponseHistory = (turns: readonly CallTurn[], closing: string) => [
  ...turns.flatMap((turn, at) => [
    { type: 'message' as const, role: 'user' as const, content: 'The weather?' },
    ...turn.calls.map(({ id, city }, call) => ({
      type: 'function_call' as const,
      id: `fc_${at}_${call}`,
      call_id: id,
      name: 'weather',
      arguments: writeArgs(city),
    })),
    ...listResults(turn).map(({ id, result }) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: result,
    })),
  ]),
  { type: 'message' as const, role: 'user' as const, content: closing },
];

export const writeUiHistory = (turns: readonly CallTurn[], closing: string) => [
  ...turns.flatMap(({ calls }, at) => [
    { id: `q${at}`, role: 'user' as const, parts: [{ type: 'text', text: 'The weather?' }] },
    {
      id: `a${at}`,
      role: 'assistant' as const,
      parts: [
        { type: 'step-start' },
        ...calls.map(({ id, city, result }, call) => ({
          ...(call % 2 === 0 ? { type: 'dynamic-tool', toolName: 'weather' } : { type: 'tool-weather' }),
          toolCallId: id,
          input: { city },
          ...(result === undefined ? { state: 'input-available' } : { state: 'output-available', output: result }),
        })),
        { type: 'step-start' },
        { type: 'text', text: 'That is it.' },
      ],
    },
  ]),
  { id: 'closing', role: 'user' as const, parts: [{ type: 'text', text: closing }] },
];
