// Bounds the compile cache that all test processes share. Node.js never removes an entry, and each run adds its test files again, because
// Vitest imports them by a new address.
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that vitest.config.ts sets. A folder that the caller has chosen is the caller's. */
export const COMPILE_CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/compiled');
/** About 350 MB, which a dozen runs write. The run after the removal compiles all sources again. */
const MAX_ENTRIES = 60_000;

/** Removes the folder if it has more entries than the maximum. A folder that does not exist has none. */
export function limitCompileCache(folder: string, maxEntries = MAX_ENTRIES): void {
  const versions = list(folder);
  const entries = versions.reduce((sum, version) => sum + list(join(folder, version)).length, 0);
  if (entries <= maxEntries) return;
  try {
    // Renamed first: another run may be writing entries.
    const removed = `${folder}-${process.pid}`;
    renameSync(folder, removed);
    rmSync(removed, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    process.stderr.write(`The compile cache ${folder} cannot be removed: ${String(error)}\n`);
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
