// Properties of compacted prompts: calls keep their results, the order stays, and so do the first request, the current request and the last
// steps.
import { isObject, type JsonObject, type JsonValue, type Prompt } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGuardModels } from '../../model/guard-models.ts';
import { arbitraryText } from '../../testing/any-text.ts';
import {
  assistantText,
  makeCall,
  requestArgs,
  makeResult,
  systemText,
  userText,
  writeWords,
} from '../../testing/prompts.ts';
import { createPieceCounter } from '../token-limiter/count-tokens.ts';
import { readPromptMessage } from '../token-limiter/message-units.ts';
import { splitText } from '../token-limiter/pieces.ts';
import { defineContextCompaction } from './context-compaction.ts';

const models = createGuardModels({ generateObject: () => Promise.resolve({ summary: 'Files were read.' }) });
const definition = defineContextCompaction(models);

const texts = fc.oneof(
  arbitraryText(60),
  fc.nat(300).map((count) => writeWords(count)),
  fc.nat(2_000).map((count) => 'x'.repeat(count)),
  fc.nat(2_000).map((count) => ' '.repeat(count)),
  fc.nat(400).map((count) => '文'.repeat(count)),
);
const outputs = fc.oneof(
  texts.map((value): JsonValue => ({ type: 'text', value })),
  texts.map((text): JsonValue => ({ type: 'json', value: { text } })),
  texts.map((value): JsonValue => ({ type: 'error-text', value })),
);
const step = fc.tuple(
  fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), outputs), { minLength: 1, maxLength: 2 }),
  texts,
);
const turn = fc.tuple(texts, fc.array(step, { maxLength: 5 }));
const prompts = fc.tuple(texts, fc.array(turn, { minLength: 1, maxLength: 4 })).map(([instructions, turns]): Prompt => {
  let id = 0;
  const listStep = ([calls]: (typeof turns)[number][1][number]): Prompt => {
    const made = calls.map(([path, output]) => ({ id: `c${(id += 1)}`, path, output }));
    const join = (messages: Prompt): Prompt[number] => ({
      role: messages[0]?.role ?? 'user',
      content: messages.flatMap(({ content }): JsonValue[] => (Array.isArray(content) ? content : [])),
    });
    return [
      join(made.map((one) => makeCall(one.id, { path: one.path }))),
      join(made.map((one) => makeResult(one.id, one.output))),
    ];
  };
  return [
    systemText(instructions),
    ...turns.flatMap(([asked, steps]) => [userText(asked), ...steps.flatMap(listStep), assistantText(asked)]),
  ];
});
const options = fc.record({
  budget: fc.integer({ min: 100, max: 2_000 }),
  keepRecent: fc.integer({ min: 1, max: 3 }),
  resultHeadTokens: fc.nat(50),
  resultTailTokens: fc.nat(50),
  drop: fc.boolean(),
});

const count = createPieceCounter('estimate');
const countTokens = (prompt: Prompt): number =>
  prompt
    .flatMap((message) => readPromptMessage(message).texts)
    .flatMap((text) => [...splitText(text)])
    .reduce((sum, piece) => sum + count(piece), 4 * prompt.length);

async function compact(prompt: Prompt, given: JsonObject, state: JsonObject = {}): Promise<Prompt> {
  const args = requestArgs(structuredClone(prompt), state);
  const processor = definition.create(definition.options.parse({ summaryTokens: 50, ...given }));
  const result = await processor.processLLMRequest?.(args);
  return (result && 'prompt' in result ? result.prompt : undefined) ?? prompt;
}

const listIds = (prompt: Prompt, type: string): JsonValue[] =>
  prompt
    .flatMap(({ content }): JsonValue[] => (Array.isArray(content) ? content : []))
    .flatMap((part) => (isObject(part) && part['type'] === type ? [part['toolCallId'] ?? null] : []));

const firstPart = (message: Prompt[number] | undefined): unknown => {
  const content: unknown = message?.['content'];
  return Array.isArray(content) ? content[0] : content;
};

const RUNS = { seed: 11, numRuns: 300 };

test.each([undefined, 'openai/x'])(
  'a compacted prompt has calls with their results, in order, with the model %s',
  async (model) => {
    await fc.assert(
      fc.asyncProperty(prompts, options, async (prompt, given) => {
        const compacted = await compact(prompt, { ...given, ...(model !== undefined && { model }) });
        const calls = listIds(compacted, 'tool-call');
        expect(listIds(compacted, 'tool-result')).toEqual(calls);
        const all = listIds(prompt, 'tool-call');
        expect(calls).toEqual(all.filter((id) => calls.includes(id)));
      }),
      RUNS,
    );
  },
);

test('system messages, the first request, the current request and the last steps stay', async () => {
  await fc.assert(
    fc.asyncProperty(prompts, options, async (prompt, given) => {
      const compacted = await compact(prompt, { ...given, model: 'openai/x' });
      const isUser = ({ role }: Prompt[number]) => role === 'user';
      expect(compacted[0]).toEqual(prompt[0]);
      expect(firstPart(compacted.find(isUser))).toEqual(firstPart(prompt.find(isUser)));
      expect(firstPart(compacted.findLast(isUser))).toEqual(firstPart(prompt.findLast(isUser)));
      const answers = prompt.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
      const recent = prompt.slice(answers.at(-given.keepRecent) ?? 0);
      expect(compacted.slice(compacted.length - recent.length).map(firstPart)).toEqual(recent.map(firstPart));
    }),
    RUNS,
  );
});

test.each([undefined, 'openai/x'])(
  'a compacted prompt is never longer, and one within the budget is the same, with the model %s',
  async (model) => {
    await fc.assert(
      fc.asyncProperty(prompts, options, async (prompt, given) => {
        const compacted = await compact(prompt, { ...given, ...(model !== undefined && { model }) });
        const before = countTokens(prompt);
        expect(countTokens(compacted)).toBeLessThanOrEqual(before);
        expect(before > given.budget || compacted === prompt).toBe(true);
      }),
      RUNS,
    );
  },
);

test('a compacted prompt is compacted no further', async () => {
  await fc.assert(
    fc.asyncProperty(prompts, options, async (prompt, given) => {
      const once = await compact(prompt, given);
      expect(await compact(once, given)).toEqual(once);
    }),
    RUNS,
  );
});
