import { listSchema, type EntryObject, type ListName, type MemoryConfig } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import type { ListedEntry } from './definition-issues.ts';
import { known as shipped, makeFound } from '../testing/known-processors.ts';
import { expandMemory, findMisusedMemory } from './memory-entries.ts';
import { resolveAgent } from './resolve-agent.ts';

type Lists = Partial<Record<ListName, (string | EntryObject)[]>>;
const listEntries = (lists: Lists): ListedEntry[] =>
  listSchema.options.flatMap((list) =>
    (lists[list] ?? []).map((entry, at) => ({
      list,
      path: `${list}[${at}]`,
      entry: typeof entry === 'string' ? { use: entry } : entry,
    })),
  );
const expandLists = (lists: Lists, memory?: MemoryConfig, known = shipped) =>
  expandMemory(listEntries(lists), memory, known).entries;
const uses = (list: ListName, lists: Lists, memory?: MemoryConfig, known = shipped) =>
  expandLists(lists, memory, known)
    .filter((one) => one.list === list)
    .map(({ entry }) => entry.use);

describe('the entries of memory', () => {
  test('are absent without a configuration', () => {
    expect(uses('input', { input: ['pii'] })).toEqual(['pii']);
  });

  test('that no list names are last, on input and output, and never among the error processors', () => {
    const lists = { input: ['pii'], output: ['pii'], error: ['fallback'] };
    expect(uses('input', lists, {})).toEqual(['pii', 'message-history']);
    expect(uses('output', lists, {})).toEqual(['pii', 'message-history']);
    expect(uses('error', lists, {})).toEqual(['fallback']);
  });

  test('are at the position where a list names them, as configured, in their own order', () => {
    const all = { workingMemory: true, semanticRecall: true };
    const lists = { input: ['memory', 'pii'], output: ['pii', 'memory', 'keyword'] };
    expect(uses('input', lists, all)).toEqual(['message-history', 'semantic-recall', 'working-memory', 'pii']);
    expect(uses('output', lists, all)).toEqual([
      'pii',
      'message-history',
      'semantic-recall',
      'working-memory',
      'keyword',
    ]);
  });

  test('that are named without a configuration are the history', () => {
    expect(uses('input', { input: ['memory'] })).toEqual(['message-history']);
  });

  test('that are disabled stay out', () => {
    expect(uses('input', {}, { semanticRecall: false, workingMemory: false })).toEqual(['message-history']);
  });

  test('that are named individually are not added twice, under an alias neither', () => {
    const all = { semanticRecall: true };
    expect(uses('input', { input: ['semantic-recall', 'pii'] }, all)).toEqual([
      'semantic-recall',
      'pii',
      'message-history',
    ]);
    expect(uses('output', { output: ['MessageHistory'] }, {})).toEqual(['MessageHistory']);
  });
});

describe('options of memory entries', () => {
  test('are derived from the `memory` configuration', () => {
    const memory = { lastMessages: 3, semanticRecall: { topK: 2 }, workingMemory: true };
    expect(expandLists({}, memory).filter(({ list }) => list === 'input')).toMatchObject([
      { entry: { use: 'message-history', options: { lastMessages: 3 } } },
      { entry: { use: 'semantic-recall', options: { topK: 2 } } },
      { entry: { use: 'working-memory', options: {} } },
    ]);
  });

  test('are the same for an entry that is named individually, unless it has its own', () => {
    const memory = { lastMessages: 3, semanticRecall: { topK: 2 } };
    const input = ['message-history', { use: 'semantic-recall', options: { topK: 9 } }];
    expect(expandLists({ input }, memory).slice(0, 2)).toMatchObject([
      { entry: { options: { lastMessages: 3 } } },
      { entry: { options: { topK: 9 } } },
    ]);
  });

  test('with a policy at `memory` apply it to all members', () => {
    const input = [{ use: 'memory', timeoutMs: 900, onFailure: 'fail' as const }];
    expect(expandLists({ input }, { semanticRecall: true }).filter(({ list }) => list === 'input')).toMatchObject([
      { path: 'input[0]', entry: { use: 'message-history', timeoutMs: 900, onFailure: 'fail' } },
      { path: 'input[0]', entry: { use: 'semantic-recall', timeoutMs: 900, onFailure: 'fail' } },
    ]);
  });

  test('are refused together with a name at `memory`, with name and path, because it is several processors', () => {
    const issues = findMisusedMemory(
      listEntries({ output: ['pii', { use: 'memory', as: 'mine', options: { topK: 1 } }] }),
    );
    expect(issues).toMatchObject([
      { code: 'agent-invalid', path: 'output[1].as', message: expect.stringContaining('takes no as') },
      { code: 'agent-invalid', path: 'output[1].options', message: expect.stringContaining('takes no options') },
    ]);
    expect(findMisusedMemory(listEntries({ output: [{ use: 'pii', as: 'mine' }, 'memory'] }))).toEqual([]);
  });
});

