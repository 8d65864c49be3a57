import { processorBounds } from '@millrace/testkit';
import { afterAll, beforeAll } from 'vitest';
import { createMemoryRig } from '../testing/memory-rig.ts';

let rig: Awaited<ReturnType<typeof createMemoryRig>>;
beforeAll(async () => {
  rig = await createMemoryRig();
  rig.provider.answer(() => ({ name: 'Ada' }));
});
afterAll(() => rig.close());

processorBounds(() => rig.definition, [{ template: 'Name: {{name}}' }]);
