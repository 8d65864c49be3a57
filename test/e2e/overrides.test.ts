// The lists of a caller and of an operator for one run: both replace only entries that are `replaceable`, and those of a
// caller name only processors of the agent's allow-list.
import { connect } from '@millrace/client';
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect } from './collect.ts';
import { millrace } from './run-command.ts';
import { script } from './script.ts';
import { halter, rescuer, stopper } from './verdict-processors.ts';

const stack = useSharedStack();
/** Reports its index in each of its stages. */
type Placed = { processorIndex?: number; onViolation(violation: { message: string; rule: string }): void };
const place =
  (stage: string) =>
  ({ processorIndex, onViolation }: Placed): undefined => {
    onViolation({ message: 'a place', rule: `${stage}-${processorIndex}` });
  };
/** Reports its index. */
const placed = defineMethods('placed', {
  processInput: place('processInput'),
  processInputStep: place('processInputStep'),
  processOutputStep: place('processOutputStep'),
  processOutputResult: place('processOutputResult'),
});
useProcessors(stack, [stopper, halter, rescuer, placed]);

let caller: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  caller = await connect({ url: stack.url, subject: 'ada' });
});
afterAll(() => caller.close());

const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.' };
const ask = async (agent: string, options: object, text = 'Hello.') => {
  const run = await stack.client.start(agent, script({ text }, { text: 'second' }), options);
  await collect(run);
  return run.result();
};
const stop = (at: string, more: object = {}, entry: object = {}) => ({
  use: 'stopper',
  options: { at, ...more },
  ...entry,
});

