import { processorBounds } from '@millrace/testkit';
import { afterAll, beforeAll } from 'vitest';
import { createRecallRig } from '../testing/recall-rig.ts';

let rig: Awaited<ReturnType<typeof createRecallRig>>;
beforeAll(async () => {
  rig = await createRecallRig();
});
afterAll(() => rig.close());

processorBounds(() => rig.definition);
