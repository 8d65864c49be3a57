// The named tests of the plan for memory as processors: each title is the title of a test here, in process and, if it
// is about several processors, over the bus. docs/seeds.md states the files of each suite.
import { expect, test } from 'vitest';
import { readTracked } from './workspace.ts';

const TITLES: Record<string, readonly string[]> = {
  'MessageHistoryProcessor, input': [
    'fetches last N messages from storage',
    'merges historical messages with new messages',
    'avoids duplicate message IDs',
    'handles empty storage',
    'respects includeSystemMessages flag',
    'handles storage errors gracefully',
    'returns original messages when no threadId',
    'handles assistant messages with tool calls',
    'handles tool result messages',
  ],
  'MessageHistoryProcessor, output': [
    'saves user, assistant, tool-call, and tool-result messages',
    'filters out ONLY system messages',
    'updates thread metadata',
    'handles save failures gracefully',
    'handles thread update failures gracefully',
    'returns original messages when no threadId',
    'handles messages with only system messages',
    'generates message IDs if not provided',
    'preserves existing message IDs',
  ],
  'MessageHistory with other processors': [
    'input validation happens before memory fetch',
    'PII redacted before saving to memory',
    'tool calls are persisted correctly',
    'token limiter truncates before saving',
    'moderation blocks inappropriate output before saving',
    'large message summarizer before persistence',
    'system prompt scrubber cleans before saving',
    'multiple output processors chain correctly',
    'processor order matters for final saved content',
  ],
  SemanticRecallProcessor: [
    'performs semantic search on user query',
    'respects topK limit',
    'filters by threshold',
    'applies scope filter (thread/resource)',
    'formats results as system message',
    'handles no results gracefully',
    'handles vector store errors',
    'skips when no user message present',
  ],
  'SemanticRecall with other processors': [
    'input validation happens before semantic search',
    'normalized input used for semantic search',
    'semantic recall adds context before message history',
  ],
  'WorkingMemoryProcessor, input': [
    'injects working memory as system message',
    'handles missing working memory',
    'formats template-based memory',
    'formats schema-based memory',
  ],
  'WorkingMemoryProcessor, output': [
    'extracts working memory from conversation',
    'merges with existing memory',
    'replaces existing memory when configured',
    'handles extraction failures',
    'updates resource storage',
  ],
  'WorkingMemory with other processors': [
    'working memory injected after input validation',
    'working memory extraction happens on cleaned output',
    'working memory persisted with message history',
    'working memory with semantic recall coordination',
  ],
  'Memory with Input Processors': [
    'prompt injection blocked before memory access',
    'normalized input used for semantic search',
    'moderation happens before memory retrieval',
  ],
  'Memory with Output Processors': [
    'PII redacted before saving to memory',
    'token limit applied before persistence',
    'system prompt leaks cleaned before saving',
    'working memory extracted from clean output',
  ],
  'Complex Processor Chains': [
    'custom processor + memory processors',
    'multiple memory features with guardrails',
    'processor order affects final output',
  ],
  'Memory Processor Edge Cases': [
    'TripWire in input processor prevents memory access',
    'Error in output processor prevents memory corruption',
  ],
};

const [, section = ''] = readTracked('docs/seeds.md').split('## The named tests of memory');
const rows = [...section.matchAll(/^\| ([^|]+) \| (\d+) \| ([^|]+) \|$/gm)].map(
  ([, suite = '', count, files = '']) => ({
    suite,
    count: Number(count),
    files: files.split(', '),
  }),
);

test('docs/seeds.md states the files of each suite, with 63 titles in all', () => {
  expect(rows.map(({ suite, count }) => [suite, count])).toEqual(
    Object.entries(TITLES).map(([suite, titles]) => [suite, titles.length]),
  );
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(63);
});

test.each(rows)('each title of "$suite" is the title of a test in each kind of its files', ({ suite, files }) => {
  const overBus = files.filter((file) => file.startsWith('test/e2e/'));
  const inProcess = files.filter((file) => !file.startsWith('test/e2e/'));
  const kinds = [inProcess, overBus].filter((kind) => kind.length > 0);
  const hasTitle = (kind: readonly string[], title: string) =>
    kind.some((file) => readTracked(`${file}.test.ts`).includes(`('${title}`));
  const missing = kinds.flatMap((kind) => (TITLES[suite] ?? []).filter((title) => !hasTitle(kind, title)));
  expect(missing).toEqual([]);
  expect(suite.includes('Processor,') || suite.endsWith('Processor') || overBus.length > 0).toBe(true);
});
