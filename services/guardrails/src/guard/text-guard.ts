// A guard that looks for stretches of text and reports, refuses or replaces them: what pii and keyword have in common. Whole
// values are judged here, the stream's deltas in judge-stream.ts.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject, JsonValue, Message } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';
import { beginning } from '../text/json-place.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { replaceSpans, type Span } from '../text/span.ts';
import type { Task } from '../work/task.ts';
import { BoundExceeded } from './bounds.ts';
import { cleanTexts } from './clean-texts.ts';
import { identityOf, type Identify } from './identity.ts';
import { knownIdentities } from './known-identities.ts';
import { textsOf, type MapText, type Visit } from './map-texts.ts';
import { mapMessage } from './message-values.ts';
import { createReport, refuseUnjudged, type Hit, type Report, type Reporting } from './report.ts';

/** How the stream is judged by one rule: what it holds back is the rule's own. */
export type StreamRule = {
  /** The members of the entry's state for what is held back, and for where each part's text stands as JSON. */
  heldIn: string;
  placesIn: string;
  /** In order, not overlapping. @throws BoundExceeded */
  find(text: string): Hit[];
  /** See TextFilter. */
  settled(text: string, noted: JsonObject): number;
};

export type TextGuard = Reporting & {
  /** For each text the hits of each rule, found in what the rule before it left. */
  task: Task<Hit[][]>;
  rules: readonly StreamRule[];
  /** How many times more than the slowest other guard it costs. */
  weight?: number;
  /** Whether the findings depend on the options and the text alone, so that a text without findings need not be judged again. */
  remembersClean?: boolean;
  /** Whether a mark says by `identify` which value it stands for. */
  identifies?: boolean;
  /** What stands in the place of a hit. */
  mark(hit: Hit, value: string, state: JsonObject, identify: Identify): string;
  /** Every text of a JSON value. */
  mapValue(value: JsonValue, map: MapText): JsonValue;
};

/** Whether what is found is replaced; else it is only told of, or stops the run. */
export const replaces = ({ strategy }: Reporting): boolean => strategy === 'redact' || strategy === 'filter';

/** The value of the visit as it may pass. Throws (abort, halt) with strategy block, and where it cannot be judged. */
export function judgeVisit<T>(guard: TextGuard, args: CommonArgs, visit: Visit<T>): Promise<T> {
  return judgeTexts(guard, args, visit, collectTexts(guard, args, visit));
}

/** @param texts all of the visit */
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
  const found = new Map<string, Hit[][]>(texts.map((text) => [text, []]));
  for (const [at, text] of unknown.entries()) {
    const hits = outcome.found[at] ?? [];
    found.set(text, hits);
    if (guard.remembersClean && hits.every(({ length }) => length === 0)) cleanTexts.add(guard, args.run, text);
  }
  found.set('', []);
  const turn = isMuch(outcome.found) ? () => nextTurn() : () => undefined;
  await turn();
  // Those that only tell of what they find, and those with one rule: their hits' places are those of the text that was judged.
  const needsIdentities = guard.strategy === 'warn' || guard.identifies === true;
  const identify = needsIdentities ? await knownIdentities(found, args.abortSignal) : identityOf;
  await turn();
  args.abortSignal.throwIfAborted();
  const report = createReport(guard, args, identify);
  const judged = visit((where) => {
    const judging = { guard, state: args.state, found, report, where, identify };
    const one = (text: string, prefix?: string) => passed(judging, text, prefix);
    return Object.assign(one, {
      together: (several: readonly string[], glue: '' | '\n') => passedTogether(judging, several, glue),
    });
  });
  report.send();
  await turn();
  return judged;
}

/** Hits that are read, marked and handed on in a turn of the event loop each; fewer take one turn together. */
const MANY_HITS = 1_024;

const isMuch = (found: readonly Hit[][][]): boolean =>
  found.reduce((sum, byRule) => sum + byRule.reduce((own, { length }) => own + length, 0), 0) > MANY_HITS;

