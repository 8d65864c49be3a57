// Runs the processor conformance suite on semantic-recall.
import { processorConformance } from '@millrace/testkit';
import { afterAll, beforeAll } from 'vitest';
import { createRecallRig } from '../testing/recall-rig.ts';

let rig: Awaited<ReturnType<typeof createRecallRig>>;
beforeAll(async () => {
  rig = await createRecallRig();
});
afterAll(() => rig.close());

processorConformance(() => rig.definition, { options: [{}, { scope: 'thread', topK: 1, messageRange: 0 }] });
