// What a client sends inside schemas, tool arguments and tool results is JSON of unknown shape. These guards are how the
// rest of the service looks into it without a cast.
export type JsonObject = { readonly [key: string]: unknown };

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parsed text, or undefined where it is not JSON (JSON itself has no undefined). */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
