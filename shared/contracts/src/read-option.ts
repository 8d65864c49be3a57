// Reads the value of an entry's option, or its default in the schema that the processor advertises.
import type { JsonObject, JsonSchema } from './json.ts';
import { getOwnMember } from './own-member.ts';

/** Returns undefined if the options do not set the value and the schema has no default. */
export function readOption({ properties }: JsonSchema, options: JsonObject, name: string): unknown {
  const given = getOwnMember(options, name);
  if (given !== undefined) return given;
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return undefined;
  const property: unknown = Object.entries(properties).find(([own]) => own === name)?.[1];
  return typeof property === 'object' && property !== null && 'default' in property ? property.default : undefined;
}
