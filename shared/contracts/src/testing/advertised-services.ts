// Builds advertisements of services as discovery reads them.
import { readAdvertised } from '../advertised.ts';
import { METADATA_KEY, type SrvInfo } from '../discovery.ts';
import { createSubjects } from '../subjects.ts';

const subjects = createSubjects('mr.v1');
export const descriptor = (id: string, more: object = {}) => ({
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
export const endpoint = (metadata: object | string, subject: string) => ({
  name: 'one',
  subject,
  metadata: { [METADATA_KEY]: typeof metadata === 'string' ? metadata : JSON.stringify(metadata) },
});
export const processor = (id: string, more: object = {}, prefix = 'mr.v1') =>
  endpoint(
    { kind: 'processor', stage: 'processInput', descriptor: descriptor(id, more) },
    `${prefix}.stage.processInput.${id}`,
  );
export const tool = (name: string) =>
  endpoint(
    { kind: 'tool', tool: { name, description: '', inputSchema: {}, subject: `mr.v1.tool.${name}` } },
    `mr.v1.tool.${name}`,
  );
export const service = (name: string, endpoints: SrvInfo['endpoints'], id = 'r1'): SrvInfo => ({
  type: 'io.nats.micro.v1.info_response',
  name,
  id,
  version: '1.0.0',
  metadata: {},
  description: '',
  endpoints,
});
export const read = (...infos: SrvInfo[]) => readAdvertised(infos, subjects);
