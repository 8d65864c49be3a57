// Gathers the changes of a run's processors, in memory, if its agent has `record: changes`. Nothing is stored before
// the run has ended: until then a later entry, of this stage or of another one, may still mask or reject the text.
import {
  messageText,
  publicViolations,
  selectMessages,
  type Conversation,
  type PublicViolation,
  type RunChange,
  type Stage,
  type StageInput,
  type Verdict,
  type Violation,
} from '@millrace/contracts';
import { showChange, type TextChange } from './show-change.ts';

/** The parts of a judged entry and of a fold that a change has. */
type JudgedChange = { entry: { entry: string }; verdict: Verdict; input: StageInput };
type FoldedChange = { violations: readonly Violation[]; stopped?: { verdict: Verdict } | undefined };

type Gathered = Pick<RunChange, 'step' | 'stage' | 'verdict' | 'entry'> & {
  violations: PublicViolation[];
  text?: TextChange & { messageId: string };
};

/** Bounds of one run. Text is held until the run ends. */
const MAX_CHANGES = 200;
const MAX_CHARS = 256 * 1024;

export type ChangeLog = {
  /** Adds the verdicts of one stage, in the order of their entries. */
  addStage(stage: Stage, step: number, input: StageInput, judged: readonly JudgedChange[]): void;
  /** Adds the output stream of one step as a whole: the replicas exchange the texts between its entries. */
  addStream(step: number, messageId: string, text: TextChange, fold: FoldedChange): void;
  /** @param final the conversation of a run with an accepted answer; undefined: no text is shown */
  list(final: Conversation | undefined): { changes: RunChange[]; omitted: number };
};

export function createChangeLog(): ChangeLog {
  const gathered: Gathered[] = [];
  let chars = 0;
  let omitted = 0;
  /** An entry has changed the text that the model reads, outside of the messages. */
  let isPromptChanged = false;
  const add = (change: Gathered) => {
    const length = change.text ? change.text.before.length + change.text.after.length : 0;
    if (gathered.length >= MAX_CHANGES || chars + length > MAX_CHARS) omitted += 1;
    else gathered.push(change);
    chars += length;
  };
  return {
    addStage(stage, step, input, judged) {
      let before = input;
      isPromptChanged ||= judged.some(({ verdict }) => 'changes' in verdict && verdict.changes?.prompt !== undefined);
      for (const { entry, verdict, input: after } of judged) {
        const violations = publicViolations(readViolations(verdict));
        const common = { step, stage, entry: entry.entry, verdict: verdict.type, violations };
        const texts = verdict.type === 'continue' ? listTextChanges(before, after) : [];
        for (const text of texts) add({ ...common, text });
        if (texts.length === 0 && (verdict.type !== 'continue' || violations.length > 0)) add(common);
        before = after;
      }
    },
    addStream(step, messageId, { before, after }, { violations, stopped }) {
      const verdict = stopped?.verdict.type ?? 'continue';
      const common = { step, stage: 'processOutputStream' as const, verdict, violations: publicViolations(violations) };
      if (before !== after && !stopped) add({ ...common, text: { messageId, before, after } });
      else if (stopped || violations.length > 0) add(common);
    },
    list(final) {
      const shown = isPromptChanged ? undefined : final;
      return { changes: gathered.map((change) => showGathered(change, shown)), omitted };
    },
  };
}

function showGathered({ text, ...rest }: Gathered, final: Conversation | undefined): RunChange {
  if (!text) return rest;
  const { messageId } = text;
  return { ...rest, messageId, ...showChange(text, final && findText(final, messageId)) };
}

const readViolations = (verdict: Verdict): readonly Violation[] =>
  'violations' in verdict ? (verdict.violations ?? []) : [];

/** Messages of the caller and of the model alone: what memories and processors add belongs to other runs. */
function listTexts({ conversation, messageId, text }: StageInput): Map<string, string> {
  const messages = conversation
    ? [...selectMessages(conversation, 'input'), ...selectMessages(conversation, 'response')]
    : [];
  const texts = new Map(messages.map((message) => [message.id, messageText(message)]));
  if (messageId !== undefined && text !== undefined) texts.set(messageId, text);
  return texts;
}

function listTextChanges(before: StageInput, after: StageInput): (TextChange & { messageId: string })[] {
  const texts = listTexts(after);
  return [...listTexts(before)].flatMap(([messageId, text]) => {
    const changed = texts.get(messageId) ?? '';
    return changed === text ? [] : [{ messageId, before: text, after: changed }];
  });
}

function findText(conversation: Conversation, id: string): string | undefined {
  const messages = [...selectMessages(conversation, 'input'), ...selectMessages(conversation, 'response')];
  const found = messages.find((message) => message.id === id);
  return found && messageText(found);
}
