// One endpoint that says of itself what it serves, read: its description, or what is wrong with it in words that can be shown. Pure.
import { METADATA_KEY, endpointMetadataSchema, type EndpointMetadata, type SrvInfo } from './discovery.ts';
import { issuesOf } from './schema-issues.ts';
import type { Subjects } from './subjects.ts';

type Endpoint = SrvInfo['endpoints'][number];

/** Of one endpoint, as JSON: descriptions and schemas. */
export const MAX_METADATA_CHARACTERS = 128 * 1024;

/** Stage and tool subjects of this prefix. `mr.v1.other` is another prefix than `mr.v1`, and its subjects are not. */
export function isOurs({ subject, metadata }: Endpoint, { prefix }: Subjects): boolean {
  const isUnder = ['stage', 'tool'].some((kind) => subject.startsWith(`${prefix}.${kind}.`));
  return isUnder && Boolean(metadata?.[METADATA_KEY]);
}

export function readEndpoint(
  { name, subject, metadata }: Endpoint,
  subjects: Subjects,
): { metadata: EndpointMetadata } | { name: string; problem: string } {
  const text = metadata?.[METADATA_KEY] ?? '';
  if (text.length > MAX_METADATA_CHARACTERS) {
    return {
      name: shown(name),
      problem: `what it says of itself is longer than ${MAX_METADATA_CHARACTERS}`,
    };
  }
  const value = parseJson(text);
  const parsed = endpointMetadataSchema.safeParse(value);
  if (!parsed.success) return { name: claimedName(value) ?? shown(name), problem: problemsOf(issuesOf(parsed.error)) };
  const expected = subjectOf(parsed.data, subjects);
  if (expected === subject) return { metadata: parsed.data };
  return { name: nameOf(parsed.data), problem: `it is served on ${shown(subject)}, not on ${expected}` };
}

function subjectOf(metadata: EndpointMetadata, subjects: Subjects): string {
  switch (metadata.kind) {
    case 'processor':
      return subjects.stage(metadata.stage, metadata.descriptor.id);
    case 'tool':
      return subjects.tool(metadata.tool.name);
    case 'api':
      return 'an api subject';
  }
}

export function nameOf(metadata: EndpointMetadata): string {
  switch (metadata.kind) {
    case 'processor':
      return metadata.descriptor.id;
    case 'tool':
      return metadata.tool.name;
    case 'api':
      return 'api';
  }
}

/** Of a description that does not fit: its id, as far as it has one that can be shown. */
function claimedName(value: unknown): string | undefined {
  const inner = member(value, 'descriptor') ?? member(value, 'tool');
  const id = member(inner, 'id') ?? member(inner, 'name');
  return typeof id === 'string' ? shown(id) : undefined;
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

const MAX_SHOWN_ISSUES = 5;
function problemsOf(issues: { path?: string | undefined; message: string }[]): string {
  const lines = issues.slice(0, MAX_SHOWN_ISSUES).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const rest = issues.length - lines.length;
  return `${lines.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

/** A stranger's words in a log line or a terminal. */
const MAX_SHOWN_CHARACTERS = 100;
export const shown = (text: string): string => text.slice(0, MAX_SHOWN_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, '?');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
