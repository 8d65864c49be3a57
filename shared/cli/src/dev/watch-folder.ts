// Watches the sources in a folder and its subfolders, without those of installed packages, caches and virtual environments.
import { existsSync, watch, type FSWatcher } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Maximum number of watched folders. */
const MAX_FOLDERS = 500;
/** An editor writes a file in several operations. */
const SETTLE_MS = 100;
const SKIPPED = new Set(['node_modules', '__pycache__', 'dist']);
const SOURCE = /\.(?:[cm]?[jt]s|json|py|ya?ml|txt)$/;

export type FolderWatch = {
  /** Resolves with the changed files, soon after the first change; with an empty list after `close`. */
  nextChange(): Promise<string[]>;
  close(): void;
};

/**
 * @param onFull called once, if the folder has more subfolders than are watched
 * @throws if the folder cannot be read
 */
export async function watchFolder(folder: string, onFull: (limit: number) => void): Promise<FolderWatch> {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  const state: { timer?: NodeJS.Timeout; isClosed: boolean; isFull: boolean; waiting?: (files: string[]) => void } = {
    isClosed: false,
    isFull: false,
  };

  const flush = () => {
    delete state.timer;
    if (!state.waiting || (changed.size === 0 && !state.isClosed)) return;
    state.waiting([...changed].toSorted());
    delete state.waiting;
    changed.clear();
  };
  /** From the first change on: a file that is written without end must not hide the change of another one. */
  const schedule = () => void (state.timer ??= setTimeout(flush, SETTLE_MS));
  const forget = (path: string) => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  const add = async (path: string): Promise<void> => {
    // A folder that was deleted and created again needs a new watch.
    forget(path);
    if (state.isClosed || isEnvironment(path)) return;
    if (watchers.size >= MAX_FOLDERS) {
      if (!state.isFull) onFull(MAX_FOLDERS);
      state.isFull = true;
      return;
    }
    const watcher = watch(path, (_event, name) => handleChange(path, name ?? ''));
    watcher.on('error', () => forget(path));
    watchers.set(path, watcher);
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries)
      if (entry.isDirectory() && isWatched(entry.name)) await addWithin(join(path, entry.name));
  };
  /** A subfolder that cannot be read, or is deleted at the same time, is not watched. */
  const addWithin = (path: string): Promise<void> => add(path).catch(() => forget(path));
  const addCreated = async (path: string): Promise<void> => {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) await addWithin(path);
    else forget(path);
  };
  const handleChange = (path: string, name: string): void => {
    if (!isWatched(name)) return;
    // A new folder has no watch yet.
    if (!SOURCE.test(name)) return void addCreated(join(path, name));
    changed.add(relative(folder, join(path, name)));
    schedule();
  };
  await add(folder);
  return {
    nextChange: () =>
      new Promise((resolve) => {
        state.waiting = resolve;
        if (state.isClosed) flush();
        // Files that changed while the program was stopped.
        else if (changed.size > 0) schedule();
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
/** A virtual environment of Python, which has thousands of files. */
const isEnvironment = (path: string): boolean => existsSync(join(path, 'pyvenv.cfg'));