/** Every text of the visit. Throws (abort, halt) where they are too many to be judged. */
export function collectTexts(guard: TextGuard, args: CommonArgs, visit: Visit<unknown>): string[] {
  try {
    return textsOf(visit);
  } catch (error) {
    if (error instanceof BoundExceeded) return refuseUnjudged(args, guard.response, error.bound);
    throw error;
  }
}

type Judging = {
  guard: TextGuard;
  state: JsonObject;
  found: ReadonlyMap<string, Hit[][]>;
  report: Report;
  where: JsonObject;
  identify: Identify;
};

function passed({ guard, state, found, report, where, identify }: Judging, text: string, prefix = ''): string {
  return hitsOf(found, text, prefix).reduce((sofar, hits) => {
    if (hits.length === 0) return sofar;
    report.add(hits, sofar, where);
    if (!replaces(guard)) return sofar;
    const markOf = (hit: Hit) => guard.mark(hit, sofar.slice(hit.start, hit.end), state, identify);
    return replaceHits(sofar, hits, markOf, beginning(false));
  }, text);
}

/** Of what goes over the end of a text, the first one gets the mark. */
function passedTogether(
  { guard, state, found, report, where, identify }: Judging,
  texts: readonly string[],
  glue: string,
): readonly (string | undefined)[] | undefined {
  const joined = texts.join(glue);
  const [hits = []] = hitsOf(found, joined, '');
  if (hits.length === 0) return undefined;
  let end = 0;
  const places = texts.map((text) => {
    const start = end;
    end = start + text.length + glue.length;
    return { start, end: start + text.length };
  });
  const touched = hits.map((hit) => places.filter(({ start, end }) => start < hit.end && hit.start < end));
  // What is a hit in one of them alone does not go over its end: it only looks longer with what stands beside it.
  const isAlone = (hit: Hit, place: Span) =>
    (found.get(texts[places.indexOf(place)] ?? '') ?? []).some((own) => own.some(({ rule }) => rule === hit.rule));
  const isOver = new Set<Span>();
  const over = hits.filter((hit, at) => {
    const several = touched[at] ?? [];
    if (several.length < 2 || several.some((place) => isAlone(hit, place))) return false;
    for (const place of several) isOver.add(place);
    return true;
  });
  if (over.length === 0) return undefined;
  report.add(over, joined, where);
  if (!replaces(guard)) return undefined;
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

/** Places in `text`. A hit in the prefix itself says that the name was misread. @throws for a text that was not judged */
function hitsOf(found: ReadonlyMap<string, Hit[][]>, text: string, prefix: string): Hit[][] {
  const plain = found.get(text);
  const named = prefix === '' ? plain : found.get(prefix + text);
  if (!plain || !named) throw new Error('A text was to pass that was not judged.');
  if (prefix === '') return plain;
  const by = prefix.length;
  if (named.flat().some((hit) => hit.start < by)) return plain;
  // Of what stands under a name in a JSON value the whole is replaced anyway where it is a number.
  return named.map((hits) =>
    hits.map(({ token: _, ...hit }) => ({ ...hit, start: hit.start - by, end: hit.end - by })),
  );
}

/** The messages as they may pass, in their order; the same object where nothing changed. */
export function judgeMessages(guard: TextGuard, args: CommonArgs, messages: readonly Message[]): Promise<Message[]> {
  return judgeVisit(guard, args, (mapAt) =>
    messages.map((message) => {
      const map = mapAt({ messageId: message.id });
      return mapParts(
        message,
        mapMessage(message, (value) => guard.mapValue(value, map)),
        map,
      );
    }),
  );
}

/** What stands in several text parts is one text to whoever reads them. */
function mapParts(message: Message, mapped: Message, map: MapText): Message {
  const texts = message.content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const together = texts.length > 1 ? map.together(texts, '') : undefined;
  if (!together) return mapped;
  let next = 0;
  const parts = mapped.content.parts.map((part) => {
    if (part.type !== 'text') return part;
    const text = together[next++];
    return text === undefined ? part : { ...part, text };
  });
  return { ...mapped, content: { ...mapped.content, parts } };
}
