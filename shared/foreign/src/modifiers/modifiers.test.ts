// The four families of modifiers, as a replica calls them.
import { describe, expect, test } from 'vitest';
import { AS, callAdapted, INPUT } from '../testing/call-adapted.ts';
import { llmStep } from './llm-step.ts';
import { messageModifier } from './message-modifier.ts';
import type {
  MessageModifier,
  ResponseModifier,
  ToolParameterModifier,
  ToolValidationModifier,
} from './modifier-interfaces.ts';
import { responseModifier } from './response-modifier.ts';
import { toolInjectionModifier, toolParameterModifier, toolValidationModifier } from './tool-modifiers.ts';

const readOps = async (modify: MessageModifier['modify']) => {
  const verdict = await callAdapted(messageModifier({ modify }, AS), 'processInput');
  return 'changes' in verdict ? verdict.changes?.ops : verdict;
};

describe('a message modifier', () => {
  test('is given the assembled messages, the system messages first', async () => {
    const seen: unknown[] = [];
    await readOps((messages) => (seen.push(...messages.map(({ role, content }) => `${role}: ${content}`)), messages));
    expect(seen).toEqual(['system: Be kind.', 'user: old', 'user: hello']);
  });

  test('A message modifier that returns its input unchanged changes nothing and may count metrics', async () => {
    const counted: [string, number | undefined][] = [];
    const metrics = { incr: (name: string, by?: number) => void counted.push([name, by]) };
    const observing: MessageModifier = {
      async modify(messages, ctx) {
        ctx.metrics.incr('messages.assembled', messages.length);
        return messages;
      },
    };
    expect(await callAdapted(messageModifier(observing, { ...AS, metrics }), 'processInput')).toEqual({
      type: 'continue',
    });
    expect(counted).toEqual([['messages.assembled', 3]]);
  });

  test('redacts, leaves out and puts in', async () => {
    expect(
      await readOps((messages) => [
        { role: 'system', content: 'Today is Monday.' },
        ...messages
          .filter(({ content }) => content !== 'old')
          .map((one) => ({ ...one, content: one.content.replace('hello', '***') })),
        { role: 'user', content: 'about the mill' },
      ]),
    ).toMatchObject([
      { op: 'system-add', tag: 'processor', contents: ['Today is Monday.'] },
      { op: 'remove', ids: ['remembered-0'] },
      { op: 'replace', message: { id: 'input-0', content: { parts: [{ type: 'text', text: '***' }] } } },
      { op: 'add', source: 'context', message: { role: 'user', content: { parts: [{ text: 'about the mill' }] } } },
    ]);
  });

  test('edits system messages in their group', async () => {
    const edit = await readOps((messages) =>
      messages.map((one) => (one.role === 'system' ? { ...one, content: 'Be rude.' } : one)),
    );
    expect(edit).toEqual([{ op: 'system', tag: 'instructions', contents: ['Be rude.'] }]);
    expect(await readOps((messages) => messages.slice(1))).toEqual([
      { op: 'system', tag: 'instructions', contents: [] },
    ]);
  });

  test('halts, with its reason as the answer', async () => {
    const definition = messageModifier(
      { modify: (messages) => ({ messages, halt: true, reason: 'budget exceeded' }) },
      AS,
    );
    expect(await callAdapted(definition, 'processInput')).toEqual({
      type: 'halt',
      response: 'budget exceeded',
      reason: 'budget exceeded',
    });
  });

  test('A message modifier is called before every step if configured', () => {
    expect(messageModifier({ modify: (messages) => messages }, { ...AS, stage: 'processInputStep' }).stages).toEqual([
      'processInputStep',
    ]);
  });
});

