// The ids of the processors and tools that ship with Millrace. Two services that serve one id exclude each other.
import type { ScaffoldKind } from './scaffold.ts';

const PROCESSORS: readonly string[] = [
  'approval-gate',
  'argument-processor',
  'batch-parts',
  'content-length',
  'context-compaction',
  'cost-guard',
  'environment-context',
  'http-guard',
  'judge',
  'keyword',
  'language',
  'loop-detection',
  'max-tool-calls',
  'memory-import',
  'message-history',
  'moderation',
  'pii',
  'prefill-error-handler',
  'prompt-injection',
  'regex-filter',
  'response-cache',
  'response-validator',
  'run-logger',
  'secrets',
  'semantic-recall',
  'structured-output',
  'system-prompt-scrubber',
  'token-limiter',
  'tool-allow-list',
  'tool-call-filter',
  'tool-injection',
  'tool-parameters',
  'tool-validation',
  'unicode-normalizer',
  'working-memory',
];
const TOOLS: readonly string[] = ['ask-user', 'calculator', 'clock', 'send-feedback'];

export const SHIPPED_NAMES: Readonly<Record<ScaffoldKind, readonly string[]>> = { processor: PROCESSORS, tool: TOOLS };

/** @returns the problem in words with its remedy, or undefined */
export function findShippedNameProblem(kind: ScaffoldKind, id: string): string | undefined {
  if (!SHIPPED_NAMES[kind].includes(id)) return undefined;
  return `Millrace ships a ${kind} with this id, and only one service may serve it; choose another id, for example my-${id}`;
}
