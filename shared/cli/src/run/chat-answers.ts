// Asks the person at the terminal for the answer to a pending item of a suspended run.
import { jsonObjectSchema, type JsonObject, type JsonValue, type OpenPending } from '@millrace/contracts';
import type { Run, Client } from '@millrace/client';
import { note, type CliIo, type LineReader } from '../command/cli-io.ts';
import { formatCommandLine } from '../command/command-name.ts';
import type { ChatInterrupt } from './chat-interrupt.ts';
import { reportError } from '../command/report-error.ts';

/** One conversation on a terminal. */
export type Chat = { io: CliIo; client: Client; lines: LineReader; interrupt: ChatInterrupt; trace: boolean };

type PersonAnswer = { data: JsonValue; args?: JsonObject };

/** Returns the resumed run; undefined if the person leaves the item open. */
export async function askPerson(chat: Chat, run: Run): Promise<Run | undefined> {
  const { io, client, lines, interrupt } = chat;
  for (;;) {
    const suspended = await client.runs.listSuspended();
    const [item] = suspended.find(({ runId }) => runId === run.runId)?.pending ?? [];
    if (!item) return undefined;
    const text = await lines.ask(item.kind === 'question' ? 'answer> ' : 'approve? [y, n REASON, or JSON arguments]> ');
    if (text === undefined || text.trim() === '') {
      note(io, `[chat] the run stays suspended: ${formatCommandLine(io.env, 'runs suspended')}`);
      return undefined;
    }
    interrupt.disarm();
    const answer = readAnswer(item, text.trim());
    if (!answer) {
      note(io, '[chat] type y to approve, n and a reason to deny, or a JSON object to approve with these arguments');
      continue;
    }
    try {
      return await run.resume(item.resumeToken, answer.data, answer.args ? { args: answer.args } : {});
    } catch (error) {
      reportError(io, error);
    }
  }
}

/** Returns undefined if the text decides nothing. */
export function readAnswer({ kind }: Pick<OpenPending, 'kind'>, text: string): PersonAnswer | undefined {
  if (kind === 'question') return { data: text };
  const [, word = '', reason = ''] = /^(\w+)\s*(.*)$/s.exec(text) ?? [];
  if (/^(y|yes)$/i.test(word) && reason === '') return { data: { approved: true } };
  if (/^(n|no)$/i.test(word)) return { data: { approved: false, ...(reason !== '' && { reason }) } };
  const args = jsonObjectSchema.safeParse(parseJson(text));
  return args.success ? { data: { approved: true }, args: args.data } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
