// Reads the text of a plain delta without parsing its JSON. Adjacent deltas of a stream differ in their text, their number and their padding
// only: a parsed delta gives the literal JSON between these values, and a later event of the same JSON holds its text at the same place. Pure.
import { MAX_EVENT_CHARS, type PlainDelta, type ReadDelta } from './plain-delta.ts';

export type DeltaShape = {
  /** Returns the text of an event that has the JSON of this shape. undefined: the event must be parsed. */
  readText(data: string): string | undefined;
};

/** A member's value that differs between deltas. No string of JSON can hold the quote before a name, so that each match is a member. */
const MEMBERS = /"(content|delta|text|thinking|obfuscation)":"[^"]*"|"(sequence_number)":\d+/g;
const TEXT_MEMBERS: ReadonlySet<string | undefined> = new Set(['content', 'delta', 'text', 'thinking']);

/** Parsed deltas of one stream that a shape may be learned from. A stream of events with different JSON costs no more attempts. */
const MAX_LEARNED = 16;

/** Returns a reader for one stream. It parses a delta, then reads those of the same JSON by its shape. */
export function rememberShape(read: ReadDelta): ReadDelta {
  let known: { key: string; shape: DeltaShape } | undefined;
  let learned = 0;
  const learn = (data: string, delta: PlainDelta) => {
    learned += 1;
    const shape = learnShape(data, delta, read);
    if (shape) known = { key: delta.key, shape };
  };
  return (data) => {
    const text = data.length > MAX_EVENT_CHARS ? undefined : known?.shape.readText(data);
    if (known && text) return { key: known.key, text, withText: (other) => read(data)?.withText(other) ?? data };
    const delta = read(data);
    if (delta && delta.key !== known?.key && learned < MAX_LEARNED) learn(data, delta);
    return delta;
  };
}

type Hole = {
  /** The JSON from the hole before up to this one. */
  before: string;
  kind: 'text' | 'padding' | 'number';
  /** Another value than that of the event: a member of equal value outside of the holes must not pass as this one. */
  probe: string;
};

/** @param delta the parsed event. @returns undefined if an event with other values at the same places is not read as the same delta with another text */
export function learnShape(data: string, { key, text }: PlainDelta, read: ReadDelta): DeltaShape | undefined {
  const holes: Hole[] = [];
  let from = 0;
  for (const match of data.matchAll(MEMBERS)) {
    const [whole, named, numbered] = match;
    const kind = numbered !== undefined ? 'number' : TEXT_MEMBERS.has(named) ? 'text' : 'padding';
    const valueAt = match.index + whole.indexOf(':') + (kind === 'number' ? 1 : 2);
    const end = match.index + whole.length - (kind === 'number' ? 0 : 1);
    const value = data.slice(valueAt, end);
    const probe = kind !== 'number' ? `${value}x` : value === '7' ? '8' : '7';
    holes.push({ before: data.slice(from, valueAt), kind, probe });
    from = end;
  }
  if (holes.filter(({ kind }) => kind === 'text').length !== 1) return undefined;
  const after = data.slice(from);
  const readText = (other: string) => readHoles(other, holes, after);
  const probed = read(holes.map(({ before, probe }) => before + probe).join('') + after);
  const isSame = readText(data) === text && probed?.key === key && probed.text === `${text}x`;
  return isSame ? { readText } : undefined;
}

function readHoles(data: string, holes: readonly Hole[], after: string): string | undefined {
  let text: string | undefined;
  let at = 0;
  for (const { before, kind } of holes) {
    if (!data.startsWith(before, at)) return undefined;
    const from = at + before.length;
    at = kind === 'number' ? skipDigits(data, from) : data.indexOf('"', from);
    if (at < 0) return undefined;
    const value = data.slice(from, at);
    if (kind === 'number' ? !NUMBER.test(value) : NEEDS_PARSER.test(value)) return undefined;
    if (kind === 'text') text = value;
  }
  return data.length === at + after.length && data.endsWith(after) ? text : undefined;
}

/** An escape, or a character that JSON forbids in a string. */
// oxlint-disable-next-line no-control-regex -- JSON forbids control characters
const NEEDS_PARSER = /[\\\u0000-\u001f]/;
const NUMBER = /^(?:0|[1-9]\d*)$/;

function skipDigits(data: string, from: number): number {
  let at = from;
  while (data.charCodeAt(at) >= 0x30 && data.charCodeAt(at) <= 0x39) at += 1;
  return at;
}
