// Stream processors that break, hang or change their output, each in one way, for tests of steps that lose their
// sessions.
import type { Chunk, JsonObject } from '@millrace/contracts';
import { defineMethods, type Processor, type ProcessorDefinition } from '@millrace/testkit';
import { dataChunk, delta } from './chunks.ts';

type Method = NonNullable<Processor['processOutputStream']>;
const streaming = (id: string, method: Method) =>
  defineMethods(id, { processOutputStream: method }, { processDataParts: true });
const text = (part: Chunk) => (part.type === 'text-delta' ? part.payload.text : '');
/** Number of times that each processor received a text. */
const given = new Map<string, number>();
const countText = (id: string): number => {
  const count = (given.get(id) ?? 0) + 1;
  given.set(id, count);
  return count;
};
const isFirst = (id: string, part: Chunk, what: string) => text(part) === what && countText(id) === 1;
/** Number of texts that `upper` has received in all its sessions: a session that is opened again receives all texts again. */
export const countUppered = (): number => given.get('upper') ?? 0;
const holdText = ({ held: text }: JsonObject): string => (typeof text === 'string' ? text : '');
const passHeld = (part: Chunk, state: JsonObject) => {
  if (part.type === 'text-end') return [delta(holdText(state)), part];
  if (part.type !== 'text-delta') return part;
  state['held'] = holdText(state) + text(part);
  return null;
};
let isStuckAtData = false;
/** Whether `hangs-at-data` has reached its custom chunk. */
export const hangsAtData = (): boolean => isStuckAtData;
let stuck = Promise.withResolvers<void>();
/** Releases hanging processors and resets all of them. */
export function releaseFragile(): void {
  stuck.resolve();
  stuck = Promise.withResolvers();
  isStuckAtData = false;
  given.clear();
}

export const passing: ProcessorDefinition = streaming('other', ({ part }) => part);
export const fragile: ProcessorDefinition[] = [
  /** Text in brackets is held back until the bracket is closed, and then removed. */
  streaming('redactor', ({ part, state }) => {
    if (part.type === 'text-end') return holdText(state) === '' ? part : [delta(holdText(state)), part];
    if (part.type !== 'text-delta') return part;
    state['chunks'] = Number(state['chunks'] ?? 0) + 1;
    const whole = (holdText(state) + text(part)).replaceAll(/\[[^\]]*\]/g, '***');
    const open = whole.indexOf('[');
    state['held'] = open < 0 ? '' : whole.slice(open);
    const out = open < 0 ? whole : whole.slice(0, open);
    return out === '' ? null : delta(out);
  }),
  streaming('upper', ({ part }) => {
    if (part.type !== 'text-delta') return part;
    countText('upper');
    return delta(text(part).toUpperCase());
  }),
  /** Changes its output for a repeated text. */
  streaming('fickle', ({ part }) => (text(part) === 'c' && !isFirst('fickle', part, 'c') ? delta('C') : part)),
  streaming('counter', ({ part, state }) => {
    state['count'] = Number(state['count'] ?? 0) + 1;
    return [part, dataChunk('count', performance.now())];
  }),
  streaming('breaks-once', ({ part }) => {
    if (isFirst('breaks-once', part, 'bad')) throw new Error('broken');
    return part;
  }),
  streaming('breaks', ({ part }) => {
    if (text(part) === 'bad') throw new Error('broken');
    return part;
  }),
  streaming('hangs-once', async ({ part }) => {
    if (isFirst('hangs-once', part, 'bad')) await stuck.promise;
    return part;
  }),
  streaming('hangs-at-data', async ({ part }) => {
    if (!part.type.startsWith('data-')) return part;
    isStuckAtData = true;
    await stuck.promise;
    return part;
  }),
  streaming('aborts-at-data', ({ part, abort }) => (part.type.startsWith('data-') ? abort('no data') : part)),
  streaming('stricter', ({ part, abort }) =>
    text(part) === 'c' && !isFirst('stricter', part, 'c') ? abort('no c') : part,
  ),
  /** Breaks at a word, whatever its source is. */
  streaming('upper-breaks', ({ part }) => {
    if (text(part) === 'bad') throw new Error('broken');
    return part.type === 'text-delta' ? delta(text(part).toUpperCase()) : part;
  }),
  streaming('holder-breaks', ({ part, state }) => {
    if (text(part) === 'bad') throw new Error('broken');
    return passHeld(part, state);
  }),
];
