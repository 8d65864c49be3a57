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
 * A field's known values, in words; one for a scalar, any number for a list. Undefined where nothing is known. A field
 * that may be left out gets only what the conversation states; one that must be there keeps what it was before.
 */
export type FieldValues = (fieldName: string, isRequired: boolean) => readonly string[] | undefined;

const maxJsonCharacters = 64 * 1024;

/** A line of a transcript, as far as it is the user's; lines of the other side state nothing about the user. */
const otherSpeaker = /^[\s>*#-]*["']?(?:assistant|ai|system|tool|bot)["']?\s*(?:\([^)]{0,60}\)|\[[^\]]{0,60}\])?\s*:/i;
const ownSpeaker = /^[\s>*#-]*(?:user|human)\s*(?:\([^)]{0,60}\)|\[[^\]]{0,60}\])?\s*:\s*/i;
const labelledLine = /^[-*\s]*["'*_]*([\p{L}][\p{L}\p{N} _-]{0,40}?)["'*_]*\s*:\s*["'*_]*(\S.{0,200}?)["'*_,]*$/u;
const nothing = /^(?:null|undefined|unknown|none|n\/a|\[\]|\{\}|\[|\{)$/i;

export function fieldValuesIn(conversation: Conversation, answerText: () => string): FieldValues {
  const before: Fact[] = [];
  const stated: Fact[] = [];
  const statements: string[] = [];
  for (const turn of conversation.turns) {
    if (turn.role !== 'user' && turn.role !== 'system') continue;
    const text = withoutScripts(turn.text);
    before.push(...existing(text));
    // What a system message states of itself ("I am the assistant") is not about the user.
    if (turn.role === 'system') continue;
    for (const line of userLines(text)) {
      stated.push(...factsIn(line));
      statements.push(...sentencesOf(line).filter((sentence) => isFirstPerson(sentence) && !isQuestion(sentence)));
    }
  }
  const news = merged(stated);
  const all = merged([...before, ...stated]);

  return (fieldName, isRequired) => {
    const known = isRequired ? all : news;
    const about = canonicalField(fieldName);
    const values = known.get(about)?.values;
    if (about === 'likes') return [...(values ?? []), ...favourites(known.values())];
    if (values !== undefined) return values;
    if (/^(?:facts|notes|memories|statements|observations)$/.test(about)) return statements;
    return /^(?:answer|reply|response|text|message|summary|content|output|result)$/.test(about)
      ? [answerText()]
      : undefined;
  };
}

/** "My favourite colour is blue" is a preference too. */
const favourites = (facts: Iterable<Fact>): string[] =>
  [...facts]
    .filter(({ about }) => about.startsWith('favourite '))
    .map(({ about, values }) => `${about}: ${values.join(', ')}`);

/** What the user says in a transcript, of lines or of JSON messages; of plain text, all of it. */
function userLines(text: string): string[] {
  const messages = jsonObjectsIn(text).filter(isMessage);
  if (messages.length > 0) return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const lines: string[] = [];
  let isTheirs = true;
  for (const line of text.split('\n')) {
    if (otherSpeaker.test(line)) isTheirs = false;
    else if (ownSpeaker.test(line) || line.trim() === '') isTheirs = true;
    if (isTheirs) lines.push(line.replace(ownSpeaker, ''));
  }
  return lines;
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
