import { readMessageText, type JsonObject, type JsonValue } from '@millrace/contracts';
import { callContext, callEntry, buildConversation, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callStage } from './call-stage.ts';
import { createHostedProcessors } from './hosted-processor.ts';
import type { ProcessorDefinition } from '../processor/processor-definition.ts';
import { call, define, type Methods } from '../testing/defined.ts';

const append = (id: string, text: string) =>
  define(id, {
    processInput: ({ messages, messageList }) => {
      const last = messages.at(-1);
      const part = last?.content.parts[0];
      if (part?.type === 'text') part.text += text;
      return messageList;
    },
  });
const conversation = buildConversation({ remembered: ['old'], input: ['hello'] }, ['Be kind.']);

test('A processor that suspended is called again with the answer; the other processors of its call are not', async () => {
  const seen: unknown[] = [];
  const gate = define('gate', {
    processInput: ({ resumeData, suspend, state }) => {
      seen.push(resumeData);
      if (resumeData === undefined) {
        state['asked'] = true;
        suspend('sure?');
      }
    },
  });
  const look = define('look', { processInput: (args) => void seen.push('resumeData' in args) });
  const served = createHostedProcessors([gate, look]);
  const ask = (resumeData?: JsonValue) => {
    const entries = [
      callEntry('gate', {}, { ...(resumeData !== undefined && { resumeData, state: { asked: true } }) }),
      callEntry('look'),
    ];
    return callStage(stageCall('processInput', entries, { conversation }), served, callContext());
  };
  expect((await ask()).verdicts).toEqual([{ type: 'suspend', payload: 'sure?', state: { asked: true } }]);
  expect((await ask({ ok: true })).verdicts.map(({ type }) => type)).toEqual(['continue', 'continue']);
  expect((await ask(null)).verdicts).toHaveLength(2);
  expect(seen).toEqual([undefined, { ok: true }, false, null, false]);
});

describe('a list of processors', () => {
  test('Each processor sees the changes of the preceding one, and has a verdict and a duration', async () => {
    const seen: string[] = [];
    const look = define('look', { processInput: ({ messages }) => void seen.push(...messages.map(readMessageText)) });
    const { verdicts, ms } = await call('processInput', [append('a', ' a'), append('b', ' b'), look], { conversation });
    expect(seen).toEqual(['hello a b']);
    expect(verdicts.map(({ type }) => type)).toEqual(['continue', 'continue', 'continue']);
    expect(ms).toHaveLength(3);
  });

  test('The call ends at the first stop: later processors are not called', async () => {
    let called = 0;
    const stop = define('stop', { processInput: ({ abort }) => abort('no') });
    const after = define('after', { processInput: () => void (called += 1) });
    const { verdicts } = await call('processInput', [append('a', '!'), stop, after], { conversation });
    expect(verdicts.map(({ type }) => type)).toEqual(['continue', 'abort']);
    expect(called).toBe(0);
  });

  test('The call ends before a processor that this replica does not serve', async () => {
    const [a, b, c] = [append('a', '1'), append('b', '2'), append('c', '3')];
    const entries = [a, b, c].map(({ id }) => callEntry(id));
    const served = createHostedProcessors([a, c]);
    const { verdicts } = await callStage(stageCall('processInput', entries, { conversation }), served, callContext());
    expect(verdicts).toHaveLength(1);
  });

  test('A processor also sees changes for one call only: the prompt, the arguments, the model', async () => {
    const request = define(
      'request',
      { processLLMRequest: ({ prompt }) => ({ prompt: [...prompt, { role: 'user', content: 'more' }] }) },
      { reads: ['prompt'] },
    );
    const { verdicts } = await call('processLLMRequest', [request, { ...request, id: 'again' }], { prompt: [] });
    expect(verdicts[1]).toMatchObject({ changes: { prompt: [{ content: 'more' }, { content: 'more' }] } });
    const step = define('step', { processInputStep: ({ model }) => ({ model: `${model}x` }) });
    const steps = await call('processInputStep', [step, { ...step, id: 'again' }], { model: 'openai/a' });
    expect(steps.verdicts[1]).toMatchObject({ changes: { model: 'openai/axx' } });
  });

  test('A processor does not see in-place edits of the preceding one', async () => {
    const seen: unknown[] = [];
    const edit = define('edit', {
      processToolCall: ({ toolCall }) => void Object.assign(toolCall, { args: 'edited' }),
    });
    const look = define('look', { processToolCall: ({ toolCall }) => void seen.push(toolCall.args) });
    const toolCall = { toolCallId: '1', toolName: 'clock', args: 'given' };
    const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
    const { verdicts } = await call('processToolCall', [edit, look], { toolCall, tool });
    expect(verdicts).toEqual([{ type: 'continue' }, { type: 'continue' }]);
    expect(seen).toEqual(['given']);
  });

  test('Each processor sees only its reads', async () => {
    const seen: Record<string, unknown> = {};
    const look = (id: string, reads: ProcessorDefinition['reads']) =>
      define(
        id,
        {
          processInput: ({ messages, systemMessages }) => {
            seen[id] = [messages.map(({ id: message }) => message), systemMessages.length];
          },
        },
        { reads },
      );
    const { verdicts } = await call(
      'processInput',
      [look('new', ['input', 'system']), look('all', ['input', 'remembered', 'system']), look('none', [])],
      {
        conversation,
      },
    );
    expect(seen).toEqual({ new: [['input-0'], 1], all: [['remembered-0', 'input-0'], 1] });
    expect(verdicts[2]).toMatchObject({ type: 'failure', code: 'reads-undeclared' });
  });
});

