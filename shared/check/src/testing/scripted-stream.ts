// Implements one stream session of the scripted processor: masks a word that may be split over chunks.
import { SESSION_LIMITS } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import type { Json, Quirks, Session } from './wire-violations.ts';

const HEARTBEAT_MS = SESSION_LIMITS.heartbeatMs / 2;

export function openStream(bus: Bus, open: Json, entries: readonly Json[], quirks: Quirks, ended: () => void): Session {
  const subject = `${bus.subjects.prefix}.out.${String(open['orchestrator'])}.${String(open['session'])}`;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const { maskChunk, readHeld } = createMask(entries[0] ?? {}, quirks);
  let [sequence, next, processed, lastIn] = [0, 0, 0, performance.now()];
  let [isOver, heard] = [false, ''];
  let timer: NodeJS.Timeout | undefined;

  const passChunks = (chunks: readonly Json[]): readonly Json[] => {
    const right = chunks.flatMap(maskChunk);
    return quirks.chunks?.(right, session) ?? right;
  };
  const send = (more: Json) => {
    if (isOver) return;
    const right = { session: open['session'], sequence, processed, chunks: [], ...more };
    for (const message of quirks.batch?.(right, session) ?? [right]) {
      sequence += 1;
      bus.nc.publish(subject, JSON.stringify(message));
    }
  };
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    ended();
    resolve();
  };
  const giveVerdicts = (state: Json = {}) => ({
    verdicts: entries.map(() => ({ type: 'continue', state })),
    ms: entries.map(() => 0.1),
  });
  const takeChunks = (chunks: readonly Json[], isEnd: boolean) => {
    heard += chunks.map(({ payload }) => String(Reflect.get(Object(payload), 'text') ?? '')).join('');
    const out = passChunks(chunks);
    const from = processed;
    processed += chunks.length;
    const same = quirks.namesAlways && chunks.length > 0 ? { same: { from, count: chunks.length }, chunks: [] } : {};
    if (isEnd) send({ chunks: out, ...same, ...giveVerdicts() });
    else if (chunks.length > 0 && !quirks.tellsWithHeartbeatOnly) send({ chunks: out, ...same });
    if (isEnd) end();
  };
  const session: Session = {
    open,
    over,
    take(batch) {
      if (batch['drop'] === true && !quirks.ignoresDrop) return end();
      lastIn = performance.now();
      if (batch['sequence'] !== next && !quirks.ignoresGaps) {
        send({ verdicts: [{ type: 'failure', code: 'session-lost', message: 'a gap', retryable: true }], ms: [0] });
        return end();
      }
      next += 1;
      if (batch['tell'] !== true || quirks.ignoresTell)
        return takeChunks(Array.isArray(batch['chunks']) ? batch['chunks'] : [], batch['end'] === true);
      send(giveVerdicts(quirks.tellsWords ? { kept: heard } : quirks.keepsBuffer ? { kept: readHeld() } : {}));
      end();
    },
    batch: () => ({ chunks: passChunks(Array.isArray(open['chunks']) ? open['chunks'] : []), ...giveVerdicts() }),
    start() {
      timer = setInterval(() => {
        if (performance.now() - lastIn > SESSION_LIMITS.silenceMs && !quirks.ignoresSilence) end();
        else if (!quirks.withoutHeartbeat) send({});
      }, HEARTBEAT_MS).unref();
    },
    end,
  };
  return session;
}

/** The buffer of a replica that does not separate its sessions. */
const sharedBuffer = new Map<unknown, string>();

/** Returns a function that masks the word of the entry's options in the text of a chunk, and one that reads its buffer. */
function createMask({ options, state }: Json, quirks: Quirks) {
  const word = String(Reflect.get(Object(options), 'word') || 'secret');
  const held = quirks.sharesBuffer ? sharedBuffer : new Map<unknown, string>();
  let kept = String(Reflect.get(Object(state), 'kept') || '');
  const maskChunk = (chunk: Json): Json[] => {
    const payload = Object(chunk['payload']);
    const id: unknown = Reflect.get(payload, 'id');
    if (chunk['type'] === 'text-end') {
      const rest = held.get(id) ?? '';
      held.delete(id);
      return rest === '' ? [chunk] : [delta(chunk, id, rest), chunk];
    }
    if (chunk['type'] !== 'text-delta') return [chunk];
    const text = ((held.get(id) ?? '') + kept + String(Reflect.get(payload, 'text'))).replaceAll(word, '***');
    kept = '';
    const keep = quirks.withoutHolding
      ? 0
      : quirks.keepsBuffer || quirks.sharesBuffer
        ? lastWord(text)
        : beginning(text, word);
    held.set(id, text.slice(text.length - keep));
    return keep === text.length ? [] : [delta(chunk, id, text.slice(0, text.length - keep))];
  };
  return { maskChunk, readHeld: () => [...held.values()].join('') };
}

/** Returns the length of the text's last word. */
const lastWord = (text: string): number => text.length - (text.lastIndexOf(' ') + 1);

const delta = ({ runId, from }: Json, id: unknown, text: string): Json => ({
  type: 'text-delta',
  runId,
  from,
  payload: { id, text },
});

/** Returns the length of the text's end that may start the word. */
function beginning(text: string, word: string): number {
  let length = Math.min(word.length - 1, text.length);
  while (!word.startsWith(text.slice(text.length - length))) length -= 1;
  return length;
}
