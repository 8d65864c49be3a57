// The stored form of a request that waits for its answer.
import { tokenSchema } from '@millrace/contracts';
import { z } from 'zod';

const openRecordSchema = z.object({
  value: z.string(),
  request: z.string(),
  /** The gateway that serves the request. */
  by: tokenSchema.optional(),
  /** Of a failed run: the time at which the record ends, ms since 1970. */
  until: z.number().optional(),
});
export type OpenRecord = z.output<typeof openRecordSchema>;

export const writeRecord = (record: OpenRecord): string => JSON.stringify(record);

/** Returns undefined for a damaged record: its request is not repeated. */
export const readRecord = (text: string | undefined): OpenRecord | undefined => parseStored(openRecordSchema, text);

/** Returns undefined for a text that a gateway has not written. */
export function parseStored<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
