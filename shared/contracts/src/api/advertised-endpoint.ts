// Reads one advertised endpoint: returns its description, or a printable problem. Pure.
import {
  METADATA_KEY,
  WIRE_PROTOCOL,
  endpointMetadataSchema,
  type EndpointMetadata,
  type SrvInfo,
} from '../agent/discovery.ts';
import { listIssues } from '../base/schema-issues.ts';
import type { Subjects } from './subjects.ts';

type ServiceEndpoint = SrvInfo['endpoints'][number];

/** Maximum size of the metadata of one endpoint: descriptions and schemas as JSON. */
export const MAX_METADATA_CHARACTERS = 128 * 1024;

/** Returns true for stage and tool subjects of this prefix. `mr.v1.other` is another prefix than `mr.v1`. */
export function isOurs({ subject, metadata }: ServiceEndpoint, { prefix }: Subjects): boolean {
  const isUnder = ['stage', 'tool'].some((kind) => subject.startsWith(`${prefix}.${kind}.`));
  return isUnder && Boolean(metadata?.[METADATA_KEY]);
}

export function readEndpoint(
  service: string,
  { name, subject, metadata }: ServiceEndpoint,
  subjects: Subjects,
): { metadata: EndpointMetadata } | { name: string; problem: string } {
  const text = metadata?.[METADATA_KEY] ?? '';
  if (text.length > MAX_METADATA_CHARACTERS) {
    return {
      name: toShownText(name),
      problem: `its metadata is longer than ${MAX_METADATA_CHARACTERS}`,
    };
  }
  const value = parseJson(text);
  const foreign = describeOtherProtocol(value);
  if (foreign !== undefined) return { name: readClaimedName(value) ?? toShownText(name), problem: foreign };
  const parsed = endpointMetadataSchema.safeParse(value);
  if (!parsed.success)
    return { name: readClaimedName(value) ?? toShownText(name), problem: formatProblems(listIssues(parsed.error)) };
  const expected = buildSubject(service, parsed.data, subjects);
  if (expected === subject) return { metadata: parsed.data };
  return { name: readName(parsed.data), problem: `it is served on ${toShownText(subject)}, not on ${expected}` };
}

/** Replicas from before the number existed advertise none: they speak protocol 1. */
function describeOtherProtocol(metadata: unknown): string | undefined {
  const kind = readMember(metadata, 'kind');
  if (kind !== 'processor' && kind !== 'tool') return undefined;
  const protocol = readMember(metadata, 'protocol') ?? 1;
  if (protocol === WIRE_PROTOCOL) return undefined;
  const shown = typeof protocol === 'number' ? protocol : 'of an unknown number';
  return `it speaks protocol ${shown} of the wire, and this version speaks ${WIRE_PROTOCOL}: run both in the same version`;
}

function buildSubject(service: string, metadata: EndpointMetadata, subjects: Subjects): string {
  switch (metadata.kind) {
    case 'processor':
      return subjects.stage(metadata.stage, { service, processor: metadata.descriptor.id });
    case 'tool':
      return subjects.tool(service, metadata.tool.name);
    case 'api':
      return 'an api subject';
  }
}

export function readName(metadata: EndpointMetadata): string {
  switch (metadata.kind) {
    case 'processor':
      return metadata.descriptor.id;
    case 'tool':
      return metadata.tool.name;
    case 'api':
      return 'api';
  }
}

/** Returns the id of an invalid description if the id itself is printable. */
function readClaimedName(value: unknown): string | undefined {
  const inner = readMember(value, 'descriptor') ?? readMember(value, 'tool');
  const id = readMember(inner, 'id') ?? readMember(inner, 'name');
  return typeof id === 'string' ? toShownText(id) : undefined;
}

function readMember(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

const MAX_SHOWN_ISSUES = 5;
function formatProblems(issues: { path?: string | undefined; message: string }[]): string {
  const lines = issues.slice(0, MAX_SHOWN_ISSUES).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const rest = issues.length - lines.length;
  return `${lines.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

/** Maximum length of untrusted text in a log line or a terminal. */
const MAX_SHOWN_CHARACTERS = 100;
export const toShownText = (text: string): string =>
  text.slice(0, MAX_SHOWN_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, '?');

/** Returns undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
