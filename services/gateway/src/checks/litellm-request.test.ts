import { describe, expect, test } from 'vitest';
import type { CheckAnswer } from '@millrace/contracts';
import { chooseAgent, makeCheck, writeGuardrailAnswer, type GuardrailRequest } from './litellm-request.ts';

const request = (more: Partial<GuardrailRequest> = {}): GuardrailRequest => ({
  input_type: 'response',
  texts: ['My card is 4111'],
  ...more,
});
const answer = (more: Partial<CheckAnswer> = {}): CheckAnswer => ({
  action: 'pass',
  texts: ['My card is 4111'],
  violations: [],
  usage: [],
  ...more,
});
const makeCall = (args: string | null) => ({ function: { name: 'send', arguments: args } });

describe('chooseAgent', () => {
  const params = (agent: string | null) => request({ additional_provider_specific_params: { agent } });

  test('The agent is that of the path, otherwise the parameter', () => {
    expect(chooseAgent(request(), 'strict')).toBe('strict');
    expect(chooseAgent(params('strict'))).toBe('strict');
    expect(chooseAgent(params('strict'), 'strict')).toBe('strict');
    expect(chooseAgent(params(null), 'strict')).toBe('strict');
  });

  test('A parameter does not replace the agent of the path', () => {
    const refused = expect.objectContaining({ code: 'run-refused', path: 'additional_provider_specific_params.agent' });
    expect(() => chooseAgent(params('lax'), 'strict')).toThrow(refused);
    expect(() => chooseAgent(request())).toThrow(refused);
  });
});

describe('makeCheck', () => {
  test('An answer is incomplete, because the proxy does not mark its end', () => {
    expect(makeCheck(request(), 'demo')).toEqual({
      agent: 'demo',
      direction: 'output',
      texts: ['My card is 4111'],
      complete: false,
    });
  });

  test('The texts of a request are messages of the user, judged together', () => {
    const check = makeCheck(request({ input_type: 'request', texts: ['one', 'two'] }), 'demo');
    expect(check).toMatchObject({ direction: 'input', messages: [{ role: 'user' }, { role: 'user' }] });
    expect(JSON.stringify(check)).toContain('two');
  });

  test('The arguments of tool calls are judged, and a request without any text is not sent', () => {
    const calls = [makeCall('{"to":"eve"}'), makeCall(null)];
    expect(makeCheck(request({ texts: [], tool_calls: calls }), 'demo')).toMatchObject({ texts: ['{"to":"eve"}'] });
    expect(makeCheck(request({ texts: null, tool_calls: [makeCall(null)] }), 'demo')).toBeUndefined();
  });
});

describe('writeGuardrailAnswer', () => {
  test('A pass has the texts and the undecided code points', () => {
    const given = request({ texts: ['a\u{1F600}b'] });
    expect(writeGuardrailAnswer(given, answer({ texts: ['a\u{1F600}b'], undecided: [3] }))).toEqual({
      action: 'NONE',
      texts: ['a\u{1F600}b'],
      stream_holdback_chars: [2],
    });
  });

  test('An undecided count of zero withholds nothing', () => {
    expect(writeGuardrailAnswer(request(), answer({ undecided: [0] }))).toMatchObject({ stream_holdback_chars: [0] });
  });

  test('A changed text is an intervention', () => {
    expect(writeGuardrailAnswer(request(), answer({ action: 'changed', texts: ['My card is *'] }))).toEqual({
      action: 'GUARDRAIL_INTERVENED',
      texts: ['My card is *'],
    });
  });

  test('A block has the reason and no text', () => {
    expect(writeGuardrailAnswer(request(), answer({ action: 'block', texts: [], reason: 'No.' }))).toEqual({
      action: 'BLOCKED',
      blocked_reason: 'No.',
    });
  });

  test('Changed arguments of a tool call block, unchanged ones are not among the texts', () => {
    const given = request({ tool_calls: [makeCall('{"card":"4111"}')] });
    const [text = ''] = given.texts ?? [];
    expect(writeGuardrailAnswer(given, answer({ texts: [text, '{"card":"4111"}'] }))).toEqual({
      action: 'NONE',
      texts: [text],
    });
    expect(writeGuardrailAnswer(given, answer({ action: 'changed', texts: [text, '{"card":"*"}'] }))).toMatchObject({
      action: 'BLOCKED',
    });
  });
});
