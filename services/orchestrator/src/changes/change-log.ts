// Gathers the changes of a run's processors, in memory, if its agent has `record: changes`. No text is stored before
// the run has ended: until then a later entry, of this stage or of another one, may still mask or reject the text.
import { matchWords, splitWords, toSegments } from './match-words.ts';
import {
  toPublicViolations,
  type Chunk,
  type EntryOutcome,
  type RunChange,
  type Stage,
  type StageInput,
  type Verdict,
  type Violation,
  type ChangedSegment,
} from '@millrace/contracts';
import {
  findFinalText,
  isHidden,
  listChunkChanges,
  listInputChanges,
  type FinalTexts,
  type RecordedText,
} from './recorded-texts.ts';

/** The parts of a judged entry that a change has. */
type JudgedChange = { entry: { entry: string }; verdict: Verdict; input: StageInput };
type ChangeOutcome = Pick<EntryOutcome, 'entry' | 'verdict' | 'violations'>;
/** The text of an answer before and after one entry of the output stream. */
export type EntryTexts = { entry: string; before: string; after: string };
/** The output stream of one step. */
type StreamedTexts = {
  messageId: string;
  texts: readonly EntryTexts[];
  outcomes: readonly ChangeOutcome[];
  isStopped: boolean;
};

type GatheredChange = Pick<RunChange, 'step' | 'stage' | 'verdict' | 'entry' | 'violations'> & { text?: RecordedText };

const STREAM: Stage = 'processOutputStream';

/** Bounds of one run. Text is held until the run ends. */
const MAX_CHANGES = 200;
const MAX_CHARS = 256 * 1024;

export type ChangeLog = {
  /** Adds the verdicts of one stage, in the order of their entries. */
  addStage(stage: Stage, step: number, input: StageInput, judged: readonly JudgedChange[]): void;
  /** Adds the output stream of one step, entry by entry. */
  addStream(step: number, streamed: StreamedTexts): void;
  /** Adds one entry's verdict on chunks outside of the model's stream. */
  addBatch(step: number, entry: string, verdict: Verdict, given: readonly Chunk[], passed: readonly Chunk[]): void;
  /** @param final the state of a run with an accepted answer; undefined: no text is shown */
  list(final: FinalTexts | undefined): { changes: RunChange[]; omitted: number };
};

export function createChangeLog(): ChangeLog {
  const gathered: GatheredChange[] = [];
  let chars = 0;
  let omitted = 0;
  /** An entry has changed the text that the model reads, outside of the messages. */
  let isPromptChanged = false;
  const add = (change: GatheredChange) => {
    const length = change.text ? change.text.before.length + change.text.after.length : 0;
    if (gathered.length >= MAX_CHANGES || chars + length > MAX_CHARS) omitted += 1;
    else {
      gathered.push(change);
      chars += length;
    }
  };
  /** A verdict that stops is added without text. */
  const addAll = (change: GatheredChange, texts: readonly RecordedText[]) => {
    const shown = change.verdict === 'continue' ? texts : [];
    for (const text of shown) add({ ...change, text });
    if (shown.length === 0 && (change.verdict !== 'continue' || change.violations.length > 0)) add(change);
  };
  return {
    addStage(stage, step, input, judged) {
      let before = input;
      isPromptChanged ||= judged.some(({ verdict }) => 'changes' in verdict && verdict.changes?.prompt !== undefined);
      for (const { entry, verdict, input: after } of judged) {
        const violations = toPublicViolations(readViolations(verdict));
        const change = { step, stage, entry: entry.entry, verdict: verdict.type, violations };
        addAll(change, listInputChanges(stage, before, after));
        before = after;
      }
    },
    addStream(step, { messageId, texts, outcomes, isStopped }) {
      const place = { part: 'message' as const, messageId };
      for (const { entry, verdict, violations = [] } of outcomes) {
        const change = { step, stage: STREAM, entry, verdict, violations: toPublicViolations(violations) };
        const changed = texts.find((one) => one.entry === entry && one.before !== one.after);
        // An entry that had not decided before the stream was stopped has no verdict.
        if (verdict === 'cancelled' && violations.length === 0) continue;
        addAll(change, changed && !isStopped ? [{ place, before: changed.before, after: changed.after }] : []);
      }
    },
    addBatch(step, entry, verdict, given, passed) {
      const violations = toPublicViolations(readViolations(verdict));
      addAll({ step, stage: STREAM, entry, verdict: verdict.type, violations }, listChunkChanges(given, passed));
    },
    list(final) {
      const shown = isPromptChanged ? undefined : final;
      return { changes: gathered.map((change) => showGathered(change, shown)), omitted };
    },
  };
}

function showGathered({ text, ...rest }: GatheredChange, final: FinalTexts | undefined): RunChange {
  if (!text) return rest;
  const { place, before, after } = text;
  if (isHidden(place)) return { ...rest, ...place, before: maskAll(before), after: maskAll(after) };
  return { ...rest, ...place, ...showChange(text, final && findFinalText(place, rest.step, final)) };
}

const readViolations = (verdict: Verdict): readonly Violation[] =>
  'violations' in verdict ? (verdict.violations ?? []) : [];

type ShownChange = { before: string; after: string };

/** Longer texts are masked as a whole, UTF-16 code units. */
const MAX_SHOWN_CHARS = 16 * 1024;

/**
 * Shows the text before and after a change: only the words that the final text still has.
 * @param final the text at the end of the run; undefined: the run has no such text, and everything is masked
 */
export function showChange(
  { before, after }: ShownChange,
  final: string | undefined,
): { before: ChangedSegment[]; after: ChangedSegment[] } {
  if (final === undefined || [before, after, final].some(({ length }) => length > MAX_SHOWN_CHARS))
    return { before: maskAll(before), after: maskAll(after) };
  const [own, next, last] = [splitWords(before), splitWords(after), splitWords(final)];
  const kept = matchWords(own, next);
  const later = matchWords(next, last);
  return {
    before: toSegments(own, (at) => later.has(kept.get(at) ?? -1)),
    after: toSegments(next, (at) => later.has(at)),
  };
}

/** Masks a text as a whole. */
const maskAll = ({ length }: string): ChangedSegment[] => (length === 0 ? [] : [{ masked: length }]);
