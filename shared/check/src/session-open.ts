// The opening of a session, asked and read; and a batch in the open request, which has no session.
import {
  sessionOpenedSchema,
  wireErrorSchema,
  type CallEntry,
  type Chunk,
  type JsonObject,
  type SessionOpen,
  type SessionOpened,
} from '@millrace/contracts';
import { z } from 'zod';
import { ask } from './ask.ts';
import { broken } from './broken.ts';
import { callOf, holdVerdict, issue } from './judge.ts';
import { waitMs, type Target } from './target.ts';

export type SessionGiven = {
  options: JsonObject;
  state?: JsonObject;
  entries?: CallEntry[];
  same?: boolean;
  chunks?: readonly Chunk[];
  end?: boolean;
  replica?: string;
};
export type Opened = Extract<SessionOpened, { opened: true }>;

export const STREAM = 'processOutputStream';

export function sessionOpenOf(target: Target, given: SessionGiven): SessionOpen {
  const { chunks, end, same, replica: _, ...rest } = given;
  const call = callOf(target, STREAM, rest);
  return {
    ...call,
    stage: STREAM,
    session: crypto.randomUUID(),
    orchestrator: target.bus.id,
    ...(same !== undefined && { same }),
    ...(chunks && { chunks: [...chunks] }),
    ...(end !== undefined && { end }),
  };
}

/** @throws BrokenError, also for a refusal */
export async function openOf(target: Target, open: SessionOpen, replica?: string): Promise<Opened> {
  const subject = target.bus.subjects.stage(STREAM, open.entries[0]?.processor ?? '', replica);
  const { end, replies } = await ask(target.bus, subject, open, { timeoutMs: waitMs(target), isFinal: () => true });
  if (end === 'nobody') broken(`nobody is subscribed to ${subject}`);
  if (end === 'silence') broken(`the opening of a session was not answered within ${waitMs(target)} ms`, open);
  const [reply] = replies;
  if (reply?.serviceError !== undefined) broken(`the opening was answered with an exception: ${reply.serviceError}`);
  const coded = z.object({ error: wireErrorSchema }).safeParse(reply?.json);
  if (coded.success) broken(`the opening was answered with an error: ${coded.data.error.message}`, reply?.json);
  const parsed = sessionOpenedSchema.safeParse(reply?.json);
  if (!parsed.success) return broken(`the answer does not fit session-opened: ${issue(parsed.error)}`, reply?.text);
  const opened = parsed.data;
  if (!opened.opened) {
    for (const verdict of opened.verdicts) holdVerdict(target, STREAM, open.input, verdict);
    return broken('the session was refused', opened);
  }
  if (opened.service !== target.service)
    broken(`"service" is "${opened.service}", not the "${target.service}" of discovery`, opened);
  if (!target.infos.some(({ id }) => id === opened.replica))
    broken(`"replica" is "${opened.replica}", which is no id that answers discovery`, opened);
  if (opened.served > open.entries.length)
    broken(`"served" is ${opened.served} of ${open.entries.length} entries`, opened);
  return opened;
}
