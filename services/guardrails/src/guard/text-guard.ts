// Judges whole values for a guard that finds spans of text and reports, rejects or replaces them, such as pii and
// keyword. judge-stream.ts judges the deltas of a stream.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject, JsonValue, Message } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';
import { createPlace } from '../text/json-place.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { replaceSpans, type TextSpan } from '../text/span.ts';
import type { Task } from '../work/task.ts';
import { BoundExceeded } from '../work/bounds.ts';
import { cleanTexts } from './clean-texts.ts';
import { hashIdentity, type Identify } from './identity.ts';
import { loadIdentities } from './known-identities.ts';
import { collectVisitTexts, type MapText, type Visit } from './map-texts.ts';
import { mapMessage } from './message-values.ts';
import { createReport, refuseUnjudged, type GuardHit, type ViolationReport, type Reporting } from './report.ts';

/** Rule for judging a stream; each rule has its own buffer. */
export type StreamRule = {
  /** Members of the entry's state: the buffered text, and each part's position in JSON. */
  heldIn: string;
  placesIn: string;
  /** Returns ordered hits without overlap. @throws BoundExceeded */
  find(text: string): GuardHit[];
  /** See TextFilter. */
  findSettledEnd(text: string, noted: JsonObject): number;
};

export type TextGuard = Reporting & {
  /** Finds the hits of each rule per text; each rule searches the output of the preceding one. */
  task: Task<GuardHit[][]>;
  rules: readonly StreamRule[];
  /** Cost relative to the slowest other guard. */
  weight?: number;
  /** Whether the findings depend on the options and the text alone, so that a text without findings need not be judged again. */
  remembersClean?: boolean;
  /** Whether a mark identifies its value by `identify`. */
  identifies?: boolean;
  /** Returns the replacement of a hit. */
  mark(hit: GuardHit, value: string, state: JsonObject, identify: Identify): string;
  /** Maps every text of a JSON value. */
  mapValue(value: JsonValue, map: MapText): JsonValue;
};

/** Returns whether the guard replaces hits; otherwise it reports them or stops the run. */
export const shouldReplace = ({ strategy }: Reporting): boolean => strategy === 'redact' || strategy === 'filter';

/**
 * Returns the judged value of the visit. Throws (abort, halt) if the strategy is block, or if a text exceeds a bound.
 */
export function judgeVisit<T>(guard: TextGuard, args: CommonArgs, visit: Visit<T>): Promise<T> {
  return judgeTexts(guard, args, visit, collectTexts(guard, args, visit));
}

/** @param texts all texts of the visit */
export async function judgeTexts<T>(
  guard: TextGuard,
  args: CommonArgs,
  visit: Visit<T>,
  texts: readonly string[],
): Promise<T> {
  const isClean = (text: string) => guard.remembersClean === true && cleanTexts.has(guard, args.run, text);
  const unknown = texts.filter((text) => !isClean(text));
  const outcome = await guard.task.run(unknown, args.abortSignal);
  if ('exceeded' in outcome) return refuseUnjudged(args, guard.response, outcome.exceeded);
  const found = new Map<string, GuardHit[][]>(texts.map((text) => [text, []]));
  for (const [at, text] of unknown.entries()) {
    const hits = outcome.found[at] ?? [];
    found.set(text, hits);
    if (guard.remembersClean && hits.every(({ length }) => length === 0)) cleanTexts.add(guard, args.run, text);
  }
  found.set('', []);
  const turn = isMuch(outcome.found) ? () => nextTurn() : () => undefined;
  await turn();
  // Only guards that report, or that have one rule: their hits have places in the judged text.
  const needsIdentities = guard.strategy === 'warn' || guard.identifies === true;
  const identify = needsIdentities ? await loadIdentities(found, args.abortSignal) : hashIdentity;
  await turn();
  args.abortSignal.throwIfAborted();
  const report = createReport(guard, args, identify);
  const judged = visit((where) => {
    const judging = { guard, state: args.state, found, report, where, identify };
    const mapOne = (text: string, prefix?: string) => mapText(judging, text, prefix);
    return Object.assign(mapOne, {
      judgeTogether: (several: readonly string[], glue: '' | '\n') => mapTogether(judging, several, glue),
    });
  });
  report.send();
  await turn();
  return judged;
}

/** Number of hits above which reading, marking and reporting take separate turns of the event loop. */
const MANY_HITS = 1_024;

const isMuch = (found: readonly GuardHit[][][]): boolean =>
  found.reduce((sum, byRule) => sum + byRule.reduce((own, { length }) => own + length, 0), 0) > MANY_HITS;

/** Returns every text of the visit. Throws (abort, halt) if there are too many. */
export function collectTexts(guard: TextGuard, args: CommonArgs, visit: Visit<unknown>): string[] {
  try {
    return collectVisitTexts(visit);
  } catch (error) {
    if (error instanceof BoundExceeded) return refuseUnjudged(args, guard.response, error.bound);
    throw error;
  }
}

