// Builds discovery replies of services for tests.
import {
  METADATA_KEY,
  WIRE_PROTOCOL,
  createSubjects,
  type EndpointMetadata,
  type SrvInfo,
  type Stage,
} from '@millrace/contracts';

type EndpointInfo = SrvInfo['endpoints'][number];

export function serviceInfo(name: string, id: string, endpoints: EndpointInfo[]): SrvInfo {
  const identity = { name, id, version: '0.1.0', metadata: {} };
  return { type: 'io.nats.micro.v1.info_response', ...identity, description: '', endpoints };
}

export function processorMetadata(processor: string, stage: Stage): EndpointMetadata {
  const descriptor = {
    id: processor,
    description: `${processor} for tests`,
    version: '1.0.0',
    stages: ['processInput' as const, 'processOutputStream' as const],
    reads: ['input' as const],
    processDataParts: false,
    optionsSchema: { type: 'object', properties: { strategy: { type: 'string' } } },
    aliases: [],
    lists: ['input' as const, 'output' as const],
    policy: { timeoutMs: 5_000, attempts: 2, onFailure: 'fail' as const },
  };
  return { kind: 'processor', protocol: WIRE_PROTOCOL, descriptor, stage };
}

export function processorEndpoint(processor: string, stage: Stage, service = 'guardrails'): EndpointInfo {
  const metadata = { [METADATA_KEY]: JSON.stringify(processorMetadata(processor, stage)) };
  return {
    name: `${stage}-${processor}`,
    subject: createSubjects().stage(stage, { service, processor }),
    queue_group: processor,
    metadata,
  };
}
