// Where the shipped processors stand when an agent does not list them: what `after: pii` means for an agent without pii.
// Cleaning before judging, judging before memory on the way in; redacting before memory on the way out. docs/semantics.md,
// section 2.
import type { ListName } from '@millrace/contracts';

const MEMORY = ['message-history', 'semantic-recall', 'working-memory'] as const;

export const MEMORY_PROCESSORS: readonly string[] = MEMORY;

export const DEFAULT_ORDER: Record<ListName, readonly string[]> = {
  input: [
    'unicode-normalizer',
    'content-length',
    'keyword',
    'prompt-injection',
    'moderation',
    'language',
    'pii',
    'tool-allow-list',
    ...MEMORY,
    'tool-call-filter',
    'token-limiter',
    'approval-gate',
  ],
  output: [
    'max-tool-calls',
    'response-validator',
    'content-length',
    'keyword',
    'moderation',
    'pii',
    'token-limiter',
    'batch-parts',
    ...MEMORY,
  ],
  error: [],
};
