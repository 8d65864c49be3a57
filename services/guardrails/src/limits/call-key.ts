// Compares calls of tools and their results as JSON, whatever the order of members. Pure.
import { replaceInexact, type JsonValue, type ToolCall } from '@millrace/contracts';

/** Returns the same text for calls of the same tool with the same arguments. */
export const writeCall = ({ toolName, args, argsText }: Pick<ToolCall, 'toolName' | 'args' | 'argsText'>): string =>
  writeCanonical([toolName, replaceInexact(args, argsText, tagNumber)]);

/** Two numbers that round to one double are two arguments. */
export const tagNumber = (number: string): JsonValue => [['number', number]];

/** Writes JSON with sorted members. */
export function writeCanonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonical(member)}`).join(',')}}`;
}
