// The canned exchanges of dev-model, from exchanges.json. The file is validated when the process loads it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Source of a regular expression with the flags `gu`. Its named groups fill the templates of the exchange. */
const pattern = z.string().transform((source, context) => {
  try {
    return new RegExp(source, 'gu');
  } catch (error) {
    context.addIssue({ code: 'custom', message: String(error) });
    return z.NEVER;
  }
});

/** A text in which `{group}` is the value of a named group. */
const template = z.string();

const exchangeSchema = z.strictObject({
  /** Matches the last user text; the last match counts. */
  user: pattern,
  /** Matches the system messages and all user messages, joined; the last match counts. Without a match the answer is `otherwise`. */
  memory: pattern.optional(),
  /** Called once per question if the caller offers the tool. `result` matches the JSON of the tool's result. */
  call: z.strictObject({ tool: z.string().min(1), args: z.record(z.string(), template), result: pattern }).optional(),
  text: template,
  otherwise: z.string().optional(),
  /** Values of the members with these names if the caller requests a JSON Schema. */
  fields: z.record(z.string(), template).default({}),
});

export type Exchange = z.output<typeof exchangeSchema>;

/** @throws a ZodError that names the exchange and the member */
export const parseExchanges = (source: string): readonly Exchange[] =>
  z.array(exchangeSchema).parse(JSON.parse(source));

export const EXCHANGES = parseExchanges(readFileSync(join(import.meta.dirname, 'exchanges.json'), 'utf8'));
