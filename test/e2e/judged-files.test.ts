// `files: judged` of an agent: a file reaches the model only if an entry of the run has judged and passed its bytes, whether a caller, a
// thread or a processor supplies it, and whatever labels it has.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTextMessage, type JsonObject, type JsonValue, type Message } from '@millrace/contracts';
import { eventually, useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  BAD_PNG,
  PNG,
  adding,
  asking,
  makeFile,
  prompting,
  seeing,
  seen,
  withParts,
  type File,
} from './file-processors.ts';
import { useModelProxy } from './model-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-judged-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const stack = useStack(nats, ['message-history'], () => ({ SQLITE_PATH: join(folder, 'memory.db') }));
const { bodies } = useModelProxy(stack);
useProcessors(nats, [seeing, adding, prompting, asking]);
beforeEach(() => {
  bodies.length = 0;
  seen.length = 0;
});

const see = (options: JsonObject = {}, more: JsonObject = {}) => ({
  use: 'seeing',
  options: { kinds: ['image'], ...options },
  ...more,
});
let count = 0;
const apply = async (input: JsonValue[], more: JsonObject = {}): Promise<string> => {
  const name = `judged-${(count += 1)}`;
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', flushMs: 0, input, ...more });
  return name;
};
const image = makeFile('image/png', PNG);
const bad = makeFile('image/png', BAD_PNG);
const ask = (id: string, ...files: File[]): Message[] => [
  withParts(id, 'user', [{ type: 'text', text: `Look at ${id}.` }, ...files]),
];
const generate = async (agent: string, messages: Message[] | string, threadId?: string) =>
  stack.client.generate(agent, messages, { ...(threadId !== undefined && { threadId }) });
/** The images of the last request to the provider, and whether it names an omitted file. */
const readLast = () => {
  const body = JSON.stringify(bodies.at(-1) ?? null);
  const images = [image, bad].map(({ data }) => data).filter((data) => body.includes(`base64,${data}"`));
  return { images, omitted: body.includes('no processor of this run has judged and passed it') };
};

const findToken = async (id: string): Promise<string> => {
  const [pending] = (await stack.client.runs.listSuspended()).find(({ runId }) => runId === id)?.pending ?? [];
  return pending?.resumeToken ?? '';
};

describe('a submitted file', () => {
  test('reaches the model after an entry that judges its kind has passed it', async () => {
    const agent = await apply([see()]);
    expect(await generate(agent, ask('m1', image))).toMatchObject({ status: 'finished' });
    expect(seen).toEqual([[PNG]]);
    expect(readLast()).toEqual({ images: [PNG], omitted: false });
  });

  test.each<[string, JsonValue[]]>([
    ['fails and is skipped', [see({ fails: true }, { onFailure: 'skip' })]],
    [
      'fails and is skipped, after one of another kind',
      [see({ kinds: ['document'] }, { as: 'papers' }), see({ fails: true }, { onFailure: 'skip' })],
    ],
  ])('is refused with its path if the entry %s', async (_case, input) => {
    const { status, error } = await generate(await apply(input), ask('m1', image));
    expect({ status, error }).toMatchObject({
      status: 'failed',
      error: { code: 'run-refused', path: 'messages[0].content.parts[1]' },
    });
    expect(bodies).toEqual([]);
  });

  test('is refused if the entry has asked about it and fails after the answer', async () => {
    const agent = await apply([see({ asks: true, fails: true }, { onFailure: 'skip' })]);
    const run = await stack.client.start(agent, ask('m1', image));
    expect(await run.result()).toMatchObject({ status: 'suspended' });
    const answered = await run.resume(await findToken(run.runId), true);
    expect(await answered.result()).toMatchObject({ status: 'failed', error: { code: 'run-refused' } });
    expect(bodies).toEqual([]);
  });

  test('whose label claims a verdict is refused all the same', async () => {
    const agent = await apply([see({ fails: true }, { onFailure: 'skip' })]);
    const label = { origin: 'processor:seeing', trust: 'trusted', judged: ['seeing'] };
    const messages = ask('m1', { ...image, label, passedFiles: [PNG] });
    expect(await generate(agent, messages)).toMatchObject({ status: 'failed', error: { code: 'run-refused' } });
  });

  test('that one entry passes and a later one removes does not reach the model with a thread', async () => {
    const agent = await apply([see({}, { as: 'lenient' }), see({ drops: BAD_PNG })], { memory: { lastMessages: 20 } });
    const lenient = await apply([see()], { memory: { lastMessages: 20 } });
    await generate(lenient, ask('m1', bad), agent);
    await generate(agent, [...ask('m2', bad), buildTextMessage('m3', 'user', 'Hello.')], agent);
    expect(readLast()).toEqual({ images: [], omitted: true });
  });

  test('reaches the model as the entry that judges it has changed it', async () => {
    expect(await generate(await apply([see({ blurs: true })]), ask('m1', bad))).toMatchObject({ status: 'finished' });
    expect(readLast()).toEqual({ images: [PNG], omitted: false });
    expect(seen).toEqual([[BAD_PNG]]);
  });

  test('reaches the model if a group of the input has passed it', async () => {
    await generate(await apply([{ parallel: [see()] }]), ask('m1', image));
    expect(readLast()).toEqual({ images: [PNG], omitted: false });
  });

  test.each<[string, JsonValue]>([
    ['a later entry of the input', see({ asks: true, kinds: [] }, { as: 'asker' })],
    ['an entry of the step', 'asking'],
  ])('passes a run that %s suspends', async (_case, asker) => {
    const agent = await apply([see(), asker]);
    const run = await stack.client.start(agent, ask('m1', image));
    expect(await run.result()).toMatchObject({ status: 'suspended' });
    expect(bodies).toEqual([]);
    await run.resume(await findToken(run.runId), true);
    await eventually(() => bodies.length > 0);
    expect(readLast()).toEqual({ images: [PNG], omitted: false });
    expect(seen[0]).toEqual([PNG]);
  });
});

