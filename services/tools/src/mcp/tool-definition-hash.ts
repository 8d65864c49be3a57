// Hashes the definition of a tool of MCP: its name, description and schema, which a model reads.
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@millrace/contracts';

export type LiveTool = { name: string; description: string; inputSchema: JsonObject };

/** Returns `sha256:` and 64 hexadecimal digits. The order of members does not count. */
export function hashDefinition({ name, description, inputSchema }: LiveTool): string {
  const text = JSON.stringify(sortMembers({ name, description, inputSchema }));
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function sortMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sortMembers(member)]));
}
