// Discovered processors for tests that resolve agents: shipped names with invented stages and options.
import {
  LIST_OF_STAGE,
  type MemoryKey,
  type ProcessorDescriptor,
  type Stage,
  type ToolDefinition,
} from '@millrace/contracts';
import type { KnownProcessors } from '../agents/entry-uses.ts';
import type { DiscoveredProcessor } from '../peers/discovery.ts';

export function makeFound(id: string, stages: Stage[], more: Partial<ProcessorDescriptor> = {}): DiscoveredProcessor {
  const descriptor: ProcessorDescriptor = {
    id,
    description: `${id} of a test`,
    version: '1.2.3',
    stages,
    reads: ['input'],
    processDataParts: false,
    optionsSchema: {
      type: 'object',
      properties: { level: { enum: ['low', 'high'] }, lastMessages: { type: 'integer' } },
      additionalProperties: false,
    },
    aliases: [],
    lists: [...new Set(stages.map((stage) => LIST_OF_STAGE[stage]))],
    policy: { timeoutMs: 5_000, attempts: 2, onFailure: 'fail' },
    ...more,
  };
  return { descriptor, service: 'guards', replicas: ['r1'] };
}

const memory = (id: string, memoryKey: MemoryKey) =>
  makeFound(id, ['processInput', 'processOutputResult'], {
    memoryKey,
    aliases: id === 'message-history' ? ['MessageHistory'] : [],
  });

export const processors: ReadonlyMap<string, DiscoveredProcessor> = new Map(
  [
    makeFound('pii', ['processInput', 'processOutputStream', 'processOutputResult'], { aliases: ['PIIDetector'] }),
    makeFound('keyword', ['processInput', 'processOutputStream']),
    makeFound('unicode-normalizer', ['processInput']),
    makeFound('tool-guard', ['processToolCall', 'processToolResult']),
    makeFound('fallback', ['processAPIError']),
    makeFound('stepper', ['processInput', 'processInputStep']),
    memory('message-history', 'lastMessages'),
    memory('semantic-recall', 'semanticRecall'),
    memory('working-memory', 'workingMemory'),
  ].map((one) => [one.descriptor.id, one]),
);

export const clock: ToolDefinition = {
  name: 'clock',
  description: 'returns the time',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.tools.clock',
  idempotent: true,
  timeoutMs: 1_000,
};
export const known: KnownProcessors = {
  processors,
  tools: new Map([['clock', { tool: clock, service: 'tools' }]]),
  refused: [],
};