describe('a file of a thread', () => {
  const memory = { lastMessages: 20 };

  test('is judged again in each run, without its text', async () => {
    const agent = await apply([see()], { memory });
    await generate(agent, ask('m1', image), agent);
    await generate(agent, 'And now?', agent);
    expect(readLast()).toEqual({ images: [PNG], omitted: false });
    expect(seen).toEqual([[PNG], [], [PNG]]);
  });

  test('that the current options reject is a text, and the other files of the thread remain', async () => {
    const name = await apply([see()], { memory });
    await generate(name, ask('m1', image, bad), name);
    expect(readLast().images).toEqual([PNG, BAD_PNG]);
    const strict = await apply([see({ rejects: BAD_PNG })], { memory });
    expect(await generate(strict, 'And now?', name)).toMatchObject({ status: 'finished' });
    expect(readLast()).toEqual({ images: [PNG], omitted: true });
  });

  test.each<[string, JsonValue]>([
    ['fails and is skipped', see({ fails: true }, { onFailure: 'skip' })],
    ['fails', see({ fails: true })],
    ['removes it', see({ drops: PNG })],
    ['judges another kind', see({ kinds: ['document'] })],
  ])('is a text if the entry %s', async (_case, entry) => {
    const name = await apply([see()], { memory });
    await generate(name, ask('m1', image), name);
    const other = await apply([entry], { memory });
    expect(await generate(other, 'And now?', name)).toMatchObject({ status: 'finished' });
    expect(readLast()).toEqual({ images: [], omitted: true });
  });
});

describe('a file that a processor adds', () => {
  test.each<[string, JsonValue[], boolean]>([
    ['before the judge', ['adding', see()], true],
    ['after the judge, with labels of its own', [see(), 'adding'], true],
    ['after a judge that rejects it', [see({ rejects: PNG }), 'adding'], false],
    ['to the prompt', [see(), 'prompting'], false],
  ])('%s is judged or replaced by a text', async (_case, input, isPassed) => {
    await generate(await apply(input), 'Hello.');
    expect(readLast()).toEqual({ images: isPassed ? [PNG] : [], omitted: !isPassed });
  });
});

describe('an agent with `files: judged`', () => {
  test.each<[string, JsonValue[]]>([
    ['no entry', []],
    ['an entry without kinds', [see({ kinds: [] })]],
    ['an observer', [see({}, { observe: true })]],
    ['a group that overlaps the model', [{ parallel: [see()], overlap: 'model' }]],
  ])('is refused with %s', async (_case, input) => {
    await expect(apply(input, { files: 'judged' })).rejects.toMatchObject({
      issues: [expect.objectContaining({ code: 'agent-invalid', path: 'files' })],
    });
  });

  test('accepts no list of a caller in place of its judge', async () => {
    const agent = await apply([see({}, { replaceable: true })], { overrides: ['seeing'] });
    const inputProcessors = [{ use: 'seeing', options: { kinds: ['image'] } }];
    const started = stack.client.start(agent, ask('m1', image), { inputProcessors });
    await expect(started).rejects.toMatchObject({ code: 'run-refused', path: 'messages[0].content.parts[1]' });
  });
});
