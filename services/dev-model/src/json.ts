// Guards for JSON of unknown shape that clients send in schemas, tool arguments and tool results.
export type UnknownObject = { readonly [key: string]: unknown };

export const isJsonObject = (value: unknown): value is UnknownObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the parsed text, or undefined if it is not JSON (JSON has no undefined). */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
