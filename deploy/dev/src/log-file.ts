// The log of one service: appended over all its lives, so that the death before a restart can be read, and bounded: a large one
// is put aside when it is opened.
import { mkdir, open, rename, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** At this size a log becomes `<file>.1` (the one before is dropped) at the next start of its service. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

export async function openLogFile(path: string, maxBytes = MAX_LOG_BYTES): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true });
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size >= maxBytes) await rename(path, `${path}.1`);
  return open(path, 'a');
}

/** Returns the last lines, at most `bytes`, for a message about a crashed service. Empty without a log. */
export async function readTail(path: string, bytes = 1_000): Promise<string> {
  const log = await open(path, 'r').catch(() => undefined);
  if (log === undefined) return '';
  try {
    const { size } = await log.stat();
    const from = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(bytes), 0, bytes, from);
    const text = buffer.toString('utf8', 0, bytesRead).trim();
    // The first line is cut unless the file begins with it.
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await log.close();
  }
}
