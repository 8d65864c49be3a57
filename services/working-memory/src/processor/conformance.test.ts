// Runs the processor conformance suite on working-memory.
import { processorConformance } from '@millrace/testkit';
import { afterAll, beforeAll } from 'vitest';
import { createMemoryRig } from '../testing/memory-rig.ts';

let rig: Awaited<ReturnType<typeof createMemoryRig>>;
beforeAll(async () => {
  rig = await createMemoryRig();
  rig.provider.answer(() => ({ name: 'Ada' }));
});
afterAll(() => rig.close());

processorConformance(() => rig.definition, {
  options: [{}, { template: 'Name: {{name}}', scope: 'thread' }, { readOnly: true }],
});
