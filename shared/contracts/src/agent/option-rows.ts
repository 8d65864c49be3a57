// Formats a processor's options: one row for each option of the JSON Schema that it advertises. Pure.
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** `fallback`: the default as JSON; absent if the option has none. */
export type OptionRow = { name: string; type: string; required: boolean; fallback?: string; meaning: string };

/** Longer lists of values (countries) are abbreviated by their number. */
const MAX_VALUES = 30;
const MAX_SAFE = Number.MAX_SAFE_INTEGER;

export function listOptionRows(schema: JsonObject): OptionRow[] {
  const required = listIn(schema, 'required');
  return Object.entries(readObject(schema, 'properties')).map(([name, given]) => {
    const option = isObject(given) ? given : {};
    const fallback = option['default'];
    return {
      name,
      type: describeType(option),
      required: required.includes(name),
      ...(fallback !== undefined && { fallback: JSON.stringify(fallback) }),
      meaning: readText(option, 'description'),
    };
  });
}

function describeType(schema: JsonObject): string {
  const union = [...listIn(schema, 'anyOf'), ...listIn(schema, 'oneOf')];
  const types = union.flatMap((one) => (isObject(one) ? [describeType(one)] : []));
  if (types.length > 0) return [...new Set(types)].join(' or ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const values = listIn(schema, 'enum').map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  if (values.length > MAX_VALUES) return `one of ${values.length} values such as ${values.slice(0, 3).join(', ')}`;
  if (values.length > 0) return values.join(' | ');
  switch (schema['type']) {
    case 'array':
      return listText(readObject(schema, 'items'));
    case 'integer':
    case 'number':
      return `${schema['type']}${describeRange(schema)}`;
    case 'object':
      return describeObject(schema);
    default:
      return readText(schema, 'type') || 'any JSON';
  }
}

function listText(items: JsonObject): string {
  const inner = describeType(items);
  return inner.includes(' ') ? `list of (${inner})` : `list of ${inner}`;
}

function describeObject(schema: JsonObject): string {
  const members = Object.entries(readObject(schema, 'properties'));
  if (members.length === 0) return 'object';
  const texts = members.map(([name, member]) => `${name}: ${isObject(member) ? describeType(member) : 'any JSON'}`);
  return `object {${texts.join('; ')}}`;
}

function describeRange({ minimum, maximum }: JsonObject): string {
  const least = typeof minimum === 'number' && minimum > -MAX_SAFE ? minimum : undefined;
  const most = typeof maximum === 'number' && maximum < MAX_SAFE ? maximum : undefined;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (least !== undefined) return `, at least ${least}`;
  return most === undefined ? '' : `, at most ${most}`;
}
const readObject = (schema: JsonObject, name: string): JsonObject => {
  const value = schema[name];
  return isObject(value) ? value : {};
};
const listIn = (schema: JsonObject, name: string): JsonValue[] => {
  const value = schema[name];
  return Array.isArray(value) ? value : [];
};
const readText = (schema: JsonObject, name: string): string => {
  const value = schema[name];
  return typeof value === 'string' ? value : '';
};
