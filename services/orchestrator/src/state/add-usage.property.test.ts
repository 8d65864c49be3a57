// The usage that processors report adds up by entry, and changes nothing else of the run's usage.
import type { RunAction } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldActions, makeState } from '../testing/run-states.ts';

const counts = fc.record(
  { modelCalls: fc.nat(1_000_000_000), inputTokens: fc.nat(1_000_000_000), outputTokens: fc.nat(1_000_000_000) },
  { requiredKeys: [] },
);
const billed = fc.record({ entry: fc.constantFrom('judge', 'pii', '__proto__', 'constructor'), usage: counts });

test('in any order and in any number of actions', () => {
  fc.assert(
    fc.property(fc.array(billed, { maxLength: 20 }), (all) => {
      const paid: RunAction = { action: 'model-answered', usage: { inputTokens: 3, cost: 0.5 } };
      const once = foldActions(makeState(), paid, { action: 'processors-billed', usage: all });
      const singly = foldActions(
        makeState(),
        ...all.map((one): RunAction => ({ action: 'processors-billed', usage: [one] })),
        paid,
      );
      expect(once.usage).toMatchObject({ inputTokens: 3, cost: 0.5 });
      expect(singly.usage.processors ?? []).toEqual(once.usage.processors);
      for (const { entry, modelCalls, inputTokens, outputTokens } of once.usage.processors ?? []) {
        const own = all.filter((one) => one.entry === entry).map(({ usage }) => usage);
        const sum = (name: keyof (typeof own)[number]) => own.reduce((total, usage) => total + (usage[name] ?? 0), 0);
        expect([modelCalls, inputTokens, outputTokens]).toEqual([
          sum('modelCalls'),
          sum('inputTokens'),
          sum('outputTokens'),
        ]);
      }
    }),
  );
});
