// Files of the caller's messages, against a real HTTP server as the provider of the judging model.
import { buildTextMessage, type JsonObject, type Message, type MessagePart } from '@millrace/contracts';
import type { ProviderFault } from '@millrace/models/testing';
import { catchStop, inputArgs } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { useJudgingProvider } from '../../testing/judging-provider.ts';
import { judge } from './judge.ts';

const judging = useJudgingProvider();
const encode = (text: string) => Buffer.from(text).toString('base64');
const VILE = encode('vile bytes');
const FINE = encode('fine bytes');
const makeFile = (data: string, mimeType = 'image/png'): MessagePart => ({ type: 'file', mimeType, data });
const ask = (id: string, ...files: MessagePart[]): Message => ({
  ...buildTextMessage(id, 'user', ''),
  content: { format: 2, parts: [{ type: 'text', text: 'Look.' }, ...files] },
});
const create = (options: JsonObject = {}, model = 'openai-chat/judge') => {
  const definition = judge(judging.models);
  return definition.create(
    definition.options.parse({ model, question: 'Is it vile?', files: ['image', 'document'], ...options }),
  );
};
/** Returns the files that the provider has received. */
const listSent = (): string[] =>
  judging.provider.requests.flatMap(
    ({ body }) => JSON.stringify(body).match(/data:[a-z]+\/[a-z]+;base64,[^"]+/g) ?? [],
  );
beforeEach(() => {
  judging.provider.requests.length = 0;
  judging.provider.answer(({ body }) => ({ scores: { question: JSON.stringify(body).includes(VILE) ? 0.9 : 0.1 } }));
});

describe.each(['openai/judge', 'openai-chat/judge'])('With %s, files', (model) => {
  test('are judged, each in a call of its own, and passed', async () => {
    const args = inputArgs([ask('m1', makeFile(FINE), makeFile(FINE, 'application/pdf'))]);
    await create({}, model).processInput?.(args);
    expect(args.violations).toEqual([]);
    expect(listSent().toSorted()).toEqual([`data:application/pdf;base64,${FINE}`, `data:image/png;base64,${FINE}`]);
    expect(judging.provider.requests).toHaveLength(3);
  });

  test.each(['image/png', 'application/pdf'])('of the type %s that are flagged stop the run', async (mimeType) => {
    const args = inputArgs([ask('m1', makeFile(FINE), makeFile(VILE, mimeType))]);
    expect(await catchStop(() => create({}, model).processInput?.(args))).toMatchObject({
      type: 'abort',
      metadata: { rules: ['question'] },
    });
    expect(args.violations).toMatchObject([{ rule: 'question', count: 1 }]);
  });
});

test('With the strategy filter, the message of a flagged file is dropped', async () => {
  const args = inputArgs([ask('m1', makeFile(VILE)), ask('m2', makeFile(FINE))]);
  await create({ strategy: 'filter' }).processInput?.(args);
  expect(args.messageList.get.input.db().map(({ id }) => id)).toEqual(['m2']);
});

test('A file is answered from the cache, and another type of the same bytes is not', async () => {
  await create().processInput?.(inputArgs([ask('m1', makeFile(FINE))]));
  await create().processInput?.(inputArgs([ask('m1', makeFile(FINE))]));
  await create().processInput?.(inputArgs([ask('m1', makeFile(FINE, 'image/gif'))]));
  expect(listSent()).toEqual([`data:image/png;base64,${FINE}`, `data:image/gif;base64,${FINE}`]);
});

test('The model reads the context that include names together with the file', async () => {
  await create({ include: ['request'] }).processInput?.(inputArgs([ask('m1', makeFile(FINE))]));
  const sent = judging.provider.requests.find(({ body }) => JSON.stringify(body).includes(FINE));
  expect(JSON.stringify(sent?.body)).toContain('Look.');
});

test.each<[string, MessagePart[], string]>([
  ['17 files', Array.from({ length: 17 }, (_, at) => makeFile(encode(`${at}`))), 'too-many-files-for-a-model'],
  ['more than 12 MiB', [makeFile('A'.repeat(16_777_220))], 'too-large-files-for-a-model'],
])('%s are blocked with any strategy, before a call', async (_name, files, rule) => {
  const stop = await catchStop(() => create({ strategy: 'warn' }).processInput?.(inputArgs([ask('m1', ...files)])));
  expect(stop).toMatchObject({ type: 'abort', metadata: { rules: [rule] } });
  expect(judging.provider.requests).toEqual([]);
});

test.each<[string, MessagePart, ProviderFault[]]>([
  ['A document that the protocol does not take', makeFile(FINE, 'application/msword'), []],
  ['An image that the provider refuses', makeFile(FINE), [{ status: 400, message: 'no vision' }]],
])('%s is a failure, not a pass', async (_name, file, faults) => {
  judging.provider.fail(...faults);
  const message = { ...ask('m1'), content: { format: 2 as const, parts: [file] } };
  await expect(async () => create().processInput?.(inputArgs([message]))).rejects.toMatchObject({
    code: 'model-call-failed',
  });
});

test.each<[string, JsonObject, MessagePart]>([
  ['of a kind that `files` does not name', { files: ['image'] }, makeFile(VILE, 'application/pdf')],
  ['behind a URL', {}, makeFile('https://example.com/a.png')],
])('No file %s is sent', async (_name, options, file) => {
  await create(options).processInput?.(inputArgs([ask('m1', file)]));
  expect(judging.provider.requests).toHaveLength(1);
});
