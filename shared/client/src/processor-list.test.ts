import { METADATA_KEY, createSubjects, type SrvInfo } from '@millrace/contracts';
import { processorEndpoint, serviceInfo } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { listProcessors } from './processor-list.ts';

const list = (...infos: SrvInfo[]) => listProcessors(infos, createSubjects());

test('A processor is one item with all replicas and stages, for any number of endpoints', () => {
  const endpoints = [processorEndpoint('pii', 'processInput'), processorEndpoint('pii', 'processOutputStream')];
  const infos = [serviceInfo('guardrails', 'r2', endpoints), serviceInfo('guardrails', 'r1', endpoints)];
  expect(list(...infos).processors).toMatchObject([
    { id: 'pii', service: 'guardrails', replicas: ['r1', 'r2'], stages: ['processInput', 'processOutputStream'] },
  ]);
});

test('Processors are sorted by name; of two claims the first service’s is used, and the other is reported', () => {
  const { processors, refused } = list(
    serviceInfo('hot-pii', 'r2', [processorEndpoint('pii', 'processInput')]),
    serviceInfo('guardrails', 'r1', [
      processorEndpoint('pii', 'processInput'),
      processorEndpoint('keyword', 'processInput'),
    ]),
  );
  expect(processors.map(({ id, service }) => `${id} ${service}`)).toEqual(['keyword guardrails', 'pii guardrails']);
  expect(refused).toMatchObject([{ service: 'hot-pii', name: 'pii' }]);
});

test('Endpoints that are no processors of this Millrace are omitted: tools, other services, other prefixes', () => {
  const endpoint = (metadata: SrvInfo['endpoints'][number]['metadata']) => ({ name: 'x', subject: 'x', metadata });
  const elsewhere = { ...processorEndpoint('pii', 'processInput'), subject: 'elsewhere.stage.processInput.pii' };
  const others = [endpoint(null), endpoint({}), endpoint({ [METADATA_KEY]: '{' }), elsewhere];
  expect(list(serviceInfo('others', 'r1', others))).toEqual({ processors: [], refused: [] });
});

test('An invalid advertisement is reported with its problem', () => {
  const broken = { ...processorEndpoint('pii', 'processInput'), metadata: { [METADATA_KEY]: '{"kind":"processor"}' } };
  expect(list(serviceInfo('guards', 'r1', [broken])).refused).toMatchObject([{ service: 'guards' }]);
});
