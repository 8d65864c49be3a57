// Locates an error that a method threw, for the log of the replica.

/** Maximum number of frames of the stack in a log line. */
const MAX_FRAMES = 8;
const MAX_NAME_CHARS = 100;

/**
 * Returns the class and the stack frames of an error, without its message: the message may quote the user or the model.
 */
export function locateThrown(error: unknown): { error?: string; at?: string[] } {
  if (!(error instanceof Error)) return { error: typeof error };
  const { name, message, stack = '' } = error;
  const at = listFrames(stack, message);
  return { error: name.slice(0, MAX_NAME_CHARS), ...(at.length > 0 && { at }) };
}

/** A stack that does not contain the message was built before the message was set: its frames are unknown. */
function listFrames(stack: string, message: string): string[] {
  const start = stack.indexOf(message);
  if (start < 0) return [];
  const lines = stack.slice(start + message.length).split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_FRAMES)
    .map((line) => line.slice('at '.length));
}
