// No save waits, and none can be put off.
import type { PutOffSaves } from '../state/put-off-saves.ts';

export const noSaves: PutOffSaves = {
  isWaiting: () => false,
  list: () => [],
  add: async () => false,
  due: () => [],
  read: async () => undefined,
  change: async () => undefined,
  remove: async () => undefined,
  reload: async () => undefined,
  stop: () => undefined,
};
