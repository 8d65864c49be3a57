// A foreign processor as a service of its own, called over a real bus.
import { processorService } from '@millrace/processor';
import { askStage, callEntry, conversationOf, stageCall, useBus, useNats, useService } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { Lowercase, Swallower } from '../testing/foreign-classes.ts';
import { foreignProcessor } from './foreign-processor.ts';

const nats = useNats();
const client = useBus(nats, 'asking');
const version = '1.0.0';
const processors = [
  foreignProcessor(new Lowercase(), { id: 'lowercase', version }),
  foreignProcessor(new Swallower(), { id: 'swallower', version }),
];
useService(processorService({ name: 'foreign', version, processors }), () => ({ NATS_URL: nats.url }));

test('foreign processors answer on the bus as ours do, adjacent ones in one call', async () => {
  const input = { conversation: conversationOf({ input: ['HELLO'] }) };
  const call = stageCall('processInput', [callEntry('lowercase'), callEntry('swallower')], input);
  const answer = await askStage(client.bus, call);
  expect(answer).toMatchObject([
    { type: 'continue', changes: { ops: [{ op: 'replace', message: { content: { parts: [{ text: 'hello' }] } } }] } },
    { type: 'abort', reason: 'the model is down' },
  ]);
});
