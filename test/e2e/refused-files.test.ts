// `files` of an agent: each protocol of callers with each value of the option. The model's provider receives no file that the agent does not
// accept, whether a caller, a thread or a processor supplies it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@millrace/contracts';
import { useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASKED, FILES, FILE_NAMES, READABLE, createFileDoors, makeMessages, type FileName } from './file-doors.ts';
import { PNG, adding, prompting, seeing } from './file-processors.ts';
import { createUserKey, listGatewayUrls } from './gateways.ts';
import { useModelProxy } from './model-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const stack = useStack(nats, ['guardrails', 'auth', 'gateway', 'message-history'], () => ({
  GATEWAY_PORT: '0',
  SQLITE_PATH: join(folder, 'memory.db'),
}));
const { bodies } = useModelProxy(stack);

const JUDGED: ReadonlySet<string> = new Set<FileName>(['image', 'document']);

type AgentCase = {
  guarded?: boolean;
  sees?: JsonObject;
  judge?: JsonObject;
  when?: JsonObject;
  files?: string;
  accepts: (name: FileName) => boolean;
};

/** Agents by the option, and the files that they accept. `sees`: options of an entry that judges files. */
const AGENTS: Record<string, AgentCase> = {
  'guarded-default': { guarded: true, accepts: () => false },
  'guarded-refuse': { guarded: true, files: 'refuse', accepts: () => false },
  'guarded-text': { guarded: true, files: 'text', accepts: (name) => READABLE.has(name) },
  'guarded-pass': { guarded: true, files: 'pass', accepts: () => true },
  'plain-default': { guarded: false, accepts: () => true },
  'plain-refuse': { guarded: false, files: 'refuse', accepts: () => false },
  'plain-text': { guarded: false, files: 'text', accepts: (name) => READABLE.has(name) },
  'judged-images': { sees: { kinds: ['image'] }, accepts: (name) => READABLE.has(name) || name === 'image' },
  'judged-all': {
    sees: { kinds: ['image', 'document'] },
    files: 'judged',
    accepts: (name) => READABLE.has(name) || JUDGED.has(name),
  },
  'judged-model': {
    judge: { model: 'openai-chat/judge', question: 'Is it rude?', files: ['image', 'document'] },
    accepts: (name) => READABLE.has(name) || JUDGED.has(name),
  },
  'judged-skipped': {
    sees: { kinds: ['image', 'document'], fails: true },
    accepts: (name) => READABLE.has(name),
  },
  'judged-elsewhere': {
    sees: { kinds: ['image', 'document'] },
    when: { context: 'plan', equals: 'pro' },
    accepts: (name) => READABLE.has(name),
  },
};

useProcessors(nats, [seeing, adding, prompting]);

const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
const guards = [{ use: 'keyword', options: { keywords: ['forbidden'] } }];
let url = '';
let key = '';
beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  for (const [name, { guarded, sees, judge, when, files }] of Object.entries(AGENTS)) {
    const input = [
      ...(guarded ? guards : []),
      ...(judge ? [{ use: 'judge', options: judge }] : []),
      ...(sees ? [{ use: 'seeing', options: sees, onFailure: 'skip', ...(when && { when }) }] : []),
    ];
    await stack.client.agents.apply({ ...base, name, input, ...(files && { files }) });
  }
});

const DOORS = createFileDoors(stack, () => ({ url, key }));
const lastBody = () => JSON.stringify(bodies.at(-1));
const REFUSED = /accepts (?:no files|only files that its processors read)|has judged and passed this file/;
const CASES = Object.keys(DOORS).flatMap((door) =>
  Object.entries(AGENTS).map(([agent, { accepts }]) => [door, agent, accepts] as const),
);

/** Returns the text of the error, with its remedy. */
const describeError = (error: unknown) =>
  error instanceof Error ? `${error.message} ${Reflect.get(error, 'remedy')}` : '';

describe.each(CASES)('Over %s, the agent %s', (door, agent, accepts) => {
  test.each(FILE_NAMES)('accepts or refuses by name: %s', async (name) => {
    const accepted = accepts(name);
    for (const isEarlier of [false, true]) {
      bodies.length = 0;
      const outcome = await DOORS[door]?.(agent, FILES[name], isEarlier).then(() => '', describeError);
      const seen = {
        refused: REFUSED.test(outcome ?? ''),
        remedied: outcome?.includes('files: pass'),
        asked: bodies.length > 0,
        arrived: JSON.stringify(bodies).includes(FILES[name].data),
      };
      const arrived = accepted && ASKED.has(name);
      // The stream of useChat has the message of an error alone.
      const remedied = !accepted && !(door === 'useChat' && agent === 'judged-skipped' && JUDGED.has(name));
      expect(seen).toEqual({ refused: !accepted, remedied, asked: arrived, arrived });
    }
  });
});

const OMITTED =
  /\[A file of the type image\/png is omitted here: this agent accepts (?:no files|only files of text)\.\]/;

describe.each(['refuse', 'text', 'pass'] as const)('With `files: %s`', (files) => {
  const hasFile = files === 'pass';
  const seeFile = () => ({ file: lastBody().includes(PNG), omitted: OMITTED.test(lastBody()) });

  test('the path of a refusal names the part of the message', async () => {
    const outcome = await stack.client.start(`guarded-${files}`, makeMessages(FILES.image, false)).then(
      () => ({}),
      (error: unknown) => error,
    );
    const refusal = { code: 'run-refused', path: 'messages[0].content.parts[1]' };
    expect(outcome).toMatchObject(hasFile ? {} : refusal);
  });

  test('an image in the stored thread of the agent is a text that names the omission', async () => {
    const name = `thread-${files}`;
    const agent = { ...base, name, input: guards, memory: { lastMessages: 20 } };
    await stack.client.agents.apply({ ...agent, files: 'pass' });
    await stack.client.generate(name, makeMessages(FILES.image, false), { threadId: name });
    expect(lastBody()).toContain(PNG);
    await stack.client.agents.apply({ ...agent, files });
    await stack.client.generate(name, 'And now?', { threadId: name });
    expect(lastBody()).toContain('And now?');
    expect(seeFile()).toEqual({ file: hasFile, omitted: !hasFile });
  });

  test.each(['adding', 'prompting'])(
    'an image that the processor %s adds is a text that names the omission',
    async (use) => {
      const name = `${use}-${files}`;
      await stack.client.agents.apply({ ...base, name, input: [use], files });
      await stack.client.generate(name, 'Hello.');
      expect(seeFile()).toEqual({ file: hasFile, omitted: !hasFile });
    },
  );
});

test('The plan of an agent has the default that applies to it', async () => {
  const read = async (name: string) => (await stack.client.agents.get(name)).plan.files;
  expect(await read('guarded-default')).toBe('refuse');
  expect(await read('plain-default')).toBeUndefined();
  expect(await read('judged-images')).toBe('judged');
  const observing = { ...base, name: 'observing', input: [{ use: 'pii', observe: true }] };
  expect((await stack.client.agents.apply(observing)).applied.plan.files).toBeUndefined();
});