describe('a tool modifier', () => {
  test('An injection modifier returns the list of tools', async () => {
    const none = toolInjectionModifier({ inject: () => [] }, AS);
    expect(await callAdapted(none, 'processInputStep')).toEqual({ type: 'continue', changes: { tools: [] } });
    const more = toolInjectionModifier(
      {
        inject: (available) =>
          available.flatMap((tool) => [tool, { ...tool, name: 'zones', subject: 'mr.v1.tool.tools.zones' }]),
      },
      AS,
    );
    expect(await callAdapted(more, 'processInputStep')).toMatchObject({
      changes: { tools: [{ name: 'clock' }, { name: 'zones', subject: 'mr.v1.tool.tools.zones' }] },
    });
  });

  const parameters = (modify: ToolParameterModifier['modify']) =>
    callAdapted(toolParameterModifier({ modify }, AS), 'processToolCall');
  test('of parameters rewrites arguments, or denies', async () => {
    expect(await parameters((call) => ({ ...call, args: { zone: 'CET' } }))).toEqual({
      type: 'continue',
      changes: { args: { zone: 'CET' } },
    });
    expect(await parameters((call) => ({ call, deny: true, reason: 'path outside workspace' }))).toEqual({
      type: 'deny',
      reason: 'path outside workspace',
    });
  });

  test('of parameters cannot make another call of one', async () => {
    expect(await parameters((call) => ({ ...call, name: 'rm' }))).toMatchObject({
      type: 'failure',
      code: 'processor-verdict-refused',
      message: expect.stringContaining('rm'),
    });
  });

  const validation = (validate: ToolValidationModifier['validate']) =>
    callAdapted(toolValidationModifier({ validate }, AS), 'processToolCall');
  test('of validation lets valid calls through', async () => {
    expect(await validation(() => true)).toEqual({ type: 'continue' });
    expect(await validation(async () => ({ valid: true }))).toEqual({ type: 'continue' });
  });

  test.each([
    ['false', () => false, 'The call is not valid.'],
    ['a reason', () => ({ valid: false, reason: 'no such zone' }), 'no such zone'],
    ['errors', () => ({ valid: false, errors: ['a', 'b'] }), 'a; b'],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- code without types
    ['nothing', () => undefined as unknown as boolean, 'The call is not valid.'],
    [
      'an error',
      () => {
        throw new Error('the rules are missing');
      },
      'The call could not be validated: the rules are missing',
    ],
  ])('A validation modifier that returns %s denies the call', async (_what, validate, reason) => {
    expect(await validation(validate)).toEqual({ type: 'deny', reason });
  });
});

describe('wrappers of the model call', () => {
  test('changes the request before it', async () => {
    const step = llmStep(
      { before: (request) => ({ ...request, model: 'openai/b', settings: { temperature: 0 } }) },
      AS,
    );
    expect(step.stages).toEqual(['processInputStep']);
    expect(await callAdapted(step, 'processInputStep')).toEqual({
      type: 'continue',
      changes: { model: 'openai/b', modelSettings: { temperature: 0 } },
    });
  });

  test('changes the answer after it, or ends the run', async () => {
    const loud = llmStep(
      { after: (answer) => ({ ...answer, content: answer.content.toUpperCase(), toolCalls: [] }) },
      AS,
    );
    expect(await callAdapted(loud, 'processOutputStep')).toEqual({
      type: 'continue',
      changes: { text: 'MY ADDRESS IS SECRET.', toolCalls: [] },
    });
    const halting = llmStep({ before: () => ({ halt: true, response: 'closed' }), after: (answer) => answer }, AS);
    expect(await callAdapted(halting, 'processInputStep')).toEqual({ type: 'halt', response: 'closed' });
    expect(await callAdapted(halting, 'processOutputStep')).toEqual({ type: 'continue' });
  });

  test('has to do one of them', () => {
    expect(() => llmStep({}, AS)).toThrow('neither before() nor after()');
  });
});

test('A response modifier redacts the answer and declares that it does so after streaming', async () => {
  const redact: ResponseModifier = {
    modify: async (response) => ({ ...response, content: response.content.replace('secret', '***') }),
  };
  const definition = responseModifier(redact, AS);
  expect(definition).toMatchObject({ stages: ['processOutputStep'], rewritesAnswers: true });
  expect(await callAdapted(definition, 'processOutputStep')).toEqual({
    type: 'continue',
    changes: { text: 'My address is ***.' },
  });
  const same = responseModifier({ modify: (response) => response }, AS);
  expect(await callAdapted(same, 'processOutputStep', { input: INPUT })).toEqual({ type: 'continue' });
});
