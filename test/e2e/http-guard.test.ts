// The http-guard processor over the real stack, with a real server as the external guard.
import { GUARD_CREDENTIAL, useExternalGuard, useNats, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const guard = useExternalGuard();
const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails', 'tools'], () => ({ HTTP_GUARDS: guard.file }));
const agent = applying(stack);
const ask = (options: object = {}) => ({ use: 'http-guard', options: { endpoint: 'acme', ...options } });

describe.concurrent('http-guard over the stack', () => {
  test('the external guard stops a run at its input', async () => {
    const name = await agent('http-input', { input: [ask()] });
    const run = await stack.client.start(name, 'Some vile words');
    expect(await run.result()).toMatchObject({
      status: 'aborted',
      tripwire: { reason: 'An external guard blocked the text.', processorId: 'http-guard' },
    });
    const events = JSON.stringify(await stack.client.runs.events(run.runId));
    expect(events).toContain('"rule":"blocked"');
    expect(events).not.toContain('It is vile.');
    expect(await stack.log('guardrails')).not.toContain(GUARD_CREDENTIAL);
    expect(guard.requests[0]?.authorization).toBe(GUARD_CREDENTIAL);
  });

  test('replaced texts are the ones of the stream, the result and the stored messages', async () => {
    const name = await agent('http-output', { output: [ask()] });
    const run = await stack.client.start(name, script({ text: 'Ask Ada Lovelace.', chunkSize: 3 }));
    expect(joinText(await collect(run))).toBe('Ask A. Lovelace.');
    const result = await run.result();
    expect(result).toMatchObject({ status: 'finished', text: 'Ask A. Lovelace.' });
    expect(JSON.stringify(result.messages.slice(1))).not.toContain('Ada');
  });

  test('a denied tool call does not run, and the run continues', async () => {
    const name = await agent('http-tools', {
      tools: ['calculator'],
      input: [ask({ strategy: 'filter', on: ['toolCall'] })],
    });
    const steps = [{ toolCalls: [{ name: 'calculator', args: { expression: 'vile' } }] }, { text: 'Done.' }];
    const result = await (await stack.client.start(name, script(...steps))).result();
    expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
    expect(JSON.stringify(result.messages)).toContain('A guard denied this call.');
  });

  test('an outage of the external guard fails the run, and its policy may skip it', async () => {
    const strict = await stack.client.start(await agent('http-outage', { input: [ask()] }), 'an outage');
    expect(await strict.result()).toMatchObject({ status: 'failed', error: { code: 'http-guard-failed' } });
    const lenient = { input: [{ ...ask(), onFailure: 'skip', attempts: 1 }] };
    const skipping = await stack.client.start(await agent('http-skip', lenient), 'an outage');
    expect(await skipping.result()).toMatchObject({ status: 'finished' });
  });

  test('an endpoint that the operator does not define fails the run', async () => {
    const name = await agent('http-unknown', { input: [ask({ endpoint: 'other' })] });
    expect(await (await stack.client.start(name, 'Hello')).result()).toMatchObject({
      status: 'failed',
      error: { code: 'options-invalid' },
    });
  });

  test.each([
    ['no options', 'http-guard'],
    ['a URL', ask({ endpoint: 'https://evil.example/' })],
  ])('an entry with %s is refused when the agent is applied', async (name, entry) => {
    await expect(agent(`http-${name.replace(' ', '-')}`, { input: [entry] })).rejects.toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ code: 'options-invalid' })]),
    });
  });
});
