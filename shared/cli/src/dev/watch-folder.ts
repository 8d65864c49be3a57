// Watches the sources in a folder and its subfolders, without those of installed packages and caches.
import { watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Maximum number of watched folders. */
const MAX_FOLDERS = 500;
/** An editor writes a file in several operations. */
const SETTLE_MS = 100;
const SKIPPED = new Set(['node_modules', '__pycache__', 'dist']);
const SOURCE = /\.(?:[cm]?[jt]s|json|py|ya?ml|txt)$/;

export type FolderWatch = {
  /** Resolves with the changed files, once no further change follows; with an empty list after `close`. */
  nextChange(): Promise<string[]>;
  close(): void;
};

/** @throws if the folder cannot be read */
export async function watchFolder(folder: string): Promise<FolderWatch> {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  const state: { timer?: NodeJS.Timeout; isClosed: boolean; waiting?: (files: string[]) => void } = { isClosed: false };

  const flush = () => {
    if (!state.waiting || (changed.size === 0 && !state.isClosed)) return;
    state.waiting([...changed].toSorted());
    delete state.waiting;
    changed.clear();
  };
  const add = async (path: string): Promise<void> => {
    if (state.isClosed || watchers.has(path) || watchers.size >= MAX_FOLDERS) return;
    const watcher = watch(path, (_event, name) => notice(path, name ?? ''));
    // A folder that is deleted ends its watch.
    watcher.on('error', () => watcher.close());
    watchers.set(path, watcher);
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory() && isWatched(entry.name)) await add(join(path, entry.name));
  };
  const notice = (path: string, name: string): void => {
    if (!isWatched(name)) return;
    // A new folder has no watch yet; a file in its place is an error.
    if (!SOURCE.test(name)) return void add(join(path, name)).catch(() => undefined);
    changed.add(relative(folder, join(path, name)));
    clearTimeout(state.timer);
    state.timer = setTimeout(flush, SETTLE_MS);
  };
  await add(folder);
  return {
    nextChange: () =>
      new Promise((resolve) => {
        state.waiting = resolve;
        if (state.isClosed) flush();
      }),
    close() {
      state.isClosed = true;
      clearTimeout(state.timer);
      for (const watcher of watchers.values()) watcher.close();
      changed.clear();
      flush();
    },
  };
}

const isWatched = (name: string): boolean => name !== '' && !name.startsWith('.') && !SKIPPED.has(name);