describe('a foreign memory processor', () => {
  const graph = makeFound('graph-recall', ['processInput', 'processOutputResult'], { memoryKey: 'semanticRecall' });
  const runWith = (...ids: string[]) => ({
    ...shipped,
    processors: new Map([
      ...[...shipped.processors].filter(([id]) => ids.includes(id)),
      ['graph-recall', graph] as const,
    ]),
  });
  const recall = { semanticRecall: { topK: 2 } };

  test('implements the member of `memory` that it advertises, with its options', () => {
    const known = runWith('message-history');
    expect(uses('output', {}, recall, known)).toEqual(['message-history', 'graph-recall']);
    expect(expandLists({}, recall, known)[1]).toMatchObject({
      path: 'memory',
      entry: { use: 'graph-recall', options: { topK: 2 } },
    });
  });

  test('replaces a shipped one if a list names it', () => {
    const known = runWith('message-history', 'semantic-recall');
    const lists = { input: ['graph-recall', 'memory'] };
    expect(uses('input', lists, recall, known)).toEqual(['graph-recall', 'message-history']);
    expect(uses('output', lists, recall, known)).toEqual(['message-history', 'graph-recall']);
    expect(expandMemory(listEntries(lists), recall, known).issues).toEqual([]);
  });

  test('that runs together with a shipped one has to be named', () => {
    const known = runWith('message-history', 'semantic-recall');
    expect(expandMemory([], recall, known).issues).toEqual([
      {
        code: 'agent-invalid',
        path: 'memory',
        message: 'Several processors implement memory.semanticRecall: "graph-recall", "semantic-recall".',
        remedy: 'Name one of them under input and output.',
      },
    ]);
    expect(expandMemory([], {}, known).issues).toEqual([]);
  });

  test('does not implement other members: a member without a running processor names the shipped one', () => {
    expect(uses('input', {}, { workingMemory: true }, runWith())).toEqual(['message-history', 'working-memory']);
  });
});

test('Shipped memory processors of an earlier release advertise no member and are found by their names', () => {
  const earlier = [...shipped.processors.values()].map(({ descriptor: { memoryKey: _, ...descriptor }, ...one }) => ({
    ...one,
    descriptor,
  }));
  const known = { ...shipped, processors: new Map(earlier.map((one) => [one.descriptor.id, one])) };
  const all = { semanticRecall: true, workingMemory: true };
  expect(uses('input', {}, all, known)).toEqual(['message-history', 'semantic-recall', 'working-memory']);
});

test('A memory without a running service is one issue for its two lists', () => {
  const none = { processors: new Map(), tools: new Map(), refused: [] };
  const definition = { name: 'demo', model: 'openai/gpt-5-mini', memory: { lastMessages: 2 } };
  expect(resolveAgent(definition, none)).toMatchObject({ issues: [{ code: 'processor-unknown', path: 'memory' }] });
});
