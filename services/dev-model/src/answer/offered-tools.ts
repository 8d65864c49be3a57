// Recognizes the tools that the stand-in knows how to use among those offered, by their schemas and names.
import type { Tool } from '../conversation.ts';
import { isJsonObject, type JsonObject } from '../json.ts';

export type Calculator = { readonly tool: Tool; readonly field: string };

const propertiesOf = (tool: Tool): readonly (readonly [string, JsonObject])[] =>
  isJsonObject(tool.parameters['properties'])
    ? Object.entries(tool.parameters['properties']).filter((entry): entry is [string, JsonObject] =>
        isJsonObject(entry[1]),
      )
    : [];

const stringFields = (tool: Tool): string[] =>
  propertiesOf(tool)
    .filter(([, schema]) => [schema['type']].flat().includes('string'))
    .map(([name]) => name);

/** A tool with a string for an expression; or one that is called a calculator and has a single string. */
export function calculatorAmong(tools: readonly Tool[]): Calculator | undefined {
  for (const tool of tools) {
    const fields = stringFields(tool);
    const named = fields.find((field) => /^(?:expression|expr|formula|equation|calculation)$/i.test(field));
    if (named !== undefined) return { tool, field: named };
    const [only, ...others] = fields;
    if (only !== undefined && others.length === 0 && /calc|math|arithmetic/i.test(tool.name))
      return { tool, field: only };
  }
  return undefined;
}

export const isClockName = (name: string): boolean =>
  /clock|(?:^|[_-])(?:time|date|now)(?:$|[_-])|current[_-]?(?:time|date)/i.test(name);

export const clockAmong = (tools: readonly Tool[]): Tool | undefined =>
  tools.find((tool) => isClockName(tool.name)) ??
  tools.find((tool) =>
    /\bcurrent (?:local )?(?:date|time)\b|\btime of day\b|\bwhat time it is\b/i.test(tool.description),
  );

/** Tools that the text names: "use the http-fetch tool", "call notes". */
export const namedTools = (tools: readonly Tool[], text: string): Tool[] =>
  tools.filter((tool) => {
    const name = tool.name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return new RegExp(String.raw`\b(?:use|call|run|try)\s+(?:the\s+|my\s+)?["'\`]?${name}(?![\w-])`, 'i').test(text);
  });

/** The field of a clock that wants a time zone, if it has one. */
export const zoneField = (tool: Tool): string | undefined =>
  stringFields(tool).find((field) => /^(?:time_?zone|tz|zone|location|city|place)$/i.test(field));
