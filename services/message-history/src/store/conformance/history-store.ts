// Conformance suite of history stores. The test of each implementation calls `describeHistoryStore` and adds its own
// cases.
import { afterAll, beforeAll, describe } from 'vitest';
import { describeBeginning } from './beginning.ts';
import { describeConcurrency } from './concurrency.ts';
import { describeEditing } from './editing.ts';
import { describeIsolation } from './isolation.ts';
import { describeReading } from './reading.ts';
import { describeReplacing } from './replacing.ts';
import { describeSaving } from './saving.ts';
import { describeThreads } from './threads.ts';
import type { HistoryStore } from '../history-store.ts';

/** Opens one more connection to the same data. The suite closes every store that it opens, and uses its own tenants. */
export type OpenHistoryStore = () => Promise<HistoryStore>;

export function describeHistoryStore(name: string, open: OpenHistoryStore): void {
  describe(`${name}, as a history store`, () => {
    let shared: HistoryStore | undefined;
    let failure: unknown;
    beforeAll(async () => {
      // Not thrown here: if the machine cannot run the server, each test is skipped with the reason.
      shared = await open().catch((error: unknown) => void (failure = error));
    });
    afterAll(() => shared?.close());
    const store = (): HistoryStore => {
      if (shared === undefined) throw new Error(`${name} could not be opened`, { cause: failure });
      return shared;
    };

    describeBeginning(store);
    describeSaving(store);
    describeReplacing(store);
    describeReading(store);
    describeThreads(store);
    describeEditing(store);
    describeIsolation(store);
    describeConcurrency(open);
  });
}
