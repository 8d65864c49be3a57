import { chunkSchema, type JsonObject } from '@millrace/contracts';
import { defineProcessor, holdBack, type Processor, type ProcessorDefinition } from '@millrace/processor';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sampleChunks } from '@millrace/check/plain-turn';
import { CHECKS, processorConformance, createSubject } from './processor-conformance.ts';
import type { ConformanceCase } from './subject.ts';

const options = z.strictObject({ word: z.string().default('secret').describe('the word to redact') });
const redact = (text: string, word: string) => text.replaceAll(word, '***');

/** A correct processor: redacts a word from the stream and counts the occurrences. */
const good = defineProcessor({
  id: 'redactor',
  description: 'Redacts a word.',
  stages: ['processInput', 'processOutputStream', 'processToolCall'],
  reads: ['input'],
  options,
  create: ({ word }) => ({
    id: 'redactor',
    processInput: ({ state, messages }) => void (state['seen'] = messages.length),
    processToolCall: ({ toolCall }) => ({ args: toolCall.args }),
    processOutputStream: ({ part, state }) => {
      const held: JsonObject = JSON.parse(JSON.stringify(state['held'] ?? {}));
      const countSettled = (text: string) => {
        let length = Math.min(word.length - 1, text.length);
        while (!word.startsWith(text.slice(text.length - length))) length -= 1;
        return text.length - length;
      };
      const out = holdBack(part, held, { countSettled, apply: (text) => redact(text, word) });
      state['held'] = held;
      return out;
    },
  }),
});

const given: ConformanceCase = { options: [{}, { word: 'xyz' }], texts: ['a secret, a sec', 'secretsecret', ''] };
processorConformance(good, given);
processorConformance(() => good, given);

test('Every sample is a valid chunk', () => {
  for (const chunk of sampleChunks('run-1')) expect(chunkSchema.safeParse(chunk).error).toBeUndefined();
});

/** The names of the checks that a processor does not pass. */
async function listFailed(definition: ProcessorDefinition, more: ConformanceCase = given): Promise<string[]> {
  const names: string[] = [];
  for (const check of CHECKS) {
    try {
      await check.run(createSubject(definition, more));
    } catch {
      names.push(check.name);
    }
  }
  return names;
}
const withMethods = (methods: Partial<Omit<Processor, 'id'>>): ProcessorDefinition => ({
  ...good,
  create: (parsed) => ({ ...good.create(parsed), ...methods }),
});

describe('violations that the suite finds', () => {
  let calls = 0;
  const cases: [string, ProcessorDefinition, RegExp][] = [
    [
      'lets unknown options pass',
      { ...good, options: z.object({ word: z.string().describe('x').default('x') }) },
      /unknown option/,
    ],
    [
      'has an option without a description',
      { ...good, options: z.strictObject({ word: z.string().default('x') }) },
      /strict object/,
    ],
    [
      'has no method for a stage',
      { ...good, stages: [...good.stages, 'processOutputResult'] },
      /method for every stage/,
    ],
    [
      'has a method that it does not declare',
      withMethods({ processAPIError: () => undefined }),
      /method for every stage/,
    ],
    ['has another id', { ...good, id: 'other' }, /method for every stage/],
    [
      'throws at an empty input',
      withMethods({ processInput: ({ messages }) => void (messages.length === 0 && nothing()) }),
      /verdict that the stage allows/,
    ],
    [
      'gives a verdict that its stage does not allow',
      withMethods({ processToolCall: ({ abort }) => abort('x', { retry: true }) }),
      /verdict that the stage allows/,
    ],
    [
      'answers differently each time',
      withMethods({ processToolCall: () => ({ args: { n: (calls += 1) } }) }),
      /same answer/,
    ],
    [
      'changes its input',
      withMethods({ processToolCall: ({ toolCall }) => void Object.assign(toolCall, { args: 1 }) }),
      /leaves its input/,
    ],
    [
      'keeps a value that is not JSON',
      withMethods({ processInput: ({ state }) => void Object.assign(state, { m: new Map() }) }),
      /verdict that the stage allows/,
    ],
    [
      'breaks at a chunk',
      withMethods({ processOutputStream: ({ part }) => (part.type === 'source' ? nothing() : part) }),
      /every type/,
    ],
    [
      'judges chunk by chunk',
      withMethods({
        processOutputStream: ({ part }) =>
          part.type === 'text-delta'
            ? { ...part, payload: { ...part.payload, text: redact(part.payload.text, 'secret') } }
            : part,
      }),
      /however it is cut/,
    ],
  ];
  test.each(cases)('The suite finds a processor that %s', async (_name, definition, check) => {
    expect((await listFailed(definition)).join('; ')).toMatch(check);
  });

  test('The suite reports no other violation', async () => {
    expect(await listFailed(good)).toEqual([]);
  });
});

function nothing(): never {
  throw new TypeError('a bug');
}
