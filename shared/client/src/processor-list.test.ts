import { METADATA_KEY, type SrvInfo } from '@millrace/contracts';
import { expect, it } from 'vitest';
import { processorsOf } from './processor-list.ts';
import { processorEndpoint, serviceInfo } from '@millrace/testkit';

it('is a line for each processor, with all replicas and stages, however many endpoints it has', () => {
  const endpoints = [processorEndpoint('pii', 'processInput'), processorEndpoint('pii', 'processOutputStream')];
  const infos = [serviceInfo('guardrails', 'r2', endpoints), serviceInfo('guardrails', 'r1', endpoints)];
  expect(processorsOf(infos)).toMatchObject([
    { id: 'pii', service: 'guardrails', replicas: ['r1', 'r2'], stages: ['processInput', 'processOutputStream'] },
  ]);
});

it('is in the order of names, and tells services apart that serve the same', () => {
  const infos = [
    serviceInfo('guardrails', 'r1', [
      processorEndpoint('pii', 'processInput'),
      processorEndpoint('keyword', 'processInput'),
    ]),
    serviceInfo('hot-pii', 'r2', [processorEndpoint('pii', 'processInput')]),
  ];
  expect(processorsOf(infos).map(({ id, service }) => `${id} ${service}`)).toEqual([
    'keyword guardrails',
    'pii guardrails',
    'pii hot-pii',
  ]);
});

it('leaves out what is no processor: tools, other services, metadata that does not fit', () => {
  const endpoint = (metadata: SrvInfo['endpoints'][number]['metadata']) => ({ name: 'x', subject: 'x', metadata });
  const infos = [
    serviceInfo('others', 'r1', [
      endpoint(null),
      endpoint({}),
      endpoint({ [METADATA_KEY]: '{' }),
      endpoint({ [METADATA_KEY]: '{"kind":"api"}' }),
      endpoint({ [METADATA_KEY]: '{"kind":"processor"}' }),
    ]),
  ];
  expect(processorsOf(infos)).toEqual([]);
});
