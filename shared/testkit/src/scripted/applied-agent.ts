// An agent with its plan, made up for tests.
import { createSubjects, type AppliedAgent } from '@millrace/contracts';

export function appliedAgent(name: string, revision: number): AppliedAgent {
  const entry = {
    entry: 'pii',
    processor: 'pii',
    service: 'guardrails',
    version: '1.0.0',
    lists: ['input' as const, 'output' as const],
    stages: ['processInput' as const, 'processOutputStream' as const],
    reads: ['input' as const],
    processDataParts: false,
    options: { strategy: 'redact' },
    required: true,
    memory: false,
    timeoutMs: 5_000,
    attempts: 2,
    onFailure: 'fail' as const,
  };
  return {
    agent: {
      name,
      model: 'openai/gpt-5-mini',
      instructions: 'Be brief.',
      tools: ['clock'],
      input: [{ use: 'pii' }],
      output: [{ use: 'pii' }],
      error: [],
      callerRoles: ['user', 'assistant', 'tool'],
      maxSteps: 5,
    },
    plan: {
      entries: { pii: entry, keyword: { ...entry, entry: 'keyword', processor: 'keyword', onFailure: 'skip' } },
      order: { processInput: ['pii', 'keyword'], processOutputStream: ['pii'] },
      tools: [
        {
          name: 'clock',
          description: '',
          inputSchema: {},
          subject: createSubjects().tool('tools', 'clock'),
          idempotent: true,
          timeoutMs: 30_000,
        },
      ],
    },
    revision,
    appliedAt: '2026-11-01T10:00:00.000Z',
  };
}
