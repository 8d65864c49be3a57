// Locates an error that a method threw, for the log of the replica.

/** Maximum number of frames of the stack in a log line. */
const MAX_FRAMES = 8;
const MAX_NAME_CHARS = 100;
const FRAME = /^ {4}at (?<place>.+:\d+:\d+\)?)$/;

/**
 * Returns the class and the stack frames of an error, without its message: the message may quote the user or the model. Never throws: a
 * processor may replace the members of an error by anything.
 */
export function locateThrown(error: unknown): { error?: string; at?: string[] } {
  try {
    if (!(error instanceof Error)) return { error: typeof error };
    const read = (member: string) => String(Reflect.get(error, member));
    const at = listFrames(read('stack'), read('message'));
    return { error: read('name').slice(0, MAX_NAME_CHARS), ...(at.length > 0 && { at }) };
  } catch {
    return {};
  }
}

/** Returns none if the message was changed: lines of the former message may look like frames. */
function listFrames(stack: string, message: string): string[] {
  const start = stack.indexOf(message);
  const rest = start < 0 ? '' : stack.slice(start + message.length);
  if (message !== '' && !rest.startsWith('\n    at ')) return [];
  const places = rest.split('\n').flatMap((line) => FRAME.exec(line)?.groups?.['place'] ?? []);
  return places.slice(0, MAX_FRAMES);
}
