// A memory in the shape of a template: text with `{{name}}` placeholders. Each placeholder is a field that holds text.
import type { JsonObject, JsonSchema, JsonValue } from '@millrace/contracts';
import type { MemoryShape } from './memory-shape.ts';

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]{0,63})\s*\}\}/g;
/** Value of a field without a known value. */
const UNKNOWN = 'unknown';

/** The template's fields, each once, in order. */
export function parseTemplateFields(template: string): string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, name = '']) => name))];
}

export function createTemplateShape(template: string): MemoryShape {
  const lines = template.split('\n');
  const described = parseTemplateFields(template).map((field) => [field, buildFieldSchema(field, lines)] as const);
  return {
    updateSchema: { type: 'object', properties: Object.fromEntries(described), additionalProperties: false },
    format: (memory) => fill(template, memory),
  };
}

/** Describes a field by its line in the template, which is all that the author gives. */
function buildFieldSchema(field: string, lines: readonly string[]): JsonSchema {
  const line = lines.find((text) => parseTemplateFields(text).includes(field)) ?? '';
  return { type: ['string', 'null'], description: `${field}, as in "${line.trim()}"` };
}

function fill(template: string, memory: JsonObject): string {
  const values = new Map(Object.entries(memory));
  return template.replaceAll(placeholder, (_, name: string) => toLine(values.get(name)));
}

/** Formats a value in one line, because a value with line breaks could imitate lines of the template. */
function toLine(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return UNKNOWN;
  const text =
    typeof value === 'string' ? value : Array.isArray(value) ? value.map(toLine).join(', ') : JSON.stringify(value);
  return text.replaceAll(/\s+/g, ' ').trim() || UNKNOWN;
}
