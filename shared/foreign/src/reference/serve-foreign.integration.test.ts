// A foreign processor as a service of its own, called over a real bus.
import { processorService } from '@millrace/processor';
import {
  askStage,
  callEntry,
  buildConversation,
  stageCall,
  useBus,
  useNats,
  useService,
  useStack,
} from '@millrace/testkit';
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

const stack = useStack(nats, ['orchestrator']);

test('foreign processors answer on the bus as ours do, adjacent ones in one call', async () => {
  const input = { conversation: buildConversation({ input: ['HELLO'] }) };
  const call = stageCall('processInput', [callEntry('lowercase'), callEntry('swallower')], input);
  const answer = await askStage(client.bus, 'foreign', call);
  expect(answer).toMatchObject([
    { type: 'continue', changes: { ops: [{ op: 'replace', message: { content: { parts: [{ text: 'hello' }] } } }] } },
    { type: 'abort', reason: 'the model is down' },
  ]);
});

test('serveForeign is all of a program: it shows up as a processor, and ends in good order', async () => {
  await stack.startProgram('their-lowercase', new URL('../testing/lowercase-main.ts', import.meta.url).pathname);
  const { processors } = await stack.client.processors.survey();
  expect(processors.map(({ id, version }) => [id, version])).toContainEqual(['their-lowercase', '1.2.3']);
  await stack.signal('their-lowercase', 'SIGTERM');
  expect(await stack.log('their-lowercase')).toMatch(/SIGTERM, draining/);
});
