import { gatherInfo } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { findNamed } from './find-targets.ts';
import { scriptProcessor } from './testing/scripted-processor.ts';

const nats = useNats();
const checker = useBus(nats, 'check');
const operator = useBus(nats, 'client', { role: 'operator' });

test('A busy processor that answers late is found', async () => {
  const bus = await checker.connect({ name: 'busy' });
  const { stop } = await scriptProcessor(bus, 'busy', {});
  const [info] = await gatherInfo(checker.bus, { gatherMs: 5_000, max: 1 });
  stop();
  const late = await checker.connect({ name: 'busy' });
  late.nc.subscribe('$SRV.INFO', {
    callback: (_error, message) => void setTimeout(() => message.respond(JSON.stringify(info)), 800),
  });
  await late.nc.flush();
  const { processors } = await findNamed(checker.bus, 'busy');
  expect(processors.map(({ descriptor }) => descriptor.id)).toEqual(['busy']);
});

test('A user that may not find services gets permission-denied with the key of the checker as its remedy', async () => {
  await expect(findNamed(operator.bus, 'pii')).rejects.toMatchObject({
    code: 'permission-denied',
    remedy: expect.stringContaining('checker/user.nk'),
  });
});
