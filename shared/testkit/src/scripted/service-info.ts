// Builds the metadata of an endpoint for tests.
import { WIRE_PROTOCOL, type EndpointMetadata, type Stage } from '@millrace/contracts';

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
