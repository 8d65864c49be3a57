// A processor of the reference interface, unmodified, as a replica calls it.
import { emptyConversation, STAGES, type JudgesFiles } from '@millrace/contracts';
import { describeProcessor } from '@millrace/processor';
import { buildConversation, textChunks } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Batcher, Lowercase, Swallower, TripWire, type Abort, type Part } from '../testing/foreign-classes.ts';
import { callForeign, finish, formatChunks, streamForeign } from '../testing/foreign-rig.ts';
import { foreignProcessor } from './foreign-processor.ts';

const conversation = buildConversation({ remembered: ['Old'], input: ['Hello'], response: ['Hi'] }, ['Be kind.']);
const input = { conversation };
const nothing = (): void => undefined;

describe('a stop that was asked for', () => {
  test('holds though the method catches it and gives the text back', async () => {
    expect(await callForeign(new Swallower(), 'processInput', { input })).toMatchObject({
      type: 'abort',
      reason: 'the model is down',
      metadata: { strict: true },
    });
  });

  test('holds in the stream, before the chunk is shown', async () => {
    const { chunks, verdict } = await streamForeign(new Swallower(), textChunks(['good ', 'bad', ' more']));
    expect(verdict).toMatchObject({ type: 'abort', reason: 'bad words' });
    expect(formatChunks(chunks)).toEqual(['text-start', 'good ']);
  });

  test('The first stop counts, for any later error', async () => {
    const wrapping = {
      id: 'wrapping',
      processInput({ abort }: { abort: Abort }) {
        try {
          abort('first', { retry: true });
        } catch (error) {
          throw new Error('wrapped', { cause: error });
        }
      },
    };
    expect(await callForeign(wrapping, 'processInput', { input })).toMatchObject({
      type: 'abort',
      reason: 'first',
      retry: true,
    });
  });

  test('A stop without a reason has a default reason', async () => {
    const silent = { id: 'silent', processInput: ({ abort }: { abort: Abort }) => abort() };
    expect(await callForeign(silent, 'processInput', { input })).toMatchObject({
      type: 'abort',
      reason: 'Tripwire triggered by silent',
    });
  });

  test('that is a TripWire thrown by the processor is an abort', async () => {
    const throwing = {
      id: 'throwing',
      processInput() {
        throw new TripWire('blocked', { metadata: { rule: 'a' } });
      },
    };
    expect(await callForeign(throwing, 'processInput', { input })).toMatchObject({
      type: 'abort',
      reason: 'blocked',
      metadata: { rule: 'a' },
    });
  });

  test("A stop is reported as a violation, to the author's callback too", async () => {
    const told: unknown[] = [];
    const throwing = {
      id: 'throwing',
      onViolation: (violation: unknown) => void told.push(violation),
      processInput() {
        throw new TripWire('blocked', { metadata: { strategy: 'block' } });
      },
    };
    expect(await callForeign(throwing, 'processInput', { input })).toMatchObject({
      violations: [{ processorId: 'foreign', message: 'blocked', strategy: 'block' }],
    });
    expect(told).toEqual([{ processorId: 'throwing', message: 'blocked', detail: { strategy: 'block' } }]);
  });

  test('A stop counts even if its report throws', async () => {
    const failing = {
      id: 'failing',
      onViolation() {
        throw new Error('the pager is down');
      },
      processInput: ({ abort }: { abort: Abort }) => abort('blocked'),
    };
    expect(await callForeign(failing, 'processInput', { input })).toMatchObject({ type: 'abort', reason: 'blocked' });
  });

  test('Any other error is the processor’s failure', async () => {
    const broken = {
      id: 'broken',
      processInput() {
        throw new Error('out of order');
      },
    };
    expect(await callForeign(broken, 'processInput', { input })).toMatchObject({
      type: 'failure',
      code: 'processor-failed',
      message: 'out of order',
    });
  });
});

