// What the stand-in may answer from: what the user said in this conversation, and what memory put into the system
// messages. Instructions stand in system messages too and must not be repeated to the user, so of those only three
// kinds of line count: lines under a heading that speaks of memory, messages quoted with their speaker ("user: …"), and
// statements in the first person, which instructions do not use.
import type { Turn } from '../conversation.ts';
import { isJsonObject, parsedJson } from '../json.ts';
import { withoutScripts } from '../script/script-block.ts';
import { fact, factsIn, isListField, type Fact } from './facts.ts';
import { canonicalField } from './field-names.ts';
import { isFirstPerson, isQuestion, sentencesOf } from './sentences.ts';

/** Enough for a working memory in one line. */
const maxLineCharacters = 8_000;

/** One sentence that may be quoted, with what it states. */
export type Remembered = { readonly text: string; readonly facts: readonly Fact[] };

/** Tags and keys write the space as an underscore. */
const speaksOfMemory = (text: string): boolean => memoryWord.test(text.replaceAll(/[_-]/g, ' '));

const memoryWord =
  /\b(?:memor(?:y|ies)|remembered|recalled|earlier|previous(?:ly)?|past|known|facts?|history|profile)\b/i;
const heading = /^(?:#{1,6}\s.*|<\/?[a-z][^>]*>|[^:]{1,160}:)$/i;
const speaker =
  /^(?:[-*>\s]|\d+\.\s|\[[^\]]{0,60}\]|\([^)]{0,60}\))*(user|human|assistant|ai|system|tool)\s*(?:\([^)]{0,60}\)|\[[^\]]{0,60}\])?\s*:\s*/i;
const keyAndValue = /^[-*>\s]*["'`*_]*([\p{L}][\p{L}\p{N} _'-]{0,40}?)["'`*_]*\s*:\s*["'`*_]*(\S.*?)["'`*_,]*$/u;
const labelled = /^[#*\s]*([^:{]{1,80}?)\**:\s+(?=\S)/;
const nothingKnown = /^(?:null|undefined|unknown|none|n\/a|not known|not set|\(?empty\)?|\{\{.*\}\}|-|\[\]|\{\})$/i;

/** All that is remembered, oldest first: memory, then the conversation in its order. */
export function rememberedIn(turns: readonly Turn[]): Remembered[] {
  const memories = turns.flatMap((turn) => (turn.role === 'system' ? fromSystem(withoutScripts(turn.text)) : []));
  const said = turns.flatMap((turn) => (turn.role === 'user' ? statements(withoutScripts(turn.text)) : []));
  return [...memories, ...said];
}

const statements = (text: string): Remembered[] =>
  sentencesOf(text)
    .filter((sentence) => !isQuestion(sentence) || factsIn(sentence).length > 0)
    .map((sentence) => ({ text: sentence, facts: factsIn(sentence) }));

function fromSystem(text: string): Remembered[] {
  const remembered: Remembered[] = [];
  let isMemory = false;
  let role: string | undefined;
  for (const line of text.split('\n').map((one) => one.trim().slice(0, maxLineCharacters))) {
    const spoken = speaker.exec(line);
    if (spoken !== null) role = spoken[1]?.toLowerCase();
    else if (line === '') role = undefined;
    else if (heading.test(line)) {
      isMemory = speaksOfMemory(line) && !line.startsWith('</');
      role = undefined;
    }
    if (spoken === null && (line === '' || heading.test(line))) continue;
    // "Working memory: {…}" is a heading and its content in one line.
    const label = spoken ?? labelled.exec(line);
    const isOwnHeading = spoken === null && label !== null && speaksOfMemory(label[0]);
    const content = spoken !== null || isOwnHeading ? line.slice(label?.[0].length) : line;

    if (role === 'user' || role === 'human') remembered.push(...statements(content));
    else if (role === undefined) remembered.push(...unquoted(content, isMemory || isOwnHeading));
  }
  return remembered;
}

/** A line without a speaker: a field of working memory, or a sentence. */
function unquoted(line: string, isMemory: boolean): Remembered[] {
  if (isMemory) {
    const json = parsedJson(line.replace(/^[^{]*(?=\{)/, ''));
    if (isJsonObject(json)) return fieldsOf(json);
    const pair = keyAndValue.exec(line);
    if (pair !== null) return field(pair[1] ?? '', pair[2] ?? '');
    return statements(line.replace(/^[-*>\s]+/, '')).filter(({ text }) => !isInstruction(text));
  }
  return statements(line.replace(/^[-*>\s]+/, '')).filter(({ text }) => isFirstPerson(text) && !isInstruction(text));
}

const isInstruction = (sentence: string): boolean =>
  /^(?:you\b|your\b|do not\b|don't\b|never\b|always\b|use\b|answer\b|reply\b|respond\b|if\b|when\b|be\b|keep\b|treat\b|the (?:user|following)\b)/i.test(
    sentence,
  ) || /\b(?:you (?:are|must|should|may|can)|the user)\b/i.test(sentence);

const fieldsOf = (object: object): Remembered[] =>
  Object.entries(object).flatMap(([key, value]) => {
    if (Array.isArray(value)) return field(key, value.filter(isPlain).join(', '));
    return isPlain(value) ? field(key, String(value)) : [];
  });

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function field(key: string, value: string): Remembered[] {
  if (value === '' || nothingKnown.test(value)) return [];
  const about = canonicalField(key);
  if (about === 'notes') return statements(value);
  return [{ text: `${key}: ${value}`, facts: [fact(about, value, isListField(about))] }];
}
