// Reads the log files of the local stack: their ends at first, then the appended lines.
import { open, readdir, watch, type FileChangeInfo } from 'node:fs/promises';
import { join } from 'node:path';
import { readLine, type LogFilter, type LogLine } from './log-lines.ts';

/** Read of each file at most: its end. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Returns the lines of all files in the order of time, and the offset at which each file ended. */
export async function readLogs(
  folder: string,
  filter: LogFilter,
): Promise<{ lines: LogLine[]; offsets: Map<string, number> }> {
  const offsets = new Map<string, number>();
  const lines: LogLine[] = [];
  for (const file of await listFiles(folder, filter)) lines.push(...(await readAppended(folder, file, offsets)));
  return { lines: lines.toSorted((one, other) => one.time - other.time), offsets };
}

/** Yields appended lines until the signal fires. A file that became shorter was replaced, and is read from its start. */
export async function* followLogs(
  folder: string,
  offsets: Map<string, number>,
  filter: LogFilter,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  try {
    const changes = watch(folder, { signal })[Symbol.asyncIterator]();
    // The watch begins with the first request for a change, and buffers the changes until the next one.
    let change = requestChange(changes);
    for (const file of await listFiles(folder, filter)) yield* await readAppended(folder, file, offsets);
    for (let next = await change; next.done !== true; next = await change) {
      change = requestChange(changes);
      const filename = next.value.filename ?? '';
      if (isWanted(filename, filter)) yield* await readAppended(folder, filename, offsets);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type FileChanges = AsyncIterator<FileChangeInfo<string>, unknown>;

/** An abort rejects the request while lines are printed: it is handled when the change is awaited. */
function requestChange(changes: FileChanges): ReturnType<FileChanges['next']> {
  const change = changes.next();
  change.catch(() => undefined);
  return change;
}

const readService = (file: string): string => file.slice(0, -'.log'.length);
const isWanted = (file: string, { services }: LogFilter): boolean =>
  file.endsWith('.log') && (services === undefined || services.includes(readService(file)));

async function listFiles(folder: string, filter: LogFilter): Promise<string[]> {
  return (await readdir(folder)).filter((file) => isWanted(file, filter)).toSorted();
}

async function readAppended(folder: string, file: string, offsets: Map<string, number>): Promise<LogLine[]> {
  const handle = await open(join(folder, file), 'r').catch(() => undefined);
  if (!handle) return [];
  try {
    const { size } = await handle.stat();
    const known = offsets.get(file);
    const from = known !== undefined && known <= size ? known : Math.max(0, size - MAX_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size - from, MAX_BYTES)), 0, null, from);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    // A line that is still being written is read with its end.
    const end = text.lastIndexOf('\n') + 1;
    offsets.set(file, from + Buffer.byteLength(text.slice(0, end)));
    return toLines(readService(file), text.slice(0, end));
  } finally {
    await handle.close();
  }
}

function toLines(service: string, text: string): LogLine[] {
  const lines: LogLine[] = [];
  for (const line of text.split('\n').slice(0, -1)) lines.push(readLine(service, line, lines.at(-1)?.time ?? 0));
  return lines;
}