describe('overrides of a run', () => {
  test("overrides replace the agent's replaceable entries, and all others still judge", async () => {
    const kept = { use: 'keyword', options: { keywords: ['forbidden'] } };
    const own = stop('processInput', {}, { replaceable: true });
    await stack.client.agents.apply({
      ...base,
      name: 'replaced',
      input: [own, kept],
      output: [kept],
      overrides: ['stopper', 'pii'],
    });
    expect(await ask('replaced', {})).toMatchObject({ status: 'aborted', tripwire: { processorId: 'stopper' } });
    expect(await ask('replaced', { inputProcessors: [] })).toMatchObject({ status: 'finished', text: 'Hello.' });
    const all = { inputProcessors: [], outputProcessors: [] };
    expect(await ask('replaced', all, 'forbidden')).toMatchObject({
      status: 'aborted',
      tripwire: { processorId: 'keyword' },
    });
    expect(await ask('replaced', { ...all, outputProcessors: ['pii'] }, 'To ada@example.org.')).toMatchObject({
      status: 'finished',
      text: 'To ***@***.***.',
    });
  });

  test('an operator lists any running processor, with options and more retries, of an agent that opens nothing', async () => {
    const input = [
      { use: 'keyword', options: { keywords: ['forbidden'] } },
      stop('processInput', {}, { replaceable: true }),
    ];
    await stack.client.agents.apply({
      ...base,
      name: 'unopened',
      input,
      output: [{ use: 'keyword', options: { keywords: ['forbidden'] } }],
    });
    const output = ['pii', stop('processOutputStep', { retry: true, times: 2 })];
    const retried = { inputProcessors: [], outputProcessors: output, maxProcessorRetries: 2 };
    const run = await stack.client.start(
      'unopened',
      script({ text: 'a' }, { text: 'b' }, { text: 'To ada@example.org.' }),
      retried,
    );
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'To ***@***.***.' });
    expect(await ask('unopened', { inputProcessors: [] }, 'forbidden')).toMatchObject({
      tripwire: { processorId: 'keyword' },
    });
    const expectRefusal = (options: object, issue: object) =>
      expect(stack.client.start('unopened', 'hi', options)).rejects.toMatchObject({ code: 'run-refused', ...issue });
    await expectRefusal(
      { inputProcessors: ['keyword-s'] },
      { path: 'inputProcessors[0]', message: expect.stringContaining('"keyword"') },
    );
    await expectRefusal({ inputProcessors: ['message-history'] }, { path: 'inputProcessors[0]' });
    await expectRefusal({ inputProcessors: ['keyword'] }, { path: 'inputProcessors[0]' });
    await expectRefusal(
      { inputProcessors: [{ use: 'pii', options: { volume: 11 } }] },
      { path: expect.stringMatching(/^inputProcessors\[0\]\.options/) },
    );
  });

  test('an empty list of a caller keeps the guards of an agent that declares nothing about them', async () => {
    await stack.client.agents.apply({ ...base, name: 'plain', input: [stop('processInput')], overrides: ['stopper'] });
    const all = { inputProcessors: [], outputProcessors: [], errorProcessors: [] };
    expect(await ask('plain', all)).toMatchObject({ status: 'aborted', tripwire: { processorId: 'stopper' } });
    await expect(ask('plain', { inputProcessors: ['stopper'] })).rejects.toMatchObject({
      code: 'run-refused',
      path: 'inputProcessors[0]',
      remedy: expect.stringContaining('replaceable: true'),
    });
  });

  test('invalid overrides of a caller are rejected by name before the run starts', async () => {
    await stack.client.agents.apply({ ...base, name: 'closed', input: [stop('processInput')] });
    await stack.client.agents.apply({ ...base, name: 'narrow', overrides: ['pii'] });
    const expectRefusal = async (agent: string, options: object, issue: object) =>
      expect(caller.start(agent, 'hi', options)).rejects.toMatchObject({ code: 'run-refused', ...issue });
    await expectRefusal('closed', { inputProcessors: [] }, { path: 'inputProcessors' });
    await expectRefusal('closed', { maxProcessorRetries: 1 }, { path: 'maxProcessorRetries' });
    await expectRefusal(
      'narrow',
      { outputProcessors: ['stopper'] },
      { path: 'outputProcessors[0]', remedy: 'They may list: pii.' },
    );
    await expectRefusal(
      'narrow',
      { inputProcessors: [{ use: 'pii', options: { volume: 11 } }] },
      { path: expect.stringMatching(/^inputProcessors\[0\]\.options/) },
    );
  });

  test("overrides of a caller can request at most the agent's number of retries", async () => {
    await stack.client.agents.apply({ ...base, name: 'retries', maxProcessorRetries: 1, overrides: ['stopper'] });
    const twice = { outputProcessors: [stop('processOutputStep', { retry: true, times: 1 })] };
    expect(await ask('retries', twice)).toMatchObject({ status: 'finished', text: 'second' });
    expect(await ask('retries', { ...twice, maxProcessorRetries: 0 })).toMatchObject({ status: 'aborted' });
    const more = { outputProcessors: [stop('processOutputStep', { retry: true, times: 2 })], maxProcessorRetries: 9 };
    const asked = caller.start('retries', 'Hello.', more);
    await expect(asked).rejects.toMatchObject({ code: 'run-refused', path: 'maxProcessorRetries' });
  });

  test("overrides are part of the identity of a run id's request", async () => {
    await stack.client.agents.apply({ ...base, name: 'hashed', overrides: ['pii'] });
    const runId = `overridden-${crypto.randomUUID()}`;
    const asked = { runId, outputProcessors: ['pii'] };
    expect(await ask('hashed', asked)).toMatchObject({ status: 'finished' });
    expect(await ask('hashed', asked)).toMatchObject({ status: 'finished' });
    await expect(ask('hashed', { runId })).rejects.toMatchObject({ code: 'run-exists' });
  });

  test('overrides cannot publish unjudged text: the text of a halt belongs to the caller, not the agent', async () => {
    await stack.client.agents.apply({
      ...base,
      name: 'halting',
      output: ['pii'],
      overrides: ['halter'],
    });
    const text = 'To ada@example.org.';
    const options = { inputProcessors: [{ use: 'halter', options: { at: 'processInput', text } }] };
    expect(await ask('halting', options)).toMatchObject({ finishReason: 'halted', text: 'To ***@***.***.' });
  });

  test("an overriding processor's index counts the entries that stay after it", async () => {
    const list = (use: string) => ({ use, replaceable: true });
    const input = [list('pii'), { use: 'placed', as: 'own' }];
    const output = [list('pii'), list('placed')];
    await stack.client.agents.apply({ ...base, name: 'placed', input, output, overrides: ['placed', 'pii'] });
    const listPlaces = async (options: object) => {
      const run = await stack.client.start('placed', script({ text: 'Hello.' }), options);
      await collect(run);
      return (await run.result()).violations.map(({ processorId, rule }) => `${processorId} ${rule}`);
    };
    const late = ['placed processOutputStep-1', 'placed processOutputResult-1'];
    expect(await listPlaces({})).toEqual(['own processInput-1', 'own processInputStep-1', ...late]);
    const all = { inputProcessors: ['pii', 'placed'], outputProcessors: ['placed'] };
    expect((await listPlaces(all)).toSorted()).toEqual([
      'own processInput-2',
      'own processInputStep-2',
      'placed processInput-1',
      'placed processInputStep-1',
      'placed processOutputResult-0',
      'placed processOutputStep-0',
    ]);
  });

  test('`millrace run` has options for overrides and reports the path of an unknown one', async () => {
    const kept = { use: 'keyword', options: { keywords: ['forbidden'] } };
    const input = [stop('processInput', {}, { replaceable: true }), kept];
    await stack.client.agents.apply({ ...base, name: 'typed', input, overrides: ['halter'], maxProcessorRetries: 1 });
    const run = (text: string, ...options: string[]) =>
      millrace(['run', 'typed', script({ text }), ...options], { env: { NATS_URL: stack.url } });
    expect(await run('Hello.', '--input-processors', '[]')).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    const halts = JSON.stringify([{ use: 'halter', options: { at: 'processInput', text: 'Halted.' } }]);
    expect(await run('Hello.', '--input-processors', halts)).toMatchObject({ code: 0, stdout: 'Halted.\n' });
    const refused = await run('Hello.', '--output-processors', 'unknown', '--max-processor-retries', '0');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('at: outputProcessors[0]') });
  });
});
