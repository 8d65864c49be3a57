// Streams a text with the given cuts through a session and returns its output and its verdict.
import { SESSION_LIMITS, type Chunk, type JsonObject, type Verdict } from '@millrace/contracts';
import { buildTextChunks } from './plain-turn.ts';
import { withSession } from './play-session.ts';
import type { Random } from './random.ts';
import type { SessionGiven } from './session-open.ts';
import type { CheckTarget } from './target.ts';

export type StreamedText = { verdict: Verdict['type']; text: string };

/** Returns an empty text for a stopped stream, because its output depends on the cuts. */
export async function streamText(
  target: CheckTarget,
  given: SessionGiven,
  deltas: readonly string[],
): Promise<StreamedText> {
  const { verdict, text } = await streamAll(target, given, deltas);
  return { verdict, text: verdict === 'continue' ? text : '' };
}

/** Returns the output for every verdict. `shown`: every text that may contain parts of it. */
export function streamAll(
  target: CheckTarget,
  given: SessionGiven,
  deltas: readonly string[],
  random?: Random,
): Promise<StreamedText & { state: JsonObject | undefined; shown: string[] }> {
  return withSession(target, given, async (session) => {
    const chunks = buildTextChunks(deltas, 'run-1');
    let sent = 0;
    while (chunks.length > 0) {
      const batch = chunks.splice(0, random ? 1 + random.drawBelow(MAX_BATCH) : MAX_BATCH);
      sent += batch.length;
      // A session ends if more chunks are in flight.
      await session.waitUntil(() => sent - session.countProcessed() <= SESSION_LIMITS.windowChunks, WINDOW_MS);
      session.send(batch);
    }
    session.send([], { end: true });
    const verdicts = await session.waitForEnd();
    const last = verdicts.at(-1);
    const state = last && 'state' in last ? last.state : undefined;
    const out = session.listChunks();
    return { verdict: last?.type ?? 'continue', text: joinText(out), state, shown: listShownTexts(out) };
  });
}

/** Maximum time until the replica processes a chunk; then the session reports that it did not end. */
const WINDOW_MS = 10_000;
/** Maximum number of chunks in one batch. */
const MAX_BATCH = 64;

export function joinText(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.payload.text : '')).join('');
}

/** Collects the joined deltas and every text of a chunk: a hidden string may leak in any member of any type. */
function listShownTexts(chunks: readonly Chunk[]): string[] {
  const contents = chunks.map(({ type: _type, runId: _runId, from: _from, ...chunk }) => chunk);
  const running = ['text', 'argsTextDelta'].map((member) =>
    contents.flatMap((chunk) => ('payload' in chunk ? readTextAt(chunk.payload, member) : [])).join(''),
  );
  return [joinText(chunks), ...running, ...contents.flatMap((chunk) => collectTexts(chunk))];
}

function readTextAt(payload: unknown, member: string): string[] {
  const text: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, member) : undefined;
  return typeof text === 'string' ? [text] : [];
}

/** Names of parts and calls are not text. */
function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => (/^id$|Id$/.test(name) ? [] : collectTexts(member)));
}

/** UTF-16 code units: a model's chunks may split a surrogate pair. */
export function cutAtRandom(text: string, random: Random): string[] {
  const pieces: string[] = [];
  const longest = 1 + random.drawBelow(Math.min(24, text.length) + 1);
  for (let at = 0; at < text.length;) {
    const next = at + 1 + random.drawBelow(longest);
    pieces.push(text.slice(at, next));
    at = next;
  }
  return pieces;
}
