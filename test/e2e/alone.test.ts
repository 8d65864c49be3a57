// The verbs processors-try and tools-call over real services, and the command `millrace call` as a process.
import { buildTextMessage } from '@millrace/contracts';
import { defineProcessor, defineTool, useProcessors, useSharedStack } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { millrace } from './run-command.ts';
import { breaker, stopper } from './verdict-processors.ts';

const stack = useSharedStack();
const called: string[] = [];
beforeEach(() => void called.splice(0));
const textArgs = z.strictObject({ text: z.string().max(20) });
const tools = [
  defineTool({
    name: 'alone-read',
    description: 'Returns the text.',
    effect: 'read',
    inputSchema: textArgs,
    execute: ({ text }) => ({ text, length: called.push(text) }),
  }),
  defineTool({
    name: 'alone-send',
    description: 'Sends the text.',
    effect: 'send',
    inputSchema: textArgs,
    execute: ({ text }) => ({ sent: called.push(text) }),
  }),
  defineTool({
    name: 'alone-unknown-effect',
    description: 'Declares no effect.',
    inputSchema: textArgs,
    execute: ({ text }) => ({ sent: called.push(text) }),
  }),
];
const memory = defineProcessor({
  id: 'alone-memory',
  description: 'a memory',
  stages: ['processInput'],
  reads: [],
  memoryKey: 'lastMessages',
  options: z.strictObject({ lastMessages: z.number() }),
  create: () => ({ id: 'alone-memory', processInput: () => undefined }),
});
useProcessors(stack, [stopper, breaker, memory], 'alone-service', tools);

const CARD = 'My card is 4111 1111 1111 1111.';
const attempt = (request: Parameters<typeof stack.client.processors.try>[0]) => stack.client.processors.try(request);
const cli = (...args: string[]) => millrace(args, { env: { NATS_URL: stack.url } });

describe('processors-try', () => {
  test('A processor masks a text at its first stage, and the answer has the verdict with its replica', async () => {
    expect(await attempt({ processor: 'pii', text: CARD })).toMatchObject({
      stage: 'processInput',
      action: 'changed',
      texts: ['My card is [REDACTED].'],
      violations: [{ processorId: 'pii', rule: 'card', count: 1 }],
      outcomes: [{ processor: 'pii', verdict: 'continue', attempts: 1, replica: expect.any(String) }],
    });
  });

  test.each(['processOutputStream', 'processOutputResult'] as const)(
    'A processor masks a text at %s',
    async (stage) => {
      const answer = await attempt({ processor: 'pii', stage, text: CARD });
      expect(answer).toMatchObject({ stage, action: 'changed', texts: ['My card is [REDACTED].'] });
    },
  );

  test('Options apply, and messages are judged together', async () => {
    const options = { rules: [{ pattern: 'Falcon' }], strategy: 'block' };
    const messages = ['Hello.', 'Falcon flies.'].map((text, at) => buildTextMessage(`m${at}`, 'user', text));
    const answer = await attempt({ processor: 'regex-filter', stage: 'processInput', options, messages });
    expect(answer).toMatchObject({ action: 'block', texts: [], processor: 'regex-filter' });
    expect(await attempt({ processor: 'regex-filter', options, text: 'Hello.' })).toMatchObject({ action: 'pass' });
  });

  test('A processor that throws blocks with the code of its failure', async () => {
    const answer = await attempt({ processor: breaker.id, options: { at: 'processInput' }, text: 'Hello.' });
    expect(answer).toMatchObject({ action: 'block', code: 'processor-failed' });
  });

  test.each([
    ['an unknown processor', { processor: 'none', text: 'x' }, 'processor-unknown'],
    ['a memory', { processor: 'alone-memory', options: { lastMessages: 1 }, text: 'x' }, 'run-refused'],
    [
      'a stage that it does not have',
      { processor: 'prompt-injection', stage: 'processOutputResult', text: 'x' },
      'entry-without-stage',
    ],
    ['an unknown option', { processor: 'pii', options: { nothing: 1 }, text: 'x' }, 'options-invalid'],
    ['neither a text nor messages', { processor: 'pii' }, 'run-refused'],
  ] as const)('The verb refuses %s', async (_name, request, code) => {
    await expect(attempt(request)).rejects.toMatchObject({ code });
  });

  test('The path of an invalid option begins at the options', async () => {
    const refused = attempt({ processor: 'pii', options: { nothing: 1 }, text: 'x' });
    await expect(refused).rejects.toMatchObject({ issues: [{ path: expect.stringMatching(/^options/) }] });
  });

  test('No run, event or thread is stored', async () => {
    const { runs: before } = await stack.client.runs.list({ newest: true, limit: 5 });
    await attempt({ processor: 'pii', text: CARD });
    expect((await stack.client.runs.list({ newest: true, limit: 5 })).runs).toEqual(before);
  });
});

describe('tools-call', () => {
  test('A tool that reads is called with checked arguments', async () => {
    const answer = await stack.client.callTool({ tool: 'alone-read', args: { text: 'hi' } });
    expect(answer).toMatchObject({ result: { text: 'hi', length: 1 }, isError: false });
    const wrong = await stack.client.callTool({ tool: 'alone-read', args: { text: 'x'.repeat(30) } });
    expect(wrong).toMatchObject({ isError: true, result: { error: { code: 'tool-arguments-invalid' } } });
    expect(called).toEqual(['hi']);
  });

  test.each(['alone-send', 'alone-unknown-effect'])(
    'The tool %s is not called without a confirmation',
    async (tool) => {
      const args = { text: 'hi' };
      await expect(stack.client.callTool({ tool, args })).rejects.toMatchObject({ code: 'tool-unconfirmed' });
      expect(called).toEqual([]);
      expect(await stack.client.callTool({ tool, args, confirmed: true })).toMatchObject({ result: { sent: 1 } });
    },
  );

  test('An unknown tool is refused with the names of the others', async () => {
    const refused = stack.client.callTool({ tool: 'alone-none' });
    await expect(refused).rejects.toMatchObject({
      code: 'tool-unknown',
      remedy: expect.stringContaining('alone-read'),
    });
  });
});

describe('millrace call', () => {
  test('The command prints the verdict of a processor, and exits with 2 if it blocks', async () => {
    const masked = await cli('call', 'processor', 'pii', CARD);
    expect(masked).toMatchObject({ code: 0, stdout: expect.stringContaining('text: My card is [REDACTED].') });
    const options = JSON.stringify({ rules: [{ pattern: 'Falcon' }], strategy: 'block' });
    const blocked = await cli('call', 'processor', 'regex-filter', 'Falcon', '--options', options);
    expect(blocked).toMatchObject({ code: 2, stdout: expect.stringContaining('verdict: block at processInput') });
    const misspelled = await cli('call', 'processor', 'pii', 'x', '--options', '{"nothing": 1}');
    expect(misspelled).toMatchObject({ code: 5, stderr: expect.stringContaining('options-invalid') });
  });

  test('The command calls a tool, and one that sends only with --yes', async () => {
    const read = await cli('call', 'tool', 'alone-read', '{"text": "hi"}');
    expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('"text": "hi"') });
    const refused = await cli('call', 'tool', 'alone-send', '{"text": "hi"}');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('--yes') });
    expect(await cli('call', 'tool', 'alone-send', '{"text": "hi"}', '--yes')).toMatchObject({ code: 0 });
    expect(await cli('call', 'tool', 'alone-read', 'no json')).toMatchObject({ code: 1 });
    expect(called).toEqual(['hi', 'hi']);
  });
});
