// What a service's log is told of an error that nobody expected: what it is and where it came from. Its message may quote anybody, so it
// is left out; a run's events and its ending have what may be said of it.
import { MillraceError } from './errors.ts';

/** Frames of the stack that are logged. */
const MAX_FRAMES = 8;

export function loggedError(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const said = MillraceError.isInstance(error) ? error.code : error.name;
  const { message, stack = '' } = error;
  // The message stands before the frames, and may look like one.
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : '';
  const at = frames.split('\n').map((line) => line.trim());
  return { error: said, at: at.filter((line) => line.startsWith('at ')).slice(0, MAX_FRAMES) };
}
