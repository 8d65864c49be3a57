// What discovery says, for tests that resolve agents: shipped names with made-up stages and options.
import { LIST_OF_STAGE, type ProcessorDescriptor, type Stage, type ToolDefinition } from '@millrace/contracts';
import type { Known } from '../agents/entry-uses.ts';
import type { FoundProcessor } from '../peers/discovery.ts';

export function found(id: string, stages: Stage[], more: Partial<ProcessorDescriptor> = {}): FoundProcessor {
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

const memory = (id: string) => found(id, ['processInput', 'processOutputResult']);

export const processors: ReadonlyMap<string, FoundProcessor> = new Map(
  [
    found('pii', ['processInput', 'processOutputStream', 'processOutputResult'], { aliases: ['PIIDetector'] }),
    found('keyword', ['processInput', 'processOutputStream']),
    found('unicode-normalizer', ['processInput']),
    found('tool-guard', ['processToolCall', 'processToolResult']),
    found('fallback', ['processAPIError']),
    found('stepper', ['processInput', 'processInputStep']),
    memory('message-history'),
    memory('semantic-recall'),
    memory('working-memory'),
  ].map((one) => [one.descriptor.id, one]),
);

export const clock: ToolDefinition = {
  name: 'clock',
  description: 'tells the time',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.clock',
  idempotent: true,
  timeoutMs: 1_000,
};
export const known: Known = { processors, tools: new Map([['clock', clock]]), refused: [] };
