// Follows which parts of a message a client has open. The reader of useChat rejects a delta or an end of a part that it
// has not opened, and a retraction takes back the start of a part whose later texts count. Pure.
import type { UiEvent } from './ui-parts.ts';

/** Names of open parts. A `reset-step` closes all of them. */
export type OpenPartIds = ReadonlySet<string>;
export const NO_PARTS: OpenPartIds = new Set();

const PART_EVENT = /^(text|reasoning|tool-input)-(start|delta|end)$/;

/** Returns the events that a client accepts: with a start before the first delta, and without an end of no part. */
export function completePart(open: OpenPartIds, event: UiEvent): UiEvent[] {
  const { kind, action, name } = readPart(event);
  if (action === undefined || action === 'start' || open.has(name)) return [event];
  if (action === 'end' || kind === 'tool-input') return [];
  return [{ type: `${kind}-start`, id: event['id'] }, event];
}

export function applyPart(open: OpenPartIds, event: UiEvent): OpenPartIds {
  const { action, name } = readPart(event);
  if (action === 'start' && !open.has(name)) return new Set([...open, name]);
  return action === 'end' && open.has(name) ? new Set([...open].filter((one) => one !== name)) : open;
}

/** Returns the ends of the open texts: a text that grows in the next step has to be a part of that step. */
export const closeParts = (open: OpenPartIds): UiEvent[] =>
  [...open].flatMap((name) => {
    const [kind, ...id] = name.split(' ');
    return kind === 'tool-input' ? [] : [{ type: `${kind}-end`, id: id.join(' ') }];
  });

function readPart({ type, id, toolCallId }: UiEvent) {
  const [, kind, action] = PART_EVENT.exec(type) ?? [];
  return { kind, action, name: `${kind ?? ''} ${String(kind === 'tool-input' ? toolCallId : id)}` };
}
