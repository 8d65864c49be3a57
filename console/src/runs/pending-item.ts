// Reads a pending item: its question, and how it can be answered. Pure.
import type { JsonValue, ShownPending } from '@millrace/contracts';

/** `decision`: approve or deny. `text`: an answer in words. `program`: the caller executes the call itself. */
type AnswerForm = 'decision' | 'text' | 'program';

/** A processor asks for a decision; a tool that suspends itself asks for an answer. */
export function chooseForm({ stage, clientCall }: Pick<ShownPending, 'stage' | 'clientCall'>): AnswerForm {
  if (clientCall !== undefined) return 'program';
  return stage === undefined ? 'text' : 'decision';
}

const TEXT_MEMBERS = ['question', 'message', 'reason', 'text'] as const;

export function readQuestion(payload: JsonValue | undefined): string {
  if (typeof payload === 'string') return payload;
  if (isRecord(payload))
    for (const name of TEXT_MEMBERS) {
      const value = payload[name];
      if (typeof value === 'string' && value !== '') return value;
    }
  return payload === undefined ? 'The question was rejected by a processor and is not shown.' : JSON.stringify(payload);
}

/** Returns the choices of a question, if only certain answers are possible. */
export function readChoices(payload: JsonValue | undefined): string[] {
  const choices = isRecord(payload) ? payload['choices'] : undefined;
  return Array.isArray(choices) ? choices.filter((choice): choice is string => typeof choice === 'string') : [];
}

const isRecord = (value: JsonValue | undefined): value is Record<string, JsonValue> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
