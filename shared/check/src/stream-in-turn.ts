// Streams several texts through concurrent sessions in turn: a chunk of each, and the next one when all are processed.
import { buildTextChunks } from './plain-turn.ts';
import { withSession, type CheckedSession } from './play-session.ts';
import type { SessionGiven } from './session-open.ts';
import type { StreamedText } from './stream-text.ts';
import { joinText } from './stream-text.ts';
import type { CheckTarget } from './target.ts';

/** Maximum time for one chunk of every session, ms; then the next ones are sent. */
const PROCESSED_MS = 3_000;

/** @param texts the pieces of each text @returns an empty text for a stopped stream, because its output depends on the cuts */
export function streamInTurn(
  target: CheckTarget,
  given: SessionGiven,
  texts: readonly (readonly string[])[],
): Promise<StreamedText[]> {
  return withSessions(target, given, texts.length, async (sessions) => {
    const inputs = texts.map((pieces) => buildTextChunks(pieces, 'run-1'));
    const rounds = Math.max(...inputs.map(({ length }) => length));
    for (let round = 0; round < rounds; round += 1) {
      sessions.forEach((session, at) => session.send(inputs[at]?.slice(round, round + 1) ?? []));
      await Promise.all(sessions.map((session) => waitForRound(session, round)));
    }
    return Promise.all(
      sessions.map(async (session) => {
        session.send([], { end: true });
        const verdict = (await session.waitForEnd()).at(-1)?.type ?? 'continue';
        return { verdict, text: verdict === 'continue' ? joinText(session.listChunks()) : '' };
      }),
    );
  });
}

const waitForRound = (session: CheckedSession, round: number): Promise<boolean> =>
  session.waitUntil(() => session.countProcessed() > round, PROCESSED_MS);

function withSessions<T>(
  target: CheckTarget,
  given: SessionGiven,
  count: number,
  play: (sessions: readonly CheckedSession[]) => Promise<T>,
  opened: readonly CheckedSession[] = [],
): Promise<T> {
  if (opened.length === count) return play(opened);
  return withSession(target, given, (session) => withSessions(target, given, count, play, [...opened, session]));
}