describe('parts for reprocessing in the state', () => {
  test('A part in the state is processed next by the same processor', async () => {
    const { chunks } = await streamForeign(new Batcher(), textChunks(['a', 'b', 'c']));
    expect(formatChunks(chunks)).toEqual(['text-start', 'abc', 'text-end']);
  });

  test('A part in the state is processed at the end of the stream too', async () => {
    const [, ...deltas] = textChunks(['a', 'b']).slice(0, 3);
    const { chunks, verdict } = await streamForeign(new Batcher(), [...deltas, finish]);
    expect(formatChunks(chunks)).toEqual(['ab', 'finish']);
    expect(verdict.type).toBe('continue');
  });

  test('for ever are the processor’s failure', async () => {
    const endless = {
      id: 'endless',
      processOutputStream({ part, state }: { part: Part; state: Record<string, unknown> }) {
        state['__mastraReprocessPart'] = part;
        return null;
      },
    };
    const { verdict } = await streamForeign(endless, textChunks(['a']));
    expect(verdict).toMatchObject({ type: 'failure', code: 'processor-failed' });
  });
});

describe('messages', () => {
  test('Messages that are returned as new objects are replaced if they differ, and others are unchanged', async () => {
    expect(await callForeign(new Lowercase(), 'processInput', { input })).toEqual({
      type: 'continue',
      changes: {
        ops: [
          {
            op: 'replace',
            message: expect.objectContaining({
              id: 'input-0',
              createdAt: '2026-01-01T00:00:00.000Z',
              content: { format: 2, parts: [{ type: 'text', text: 'hello' }] },
            }),
          },
        ],
      },
    });
  });

  test('Messages that are returned unchanged are no change', async () => {
    const same = { id: 'same', processInput: ({ messages }: { messages: unknown[] }) => messages };
    expect(await callForeign(same, 'processInput', { input })).toEqual({ type: 'continue' });
    const spread = {
      id: 'spread',
      processInput: ({ messages }: { messages: object[] }) => messages.map((m) => ({ ...m })),
    };
    expect(await callForeign(spread, 'processInput', { input })).toEqual({ type: 'continue' });
  });

  test('edited in place are replaced; their dates are dates', async () => {
    const editing = {
      id: 'editing',
      processInputStep({ messages }: { messages: { createdAt: unknown; content: { parts: { text: string }[] } }[] }) {
        for (const { createdAt, content } of messages) {
          if (!(createdAt instanceof Date)) throw new Error('createdAt is not a Date');
          const [part] = content.parts;
          if (part?.text === 'Hello') part.text = 'Good day';
        }
      },
    };
    expect(await callForeign(editing, 'processInputStep', { input: { ...input, model: 'openai/a' } })).toMatchObject({
      changes: { ops: [{ op: 'replace', message: { id: 'input-0', createdAt: '2026-01-01T00:00:00.000Z' } }] },
    });
  });

  test('processInput receives the caller’s new messages and the system messages without a tag', async () => {
    const seen: unknown[] = [];
    const looking = {
      id: 'looking',
      processInput({ messages, systemMessages }: { messages: { id: string }[]; systemMessages: unknown[] }) {
        seen.push(
          messages.map(({ id }) => id),
          systemMessages,
        );
      },
    };
    const system = [...conversation.system, { tag: 'working-memory', content: 'Name: Ada' }];
    await callForeign(looking, 'processInput', { input: { conversation: { ...conversation, system } } });
    expect(seen).toEqual([['input-0'], [{ role: 'system', content: 'Be kind.' }]]);
  });

  test('an empty list removes all of them before the model, and nothing after it', async () => {
    const empty = { id: 'empty', processInput: () => [], processOutputStep: () => [], processOutputResult: () => [] };
    expect(await callForeign(empty, 'processInput', { input })).toMatchObject({
      changes: { ops: [{ op: 'remove', ids: ['input-0'] }] },
    });
    for (const stage of ['processOutputStep', 'processOutputResult'] as const) {
      expect(await callForeign(empty, stage, { input })).toEqual({ type: 'continue' });
    }
  });

  test('in a list of another class are refused', async () => {
    class MessageList {
      get = {};
    }
    const foreign = { id: 'foreign', processInput: () => new MessageList() };
    expect(await callForeign(foreign, 'processInput', { input })).toMatchObject({ code: 'message-list-foreign' });
  });
});

