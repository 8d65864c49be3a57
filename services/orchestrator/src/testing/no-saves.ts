// A queue without deferred saves that accepts none.
import type { DeferredSaves } from '../saves/deferred-saves.ts';

export const noSaves: DeferredSaves = {
  isWaiting: () => false,
  list: () => [],
  add: async () => false,
  listDue: () => [],
  readKept: async () => undefined,
  change: async () => undefined,
  remove: async () => undefined,
  drop: async () => undefined,
  reload: async () => undefined,
  stop: () => undefined,
};
