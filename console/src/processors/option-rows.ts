// Reads the options of a processor from its JSON Schema. Pure.

export type OptionRow = { name: string; type: string; preset: string; about: string; isRequired: boolean };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readOptionRows(schema: unknown): OptionRow[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([name, option]) => ({
    name,
    type: describeType(option),
    preset: isRecord(option) && 'default' in option ? JSON.stringify(option['default']) : '',
    about: isRecord(option) && typeof option['description'] === 'string' ? option['description'] : '',
    isRequired: required.includes(name) && !(isRecord(option) && 'default' in option),
  }));
}

const MAX_VALUES = 8;

function describeType(schema: unknown): string {
  if (!isRecord(schema)) return 'any';
  const { enum: values, type, items, anyOf, oneOf, const: only } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) {
    const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
    return shown.join(' | ') + (values.length > MAX_VALUES ? ' | …' : '');
  }
  const parts = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (parts) return [...new Set(parts.map(describeType))].join(' | ');
  if (type === 'array') return `list of ${describeType(items)}`;
  return typeof type === 'string' ? type : 'any';
}