describe('the definition of a foreign processor', () => {
  test('The stages are the processor’s methods; its default reads are all', () => {
    const definition = foreignProcessor(new Batcher(), { id: 'batcher', version: '1.2.3', timeoutMs: 30_000 });
    expect(definition).toMatchObject({
      stages: ['processOutputStream'],
      version: '1.2.3',
      policy: { timeoutMs: 30_000 },
    });
    expect(definition.reads).toContain('remembered');
    expect(foreignProcessor(new Batcher(), { id: 'b', version: '1.0.0', reads: [] }).reads).toEqual([]);
  });

  test('one object is made for each set of options', async () => {
    const options = z.strictObject({ word: z.string().default('none') });
    const make = ({ word }: { word: string }) => ({
      id: 'w',
      processInput: ({ abort }: { abort: Abort }): never => abort(word),
    });
    const definition = foreignProcessor(make, { id: 'foreign', version: '1.0.0', options });
    expect(definition.options.safeParse({ other: 1 }).success).toBe(false);
    const called = { input, options: { word: 'given' }, definition: { options } };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test's factory
    expect(await callForeign(make as never, 'processInput', called)).toMatchObject({ reason: 'given' });
  });

  test('Options that the factory rejects are invalid options', async () => {
    const make = () => {
      throw new Error('needs a rule');
    };
    expect(() => foreignProcessor(make, { id: 'a', version: '1.0.0' })).toThrow('needs a rule');
    const called = { input, definition: { stages: ['processInput'] as const } };
    expect(await callForeign(make, 'processInput', called)).toMatchObject({ code: 'options-invalid' });
  });

  test.each([
    ['without a method', {}],
    ['with signals', { processInput: nothing, computeStateSignal: nothing }],
    ['that is a workflow', { processInput: nothing, createRun: nothing }],
  ])('an object %s is refused by name', (_what, methods: object) => {
    const processor = { id: 'a', ...methods };
    expect(() => foreignProcessor(processor, { id: 'a', version: '1.0.0' })).toThrow(/cannot be served/);
  });
});

test('A foreign processor that returns nothing changes nothing, in every stage', async () => {
  const stages = STAGES.filter((stage) => stage !== 'processToolCall' && stage !== 'processOutputStream');
  const silent = { id: 'silent', ...Object.fromEntries(stages.map((stage) => [stage, nothing])) };
  const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
  const toolCall = { toolCallId: '1', toolName: 'clock', args: {} };
  const whole = { ...input, model: 'openai/a', prompt: [{ role: 'user' as const, content: [] }], tool, toolCall };
  for (const stage of stages) {
    expect(await callForeign(silent, stage, { input: whole })).toEqual({ type: 'continue' });
    const without = { ...whole, conversation: emptyConversation };
    expect(await callForeign(silent, stage, { input: without })).toEqual({ type: 'continue' });
  }
});

test('A foreign processor advertises the roles of its definition', () => {
  const judgesFiles: JudgesFiles = ['image'];
  const roles = { addsText: true, judgesText: true, judgesFiles, memoryKey: 'semanticRecall' } as const;
  const definition = { id: 'files', version: '1.0.0' };
  expect(describeProcessor(foreignProcessor(new Lowercase(), { ...definition, ...roles }))).toMatchObject(roles);
  const plain = describeProcessor(foreignProcessor(new Lowercase(), definition));
  expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['addsText']));
});
