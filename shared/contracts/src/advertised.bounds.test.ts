import { describe, expect, test } from 'vitest';
import { ADVERTISED_LIMITS, readAdvertised } from './advertised.ts';
import { METADATA_KEY, type SrvInfo } from './discovery.ts';
import { createSubjects } from './subjects.ts';

const subjects = createSubjects('mr.v1');
const descriptor = (id: string, more: object = {}) => ({
  id,
  description: 'of a test',
  version: '1.0.0',
  stages: ['processInput'],
  reads: ['input'],
  processDataParts: false,
  optionsSchema: {},
  lists: ['input'],
  policy: { timeoutMs: 1_000, attempts: 1, onFailure: 'fail' },
  ...more,
});
const endpoint = (metadata: object | string, subject: string) => ({
  name: 'one',
  subject,
  metadata: { [METADATA_KEY]: typeof metadata === 'string' ? metadata : JSON.stringify(metadata) },
});
const processor = (id: string, more: object = {}, prefix = 'mr.v1') =>
  endpoint(
    { kind: 'processor', stage: 'processInput', descriptor: descriptor(id, more) },
    `${prefix}.stage.processInput.${id}`,
  );
const service = (name: string, endpoints: SrvInfo['endpoints'], id = 'r1'): SrvInfo => ({
  type: 'io.nats.micro.v1.info_response',
  name,
  id,
  version: '1.0.0',
  metadata: {},
  description: '',
  endpoints,
});
const read = (...infos: SrvInfo[]) => readAdvertised(infos, subjects);

describe('endpoints', () => {
  test('of processes that together have too many endpoints those with the fewest count', () => {
    const large = Array.from({ length: 60 }, (_service, n) =>
      service(
        `s${n}`,
        Array.from({ length: 500 }, () => processor(`p${n}`)),
        `r${n}`,
      ),
    );
    const { processors, refused } = read(...large, service('guards', [processor('pii')]));
    expect(processors.has('pii')).toBe(true);
    expect(processors.size).toBe(1 + Math.floor(ADVERTISED_LIMITS.maxEndpointsOfAll / 500) - 1);
    expect(refused[0]?.problem).toBe('more than 20000 endpoints are advertised');
  });

  test('no more processors are taken than all services together may have', () => {
    const many = Array.from({ length: 6 }, (_service, n) =>
      service(
        `s${n}`,
        Array.from({ length: 400 }, (_, at) => processor(`p${n}-${at}`)),
      ),
    );
    expect(read(...many).processors.size).toBe(ADVERTISED_LIMITS.maxProcessors);
  });
});
