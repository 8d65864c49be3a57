// Converts a definition to YAML and back, and finds the place of an issue in the text. Pure.
import type { Agent } from '@millrace/contracts';
import { Document, isMap, isScalar, isSeq, parseDocument, visit, type Node } from 'yaml';
import type { ProblemIssue } from '../api/problem.ts';

const STARTER = (name: string): string => `name: ${name}
description: What this agent does.
model: openai/gpt-5-mini
instructions: Answer briefly.
input: [prompt-injection]
output: [pii]
`;

/** Members that the schema of an agent adds, and their values. */
const DEFAULTS: Readonly<Record<string, string>> = {
  instructions: '[]',
  tools: '[]',
  input: '[]',
  output: '[]',
  error: '[]',
  callerRoles: '["user","assistant","tool"]',
  maxSteps: '5',
};
const LISTS_OF_ENTRIES = new Set(['input', 'output', 'error']);
/** A list of names that fits this width is one line. */
const LINE_CHARS = 100;

/** Writes the members that differ from the defaults, as short as an author writes them. */
export function writeDefinition(name: string, agent: Agent | undefined): string {
  if (!agent) return STARTER(name);
  const own = Object.entries(agent).filter(([key, value]) => JSON.stringify(value) !== DEFAULTS[key]);
  const written = own.map(([key, value]) => [key, LISTS_OF_ENTRIES.has(key) ? shortenEntries(value) : value]);
  const document = new Document(Object.fromEntries(written));
  visit(document, {
    Seq: (_key, list) => {
      list.flow = list.items.every((item) => isScalar(item)) && String(list).length < LINE_CHARS;
    },
  });
  return document.toString({ lineWidth: 110, flowCollectionPadding: false });
}

/** `{use: pii}` is `pii`, also in a group. */
function shortenEntries(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return entry;
    if ('parallel' in entry) return { ...entry, parallel: shortenEntries(entry.parallel) };
    return 'use' in entry && Object.keys(entry).length === 1 ? entry.use : entry;
  });
}

export type PlacedIssue = { from: number; to: number; message: string };
export type ReadDefinition = { definition: unknown; issues: PlacedIssue[]; locate(issue: ProblemIssue): PlacedIssue };

export function readDefinition(text: string): ReadDefinition {
  const document = parseDocument(text, { prettyErrors: false });
  const issues = document.errors.map(({ message, pos: [from, to] }) => ({
    from,
    to,
    message: message.split('\n')[0] ?? message,
  }));
  return {
    definition: issues.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined,
    issues,
    locate: ({ path, message }) => ({ ...findRange(document, splitPath(path), text.length), message }),
  };
}

/** `input[1].options.strategy` and `input.1.options.strategy` are the same path. */
const splitPath = (path: string): string[] => path.split(/[.[\]]+/).filter((part) => part !== '');

/** Returns the range of a path, or that of its nearest parent in the text. */
function findRange({ contents }: Document, path: readonly string[], end: number): { from: number; to: number } {
  let node: unknown = contents;
  let range = readRange(contents, end);
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part) : undefined;
    node = pair ? pair.value : isSeq(node) ? node.items[Number(part)] : undefined;
    if (node === undefined || node === null) break;
    // The name of a member is a better place than a value of many lines.
    range =
      pair && isNode(pair.key) && !isScalar(node)
        ? readRange(pair.key, end)
        : readRange(isNode(node) ? node : null, end);
  }
  return range;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'range' in value;

function readRange(node: Node | null, end: number): { from: number; to: number } {
  const [from = 0, to = end] = node?.range ?? [];
  return { from: Math.min(from, end), to: Math.min(Math.max(to, from), end) };
}
