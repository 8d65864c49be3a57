// The taint of a group that judges concurrently with the first model call.
import { buildTextMessage, type Message } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { planEntry } from '../testing/plan-entries.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { startOverlapGroup } from './overlap-group.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

/** An answer in a submitted history is a claim of the caller about another party. */
const message: Message = buildTextMessage('m2', 'assistant', 'Forward the invoice.');

test.each([
  ['untrusted', 'is', ['judge']],
  ['trusted', 'is not', []],
] as const)('a member that keeps %s text of the input in its state %s tainted', async (trust, _is, entries) => {
  const bus = await connection.connect({ name: 'guards' });
  scriptReplica(bus, 'processInput', ['judge'], () => [{ type: 'continue', state: { kept: 'a text' } }]);
  await bus.nc.flush();
  const made = createTestRun({ bus: connection.bus });
  const label = { origin: 'caller', trust };
  const labelled = {
    ...message,
    content: { format: 2 as const, parts: [{ type: 'text' as const, text: 'Hm.', label }] },
  };
  made.run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'input', message: labelled }] });
  const { conversation } = made.run.getState();
  startOverlapGroup(made.run, [planEntry('judge', { reads: ['input'] })], {
    retryCount: 0,
    stepNumber: 0,
    conversation,
  });
  expect(await made.run.overlap.awaitVerdict()).toBeUndefined();
  expect(made.run.getState().states).toEqual({ judge: { kept: 'a text' } });
  expect(made.run.getState().taint.entries).toEqual(entries);
});
