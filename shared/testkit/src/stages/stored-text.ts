// Counts a text in the files of an embedded store, as a reader of the disk finds it.
import { existsSync, readFileSync } from 'node:fs';

/** Returns the number of occurrences in the database file and in its write-ahead log. */
export function countStoredText(path: string, text: string): number {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file));
  return files.reduce((total, file) => total + readFileSync(file, 'latin1').split(text).length - 1, 0);
}
