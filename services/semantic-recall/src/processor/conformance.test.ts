// semantic-recall keeps what every processor promises.
import { processorConformance } from '@millrace/testkit';
import { afterAll, beforeAll } from 'vitest';
import { createRecallRig } from '../testing/recall-rig.ts';

let rig: Awaited<ReturnType<typeof createRecallRig>>;
beforeAll(async () => {
  rig = await createRecallRig();
});
afterAll(() => rig.close());

processorConformance(() => rig.definition, { options: [{}, { scope: 'thread', topK: 1, messageRange: 0 }] });
