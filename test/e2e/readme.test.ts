// The README's processor is run as it stands there: what people copy must work.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, textOf } from './collect.ts';
import { script } from './script.ts';

const root = resolve(import.meta.dirname, '../..');
/** Inside a package that has what the example imports. */
const dir = join(root, 'shared/testkit/.readme');

const nats = useNats();
const stack = useStack(nats, ['orchestrator']);

beforeAll(async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'main.ts'), example);
  await stack.startProgram('no-shouting', join(dir, 'main.ts'));
  const processors = ['no-shouting'];
  await stack.client.agents.apply({ name: 'quiet', model: 'openai/gpt-5-mini', input: processors, output: processors });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('blocks what it says that it blocks', async () => {
  const result = await (await stack.client.start('quiet', 'WHY DOES NOBODY EVER LISTEN TO ME')).result();
  expect(result).toMatchObject({
    status: 'aborted',
    tripwire: { reason: 'Please do not shout.', processorId: 'no-shouting' },
  });
  expect(result.violations).toMatchObject([{ processorId: 'no-shouting', message: '27 capitals' }]);
});

test('changes what it says that it changes', async () => {
  const run = await stack.client.start('quiet', script({ text: 'HELLO There' }));
  expect(textOf(await collect(run))).toBe('hello there');
});