describe('options of an entry', () => {
  const limited = define('limited', { processInput: () => undefined });

  test('Invalid options are a failure that names the entry, the option and the remedy', async () => {
    const entries = [callEntry('limited', { limit: 'x', unknown: 1 }, { entry: 'mine' })];
    const { verdicts } = await callStage(
      stageCall('processInput', entries),
      createHostedProcessors([limited]),
      callContext(),
    );
    expect(verdicts).toEqual([
      {
        type: 'failure',
        code: 'options-invalid',
        message: expect.stringMatching(/"mine".*limit: .*unknown/s),
        retryable: false,
      },
    ]);
  });

  test('Equal options share one object, and other options have another one', async () => {
    let made = 0;
    const counted = { ...limited, create: () => ((made += 1), { id: 'limited', processInput: () => undefined }) };
    const hosted = createHostedProcessors([counted]);
    for (const limit of [1, 2, 1, 2]) hosted(callEntry('limited', { limit }));
    expect(made).toBe(2);
  });

  test('The number and the size of cached option objects are bounded; the most recently used ones are kept', async () => {
    let made = 0;
    const options = z.strictObject({ limit: z.number().optional(), words: z.string().optional() });
    const create = () => ((made += 1), { id: 'limited', processInput: () => undefined });
    const hosted = createHostedProcessors([{ ...limited, options, create }]);
    const use = (entry: JsonObject) => {
      const before = made;
      hosted(callEntry('limited', entry));
      return made > before ? 'made' : 'kept';
    };
    use({ limit: 0 });
    for (let limit = 1; limit < 1_000; limit++) use({ limit });
    expect(use({ limit: 0 })).toBe('kept');
    use({ limit: 1_000 });
    expect([use({ limit: 0 }), use({ limit: 1 })]).toEqual(['kept', 'made']);
    const large = 'x'.repeat(3 * 1024 * 1024);
    for (const letter of ['a', 'b', 'c']) use({ words: letter + large });
    expect([use({ words: `c${large}` }), use({ words: `a${large}` })]).toEqual(['kept', 'made']);
    const huge = { words: 'x'.repeat(9 * 1024 * 1024) };
    expect([use(huge), use(huge), use({ words: `a${large}` })]).toEqual(['made', 'made', 'kept']);
  });
});

describe('violations of a processor', () => {
  test('Violations are returned with every verdict, under the name of the entry', async () => {
    const methods = (end: 'return' | 'abort'): Methods => ({
      processInput: ({ onViolation, abort }) => {
        onViolation({ message: 'found', strategy: 'warn', detail: { rule: 'x' } });
        if (end === 'abort') abort('no');
      },
    });
    for (const end of ['return', 'abort'] as const) {
      const { verdicts } = await call('processInput', [define('guard', methods(end))]);
      expect(verdicts[0]).toMatchObject({
        violations: [{ processorId: 'guard', message: 'found', strategy: 'warn', detail: { rule: 'x' } }],
      });
    }
  });

  test('Violations and metadata that are not serializable do not change a block into another verdict', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const detail = JSON.parse('{}');
    Object.assign(detail, cycle);
    const guard = define('guard', {
      processInput: ({ onViolation, abort }) => {
        onViolation({ message: 'found', detail });
        abort('no', { metadata: detail });
      },
    });
    const { verdicts } = await call('processInput', [guard]);
    expect(verdicts[0]).toMatchObject({ type: 'abort', reason: 'no' });
    expect(() => JSON.stringify(verdicts)).not.toThrow();
  });
});

describe('a value that throws when it is read', () => {
  const hostile = new Proxy(new Error('hidden'), {
    has: () => {
      throw hostile;
    },
    get: () => {
      throw hostile;
    },
  });
  const failure = {
    type: 'failure',
    code: 'processor-failed',
    message: 'The members of the thrown value cannot be read.',
  };

  test('A processor that throws it at its creation has a failure, and the call of the stage ends', async () => {
    const create = () => {
      throw hostile;
    };
    const { verdicts } = await call('processInput', [{ ...define('broken', {}), create }], { conversation });
    expect(verdicts).toEqual([expect.objectContaining(failure)]);
  });

  test('A processor with a state that throws it has a failure, and the call of the stage ends', async () => {
    const keep = define('keep', {
      processInput: ({ state }) => {
        Object.assign(state, {
          list: {
            toJSON: () => {
              throw hostile;
            },
          },
        });
      },
    });
    const { verdicts } = await call('processInput', [keep], { conversation });
    expect(verdicts).toEqual([expect.objectContaining(failure)]);
  });
});