type Judging = {
  guard: TextGuard;
  state: JsonObject;
  found: ReadonlyMap<string, GuardHit[][]>;
  report: ViolationReport;
  where: JsonObject;
  identify: Identify;
};

function mapText({ guard, state, found, report, where, identify }: Judging, text: string, prefix = ''): string {
  return readHits(found, text, prefix).reduce((sofar, hits) => {
    if (hits.length === 0) return sofar;
    report.add(hits, sofar, where);
    if (!shouldReplace(guard)) return sofar;
    const markHit = (hit: GuardHit) => guard.mark(hit, sofar.slice(hit.start, hit.end), state, identify);
    return replaceHits(sofar, hits, markHit, createPlace(false));
  }, text);
}

/** Puts the mark of a hit that spans several texts into the first one. */
function mapTogether(
  { guard, state, found, report, where, identify }: Judging,
  texts: readonly string[],
  glue: string,
): readonly (string | undefined)[] | undefined {
  const joined = texts.join(glue);
  const [hits = []] = readHits(found, joined, '');
  if (hits.length === 0) return undefined;
  let end = 0;
  const places = texts.map((text) => {
    const start = end;
    end = start + text.length + glue.length;
    return { start, end: start + text.length };
  });
  const touched = hits.map((hit) => places.filter(({ start, end }) => start < hit.end && hit.start < end));
  // A hit inside one text does not span its end, even if the joined text extends it.
  const isAlone = (hit: GuardHit, place: TextSpan) =>
    (found.get(texts[places.indexOf(place)] ?? '') ?? []).some((own) => own.some(({ rule }) => rule === hit.rule));
  const isOver = new Set<TextSpan>();
  const over = hits.filter((hit, at) => {
    const several = touched[at] ?? [];
    if (several.length < 2 || several.some((place) => isAlone(hit, place))) return false;
    for (const place of several) isOver.add(place);
    return true;
  });
  if (over.length === 0) return undefined;
  report.add(over, joined, where);
  if (!shouldReplace(guard)) return undefined;
  return places.map((place, at) => {
    if (!isOver.has(place)) return undefined;
    const inside = hits.filter((hit) => place.start < hit.end && hit.start < place.end);
    const own = inside.map((hit) => ({
      hit,
      start: Math.max(hit.start, place.start) - place.start,
      end: Math.min(hit.end, place.end) - place.start,
    }));
    return replaceSpans(texts[at] ?? '', own, ({ hit }) =>
      hit.start < place.start ? '' : guard.mark(hit, joined.slice(hit.start, hit.end), state, identify),
    );
  });
}

/**
 * Returns places in `text`. A hit in the prefix means that the name was misread. @throws for a text that was not judged
 */
function readHits(found: ReadonlyMap<string, GuardHit[][]>, text: string, prefix: string): GuardHit[][] {
  const plain = found.get(text);
  const named = prefix === '' ? plain : found.get(prefix + text);
  if (!plain || !named) throw new Error('A text was passed that the guard has not judged.');
  if (prefix === '') return plain;
  const by = prefix.length;
  if (named.flat().some((hit) => hit.start < by)) return plain;
  // Drops `token`, because a number under a name in a JSON value is replaced as a whole.
  return named.map((hits) =>
    hits.map(({ token: _, ...hit }) => ({ ...hit, start: hit.start - by, end: hit.end - by })),
  );
}

/** Returns the judged messages in order, or the same object if nothing changed. */
export function judgeMessages(guard: TextGuard, args: CommonArgs, messages: readonly Message[]): Promise<Message[]> {
  return judgeVisit(guard, args, (mapAt) =>
    groupAnswers(messages).flatMap((group) => {
      const mapped = group.map((message) => {
        const map = mapAt({ messageId: message.id });
        return mapMessage(message, (value) => guard.mapValue(value, map));
      });
      return mapJoinedTexts(group, mapped, mapAt({ messageId: group[0]?.id ?? '' }));
    }),
  );
}

/** Groups consecutive messages of the assistant: readers see their texts as one. */
function groupAnswers(messages: readonly Message[]): Message[][] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === 'assistant' && last?.[0]?.role === 'assistant') last.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** Judges all text parts of the messages as one text. @param mapped the messages with each text judged alone */
function mapJoinedTexts(messages: readonly Message[], mapped: readonly Message[], map: MapText): readonly Message[] {
  const texts = messages.flatMap(({ content }) =>
    content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
  const together = texts.length > 1 ? map.judgeTogether(texts, '') : undefined;
  if (!together) return mapped;
  let next = 0;
  return mapped.map((message) => {
    const parts = message.content.parts.map((part) => {
      if (part.type !== 'text') return part;
      const text = together[next++];
      return text === undefined ? part : { ...part, text };
    });
    const isSame = parts.every((part, at) => part === message.content.parts[at]);
    return isSame ? message : { ...message, content: { ...message.content, parts } };
  });
}
