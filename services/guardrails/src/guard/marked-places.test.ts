// Every place of the wire's messages and chunks that may hold a text, generated from their schemas: a mark in it is blocked,
// refused by the schema, or replaced. A place that guards skip has a form without room for a text, and is in a table here.
import { chunkSchema, messageSchema, type Chunk, type JsonObject, type Message } from '@millrace/contracts';
import { STRUCTURE_NAMES, StopError, type Processor } from '@millrace/processor';
import { commonArgs, inputArgs, listMarkedValues, resultArgs } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { createProcessors } from '../processors.ts';
import { FIXED_MODELS } from '../testing/judging-provider.ts';
import { endChunk, send } from '../testing/stream-text.ts';
import { closeThreads } from '../work/task.ts';

afterAll(closeThreads);

/** A mark in the form of an id. */
const WORD = 'zebracode';
/** Marks with white space, and in a script without it. */
const TEXTS = ['zebra code', '\u6591\u99ac\u4ee3\u78bc'];
const KEYWORDS = [WORD, ...TEXTS];

const createGuard = (id: string, options: JsonObject): Processor => {
  const definition = createProcessors(FIXED_MODELS).find((one) => one.id === id);
  if (!definition) throw new Error(`no processor ${id}`);
  return definition.create(definition.options.parse(options));
};
const guards: [string, Processor][] = [
  ['keyword that blocks', createGuard('keyword', { keywords: KEYWORDS })],
  ['keyword that replaces', createGuard('keyword', { keywords: KEYWORDS, strategy: 'redact' })],
  [
    'regex-filter that blocks',
    createGuard('regex-filter', { rules: [{ pattern: KEYWORDS.join('|') }], strategy: 'block' }),
  ],
  [
    'regex-filter that replaces',
    createGuard('regex-filter', { rules: [{ pattern: KEYWORDS.join('|') }], strategy: 'redact' }),
  ],
  ['moderation that blocks', createGuard('moderation', { mode: 'words', words: KEYWORDS })],
];

/** Returns the texts that the guard has passed, or undefined if it stopped the run. */
async function judge<T>(work: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (StopError.isInstance(error)) return undefined;
    throw error;
  }
}

async function judgeMessage(guard: Processor, stage: 'input' | 'output', message: Message): Promise<Message[]> {
  if (stage === 'input') {
    const args = inputArgs([message]);
    return (await judge(async () => (await guard.processInput?.(args), args.messageList.get.input.db()))) ?? [];
  }
  const args = resultArgs([message]);
  return (await judge(async () => (await guard.processOutputResult?.(args), args.messageList.get.response.db()))) ?? [];
}

async function judgeChunk(guard: Processor, chunk: Chunk): Promise<Chunk[]> {
  const args = commonArgs({});
  const kind = chunk.type === 'text-delta' ? 'text' : chunk.type === 'reasoning-delta' ? 'reasoning' : 'tool';
  const passed = await judge(async () => {
    const own = await send(guard, chunk, args);
    return chunk.type.endsWith('-delta') ? [...own, ...(await send(guard, endChunk(kind, 'm1'), args))] : own;
  });
  return passed ?? [];
}

const listMessages = (mark: string) =>
  listMarkedValues(messageSchema, mark, STRUCTURE_NAMES).flatMap(({ path, value }) => {
    const parsed = messageSchema.safeParse(value);
    return parsed.success ? [{ path, message: parsed.data }] : [];
  });
const listChunks = (mark: string) =>
  listMarkedValues(chunkSchema, mark, STRUCTURE_NAMES).flatMap(({ path, value }) => {
    const parsed = chunkSchema.safeParse(value);
    return parsed.success ? [{ path, chunk: parsed.data }] : [];
  });

async function findPassed<T>(
  places: readonly ({ path: string } & T)[],
  mark: string,
  pass: (place: T) => Promise<object[]>,
) {
  const passed: string[] = [];
  for (const place of places) if (JSON.stringify(await pass(place)).includes(mark)) passed.push(place.path);
  return passed;
}

/** The orchestrator refuses a submitted message with another form of the first, and takes the ids of threads from the run. */
const IDS_OF_MESSAGES = ['.id', '.threadId', '.resourceId'];
/** The orchestrator replaces the id of a submitted call. */
const ID_OF_CALL = '.content.parts[]<tool-invocation>.toolInvocation.toolCallId';
/** Base64, or an address that guards judge: the orchestrator refuses other data. */
const BYTES = '.content.parts[]<file>.data';
/** Members that the run itself sets, and bytes. */
const OWN = /^<[\w-]+>\.(?:runId|payload\.data)$/;
/** Short names of a state or a rule: the schemas of verdicts and of answers bound them. */
const STATES = [
  '<tool-output-denied>.payload.code',
  '<step-finish>.payload.stepResult.reason',
  '<finish>.payload.stepResult.reason',
];
const readName = (path: string): string => /\.\*?(\w+)$/.exec(path)?.[1] ?? '';

test('the schemas have at least as many places as they had', () => {
  expect(listMessages(WORD).length).toBeGreaterThan(200);
  expect(listChunks(WORD).length).toBeGreaterThan(1_500);
});

describe.each(guards)('the guard %s', (_, guard) => {
  test.each(['input', 'output'] as const)(
    'leaves a mark in no place of a message of the %s but ids and bytes',
    async (stage) => {
      const find = (mark: string) =>
        findPassed(listMessages(mark), mark, ({ message }) => judgeMessage(guard, stage, message));
      expect(await find(WORD)).toEqual([...IDS_OF_MESSAGES, ID_OF_CALL, BYTES]);
      for (const text of TEXTS) expect(await find(text)).toEqual(['.id', BYTES]);
    },
  );

  test('leaves a word in no place of a chunk but ids, names and states, and a text in none', async () => {
    const find = async (mark: string) => {
      const passed = await findPassed(listChunks(mark), mark, ({ chunk }) => judgeChunk(guard, chunk));
      return passed.filter((path) => !OWN.test(path));
    };
    const words = await find(WORD);
    expect(words.filter((path) => !STATES.includes(path) && !STRUCTURE_NAMES.includes(readName(path)))).toEqual([]);
    for (const text of TEXTS) expect(await find(text)).toEqual([]);
  });

  test.each(['image/zebracode', 'image/png;name=zebracode', 'text/plain; charset=zebracode'])(
    'leaves the media type %s in no message and no chunk',
    async (mark) => {
      const messages = listMessages(mark).filter(({ path }) => path.endsWith('mimeType'));
      const chunks = listChunks(mark).filter(({ path }) => path.endsWith('mimeType'));
      expect([messages.length > 1, chunks.length > 10]).toEqual([true, true]);
      expect(await findPassed(messages, WORD, ({ message }) => judgeMessage(guard, 'input', message))).toEqual([]);
      expect(await findPassed(chunks, WORD, ({ chunk }) => judgeChunk(guard, chunk))).toEqual([]);
    },
  );
});
