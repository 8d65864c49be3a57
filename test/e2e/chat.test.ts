// `millrace chat` as a process: it streams, traces, answers in place, and handles Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { eventually, useSharedStack, defineTool, useProcessors } from '@millrace/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { applying } from './apply-agent.ts';
import { root } from './run-command.ts';
import { script } from './script.ts';
import { stopper } from './verdict-processors.ts';

const stack = useSharedStack();
const agent = applying(stack);
const sent: unknown[] = [];
beforeEach(() => void sent.splice(0));
const tools = [
  defineTool({
    name: 'chat-send',
    description: 'Sends.',
    effect: 'send',
    inputSchema: z.strictObject({ text: z.string() }),
    execute: (args) => ({ sent: sent.push(args) }),
  }),
  defineTool({
    name: 'chat-ask',
    description: 'Asks the user.',
    effect: 'read',
    inputSchema: z.strictObject({}),
    execute: (_args, { suspend, resumeData }) =>
      resumeData === undefined ? suspend({ question: 'Which city?' }) : { city: resumeData },
  }),
];
useProcessors(stack, [stopper], 'chat-tools', tools);

/** Starts the command with an open stdin. */
function startChat(...args: string[]) {
  const child = spawn(process.execPath, [resolve(root, 'shared/cli/src/main.ts'), 'chat', ...args], {
    env: { PATH: process.env['PATH'], NATS_URL: stack.url },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close');
  return {
    /** A message of several lines is typed with backslashes. */
    type: (text: string) => void child.stdin.write(`${text.replaceAll('\n', '\\\n')}\n`),
    end: () => void child.stdin.end(),
    interrupt: () => void child.kill('SIGINT'),
    see: (text: string, times = 1) =>
      eventually(() => output.split(text).length > times, { timeoutMs: 15_000 }).catch(() => {
        throw new Error(`"${text}" is not in: ${output}`);
      }),
    output: () => output,
    hasExited: () => child.exitCode !== null,
    exit: async () => (await ended)[0],
  };
}

describe('millrace chat', () => {
  test('Each line is a message of one thread, and the trace prints the verdicts of the stages', async () => {
    const name = await agent('chat-traced', { input: ['pii'] });
    const chat = startChat(name, '--trace');
    chat.type(script({ text: 'First answer.' }));
    await chat.see('First answer.');
    await chat.see('[processInput] pii continue');
    await chat.see('you> ', 2);
    chat.type(`My card is 4111 1111 1111 1111. ${script({ text: 'Second answer.' })}`);
    await chat.see('Second answer.');
    await chat.see('card × 1');
    await chat.see('you> ', 3);
    chat.end();
    expect(await chat.exit()).toBe(0);
  });

  test('Text that is blocked after it was streamed is reported as withdrawn', async () => {
    const rejecting = { use: 'stopper', options: { at: 'processOutputResult' } };
    const chat = startChat(await agent('chat-blocked', { output: [rejecting] }));
    chat.type(script({ text: 'The answer is here.' }));
    await chat.see('[withdrawn]');
    await chat.see('aborted (blocked by stopper)');
    chat.end();
    expect(await chat.exit()).toBe(0);
  });

  test('A question and an approval are answered in place', async () => {
    const options = { input: ['approval-gate'], tools: ['chat-ask', 'chat-send'], questions: ['chat-ask'] };
    const gate = { use: 'approval-gate', options: { tools: ['chat-send'] } };
    const chat = startChat(await agent('chat-asking', { ...options, input: [gate], maxSteps: 5 }), '--trace');
    const call = (tool: string, args: object) => ({ toolCalls: [{ name: tool, args }] });
    chat.type(script(call('chat-ask', {}), call('chat-send', { text: 'draft' }), { text: 'All done.' }));
    await chat.see('answer> ');
    chat.type('Oslo');
    await chat.see('approve? ');
    chat.type('perhaps');
    await chat.see('type y to approve');
    chat.type('{"text": "final"}');
    // The approval of the gate does not cover the untrusted content before the call.
    await chat.see('[approval] untrusted-content');
    chat.type('y');
    await chat.see('All done.');
    expect(sent).toEqual([{ text: 'final' }]);
    await chat.see('[run] finished');
    // A resumed run does not repeat its trace.
    expect(chat.output().split('[edited-call]').length).toBe(2);
    chat.end();
    expect(await chat.exit()).toBe(0);
  });

  test('Ctrl-C cancels the run and the conversation continues; a second one leaves', async () => {
    const chat = startChat(await agent('chat-slow', {}));
    chat.type(script({ text: 'word '.repeat(400), chunkSize: 5, delayMs: 50 }));
    await chat.see('word word');
    chat.interrupt();
    await chat.see('cancelled');
    await chat.see('you> ', 2);
    chat.type(script({ text: 'Still here.' }));
    await chat.see('Still here.');
    await chat.see('you> ', 3);
    chat.interrupt();
    await chat.see('press Ctrl-C again to leave', 2);
    // Two signals at once count as one.
    await eventually(() => (chat.interrupt(), chat.hasExited()), { timeoutMs: 5_000 });
    expect(await chat.exit()).toBe(130);
  });

  test('An unknown agent ends the command with the names of the others', async () => {
    const chat = startChat('chat-none');
    expect(await chat.exit()).toBe(5);
    expect(chat.output()).toContain('agent-unknown');
  });
});
