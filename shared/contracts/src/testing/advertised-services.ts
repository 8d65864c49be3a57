// Builds advertisements of services as discovery reads them.
import { readAdvertised } from '../api/advertised.ts';
import { METADATA_KEY, WIRE_PROTOCOL, type SrvInfo } from '../agent/discovery.ts';
import { createSubjects } from '../api/subjects.ts';

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
/** Replaced in a subject by the name of the service that advertises the endpoint. */
export const OWN = '{service}';
export const endpoint = (metadata: object | string, subject: string) => ({
  name: 'one',
  subject,
  metadata: { [METADATA_KEY]: typeof metadata === 'string' ? metadata : JSON.stringify(metadata) },
});
export const processor = (id: string, more: object = {}, prefix = 'mr.v1') =>
  endpoint(
    { kind: 'processor', protocol: WIRE_PROTOCOL, stage: 'processInput', descriptor: descriptor(id, more) },
    `${prefix}.stage.processInput.${OWN}.${id}`,
  );
export const tool = (name: string) =>
  endpoint(
    {
      kind: 'tool',
      protocol: WIRE_PROTOCOL,
      tool: { name, description: '', inputSchema: {}, subject: `mr.v1.tool.${OWN}.${name}` },
    },
    `mr.v1.tool.${OWN}.${name}`,
  );
export const service = (name: string, endpoints: SrvInfo['endpoints'], id = 'r1'): SrvInfo => ({
  type: 'io.nats.micro.v1.info_response',
  name,
  id,
  version: '1.0.0',
  metadata: {},
  description: '',
  endpoints: endpoints.map((one) => ({ ...one, subject: one.subject.replace(OWN, name) })),
});
export const read = (...infos: SrvInfo[]) => readAdvertised(infos, subjects);
