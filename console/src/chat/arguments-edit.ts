// An edit of a call's arguments, as its text is typed. Pure.
import type { JsonValue } from '@millrace/contracts';

/** `args`: the edited arguments, if they differ from those of the model. */
export type ArgumentsEdit = { text: string | undefined; args?: Record<string, JsonValue>; problem?: string };

export const UNEDITED: ArgumentsEdit = { text: undefined };

export function editArguments(text: string, original: JsonValue): ArgumentsEdit {
  const parsed = parse(text);
  if (parsed === undefined) return { text, problem: 'The arguments are not a JSON object.' };
  return JSON.stringify(parsed) === JSON.stringify(original) ? { text } : { text, args: parsed };
}

function parse(text: string): Record<string, JsonValue> | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
