// Opens a session, or sends a batch in the open request, which has no session.
import {
  makeCallHeaders,
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
import { fail, failLate } from './rule-error.ts';
import { buildCall, holdVerdict, issue } from './judge.ts';
import { waitMs, type CheckTarget, buildStageSubject } from './target.ts';

export type SessionGiven = {
  options: JsonObject;
  state?: JsonObject;
  entries?: CallEntry[];
  same?: boolean;
  chunks?: readonly Chunk[];
  end?: boolean;
  replica?: string;
};
export type SentOpen = Extract<SessionOpened, { opened: true }>;

export const STREAM = 'processOutputStream';

export function buildSessionOpen(target: CheckTarget, given: SessionGiven): SessionOpen {
  const { chunks, end, same, replica: _, ...rest } = given;
  const call = buildCall(target, STREAM, rest);
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

/** @throws BrokenError, also for a rejection */
export async function sendOpen(target: CheckTarget, open: SessionOpen, replica?: string): Promise<SentOpen> {
  const subject = buildStageSubject(target, STREAM, open.entries[0]?.processor ?? '', replica);
  const { end, replies } = await ask(target.bus, subject, open, {
    headers: makeCallHeaders(open.entries),
    timeoutMs: waitMs(target),
    isFinal: () => true,
  });
  if (end === 'nobody') fail(`${subject} has no subscriber`);
  if (end === 'silence')
    failLate(`the opening of a session was not answered within ${waitMs(target)} ms`, waitMs(target), open);
  const [reply] = replies;
  if (reply?.serviceError !== undefined) fail(`the opening was answered with an exception: ${reply.serviceError}`);
  const coded = z.object({ error: wireErrorSchema }).safeParse(reply?.json);
  if (coded.success) fail(`the opening was answered with an error: ${coded.data.error.message}`, reply?.json);
  const parsed = sessionOpenedSchema.safeParse(reply?.json);
  if (!parsed.success) return fail(`the answer does not fit session-opened: ${issue(parsed.error)}`, reply?.text);
  const opened = parsed.data;
  if (!opened.opened) {
    for (const verdict of opened.verdicts) holdVerdict(target, STREAM, open.input, verdict);
    return fail('the session was refused', opened);
  }
  if (opened.service !== target.service)
    fail(`"service" is "${opened.service}", not the "${target.service}" of discovery`, opened);
  if (!target.infos.some(({ id }) => id === opened.replica))
    fail(`"replica" is "${opened.replica}", which is no id that answers discovery`, opened);
  if (opened.served > open.entries.length)
    fail(`"served" is ${opened.served} of ${open.entries.length} entries`, opened);
  return opened;
}
