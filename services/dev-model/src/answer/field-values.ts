// What a conversation knows about the fields of a schema. Extraction hands the stand-in a transcript, often with the
// memory that already exists; what is known there comes first, and what the user states replaces it or adds to it.
import type { Conversation } from '../conversation.ts';
import { isJsonObject, parsedJson, type JsonObject } from '../json.ts';
import { withoutScripts } from '../script/script-block.ts';
import { fact, factsIn, isListField, type Fact } from './facts.ts';
import { canonicalField } from './field-names.ts';
import { merged } from './recollection.ts';
import { isFirstPerson, isQuestion, sentencesOf } from './sentences.ts';

/**
 * A field's known values, in words: `news` is what the conversation states, `whole` that and what was known before. Both
 * are empty where nothing is known; a scalar has one value, a list any number.
 */
export type FieldValues = (fieldName: string) => {
  readonly news: readonly string[];
  readonly whole: readonly string[];
};

const maxJsonCharacters = 64 * 1024;

/** A line of a transcript, as far as it is the user's; lines of the other side state nothing about the user. */
const otherSpeaker = /^[\s>*#-]*["']?(?:assistant|ai|system|tool|bot)["']?\s*(?:\([^)]{0,60}\)|\[[^\]]{0,60}\])?\s*:/i;
const ownSpeaker = /^[\s>*#-]*(?:user|human)\s*(?:\([^)]{0,60}\)|\[[^\]]{0,60}\])?\s*:\s*/i;
const labelledLine = /^[-*\s]*["'*_]*([\p{L}][\p{L}\p{N} _-]{0,40}?)["'*_]*\s*:\s*["'*_]*(\S.{0,200}?)["'*_,]*$/u;
const nothing = /^(?:null|undefined|unknown|none|n\/a|\[\]|\{\}|\[|\{)$/i;

/** Extraction may ask for changes, or for "the whole memory" again: then nothing that was known may be missing. */
const asksForWhole = /\b(?:whole|entire|complete)\b/i;

export function fieldValuesIn(conversation: Conversation, answerText: () => string): FieldValues {
  const before: Fact[] = [];
  const stated: Fact[] = [];
  for (const { role, text: written } of conversation.turns) {
    if (role !== 'user' && role !== 'system') continue;
    const text = withoutScripts(written);
    before.push(...existing(text));
    // What a system message states of itself ("I am the assistant") is not about the user.
    if (role === 'user') stated.push(...userLines(text).flatMap((line) => [...factsIn(line), ...notesIn(line)]));
  }
  const whole = merged([...before, ...stated]);
  const wantsWhole = conversation.turns.some(({ role, text }) => role === 'system' && asksForWhole.test(text));
  const news = wantsWhole ? whole : merged(stated);

  return (fieldName) => {
    const about = canonicalField(fieldName);
    const values = { news: valuesFor(about, news), whole: valuesFor(about, whole) };
    if (
      values.whole.length > 0 ||
      !/^(?:answer|reply|response|text|message|summary|content|output|result)$/.test(about)
    ) {
      return values;
    }
    return { news: [answerText()], whole: [answerText()] };
  };
}

const valuesFor = (about: string, facts: ReadonlyMap<string, Fact>): readonly string[] => [
  ...(facts.get(about)?.values ?? []),
  ...(about === 'likes' ? favourites(facts.values()) : []),
];

/** What the user states about themself that no other field has a place for. */
const notesIn = (line: string): Fact[] =>
  sentencesOf(line)
    .filter((sentence) => isFirstPerson(sentence) && !isQuestion(sentence) && factsIn(sentence).length === 0)
    .map((sentence) => ({ about: 'notes', values: [sentence], adds: true }));

/** "My favourite colour is blue" is a preference too. */
const favourites = (facts: Iterable<Fact>): string[] =>
  [...facts]
    .filter(({ about }) => about.startsWith('favourite '))
    .map(({ about, values }) => `${about}: ${values.join(', ')}`);

/** What the user says in a transcript, of lines or of JSON messages; of plain text, all of it. */
function userLines(text: string): string[] {
  const messages = jsonObjectsIn(text).filter(isMessage);
  if (messages.length > 0) return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const lines = text.split('\n').filter((line) => !/^\s*[{[]/.test(line));
  if (!lines.some((line) => ownSpeaker.test(line) || otherSpeaker.test(line))) return lines;

  // What stands before the first speaker introduces the transcript; what follows one is theirs up to the next.
  const theirs: string[] = [];
  let isTheirs = false;
  for (const line of lines) {
    const isOwn = ownSpeaker.test(line);
    if (isOwn || otherSpeaker.test(line)) isTheirs = isOwn;
    if (isTheirs) theirs.push(line.replace(ownSpeaker, ''));
  }
  return theirs;
}

const isMessage = (value: JsonObject): value is { readonly role: string; readonly content: string } =>
  typeof value['role'] === 'string' && typeof value['content'] === 'string';

/** Values that the text already holds as fields: JSON objects, and lines like "city: Oslo". */
function existing(text: string): Fact[] {
  const pairs = jsonObjectsIn(text)
    .filter((object) => !isMessage(object))
    .flatMap((object) => Object.entries(object));
  for (const line of text.split('\n')) {
    const [, key = '', value = ''] = labelledLine.exec(line) ?? [];
    if (key !== '' && !nothing.test(value) && !otherSpeaker.test(line) && !ownSpeaker.test(line))
      pairs.push([key, value]);
  }
  return pairs.flatMap(([key, value]) => {
    const about = canonicalField(key);
    const values = [value].flat().filter((one) => typeof one === 'string' || typeof one === 'number');
    if (values.length === 0) return [];
    if (about === 'notes') return [{ about, values: values.flatMap((one) => sentencesOf(String(one))), adds: true }];
    if (Array.isArray(value)) return [{ about, values: values.map(String), adds: true }];
    return [fact(about, String(values[0]), isListField(about))];
  });
}

/** The outermost JSON objects in a text, but for JSON Schemas, which describe values and hold none. */
function jsonObjectsIn(text: string): JsonObject[] {
  const objects: JsonObject[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{' && depth++ === 0) start = at;
    if (text[at] !== '}' || depth === 0 || --depth > 0 || at - start > maxJsonCharacters) continue;
    const value = parsedJson(text.slice(start, at + 1));
    if (isJsonObject(value) && !('properties' in value)) objects.push(value);
  }
  return objects;
}
