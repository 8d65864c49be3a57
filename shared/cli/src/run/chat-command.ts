// `millrace chat`: a conversation with an agent on a terminal. It answers questions and approvals in place.
import type { Run } from '@millrace/client';
import { createTextPrinter, type AnswerPrinter } from './answer-printer.ts';
import { askPerson, type Chat } from './chat-answers.ts';
import { createChatInterrupt } from './chat-interrupt.ts';
import { defineCliCommand, withClient, type Cli } from '../command/cli-command.ts';
import { note, type LineReader } from '../command/cli-io.ts';
import { reportError } from '../command/report-error.ts';
import { startTrace, type RunTrace } from './run-trace.ts';
import { formatTrace } from '../text/trace-text.ts';

export const defineChatCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace chat',
    description:
      'Talk to an agent. Questions and approvals are answered in place. A line that ends with \\ continues. Ctrl-C cancels the run, twice leaves; so does the end of the input.',
    args: {
      agent: { type: 'positional', required: true, description: 'its name' },
      thread: { type: 'string', description: 'conversation id (default: a new one)' },
      resource: { type: 'string', description: 'owner of the thread (default: the thread itself)' },
      trace: { type: 'boolean', description: 'print the stages with their verdicts' },
    },
    run: (args) =>
      withClient(cli.io, args, async (client) => {
        const { io } = cli;
        const { agent, plan } = await client.agents.get(args.agent);
        const threadId = args.thread ?? `chat-${crypto.randomUUID()}`;
        note(io, `[chat] ${agent.name}, thread ${threadId}`);
        if (!Object.values(plan.entries).some(({ memory }) => memory))
          note(io, '[chat] the agent has no memory: each message is a conversation of its own');
        const lines = io.stdin.openLines();
        const interrupt = createChatInterrupt(io, client);
        try {
          await converse({ io, client, lines, interrupt, trace: args.trace === true }, (text, runId) =>
            client.start(agent.name, text, { threadId, resourceId: args.resource, runId }),
          );
        } finally {
          interrupt.stop();
          lines.close();
        }
      }),
  });

/** Reads lines until the input ends. An error of one message does not end the conversation. */
async function converse(chat: Chat, start: (text: string, runId: string) => Promise<Run>): Promise<void> {
  const { io, lines, interrupt } = chat;
  for (let text = await readMessage(lines); text !== undefined; text = await readMessage(lines)) {
    interrupt.disarm();
    if (text.trim() === '') continue;
    const runId = crypto.randomUUID();
    interrupt.begin(runId);
    try {
      await followToEnd(chat, await start(text, runId));
    } catch (error) {
      reportError(io, error);
    } finally {
      interrupt.end();
    }
  }
}

/** Reads a message: a line that ends with a backslash continues on the next one. */
async function readMessage(lines: LineReader): Promise<string | undefined> {
  let text = await lines.ask('you> ');
  while (text?.endsWith('\\')) {
    const next = await lines.ask('...> ');
    text = next === undefined ? undefined : `${text.slice(0, -1)}\n${next}`;
  }
  return text;
}

/** Prints the run, and resumes it with the answers of the person until it has ended. */
async function followToEnd(chat: Chat, begun: Run): Promise<void> {
  const printer = createTextPrinter(chat.io);
  const { client, trace } = chat;
  const events = trace ? startTrace(client, begun.runId, (event) => printer.printAside(formatTrace(event))) : undefined;
  let run: Run | undefined = begun;
  while (run) {
    const suspended = await printRun(run, printer, events);
    run = suspended ? await askPerson(chat, run) : undefined;
  }
}

/** Returns whether the run is suspended. */
async function printRun(run: Run, printer: AnswerPrinter, events: RunTrace | undefined): Promise<boolean> {
  for await (const positioned of run.positions) {
    printer.printChunk(positioned);
    events?.observe(positioned.chunk);
  }
  const result = await run.result();
  await events?.end();
  printer.printResult(result);
  return result.status === 'suspended';
}
