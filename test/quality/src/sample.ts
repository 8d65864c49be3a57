// A labeled text, one line of a .jsonl file. Unknown members are ignored, because corpora contain ids.
import { z } from 'zod';

/** `start` and `end` in UTF-16 code units, `end` exclusive. `value`, if given, must equal the text of the span. */
const spanSchema = z
  .object({ start: z.int().min(0), end: z.int(), type: z.string().min(1), value: z.string().optional() })
  .refine(({ start, end }) => end > start, 'a span ends after its start');

/** Members of every sample. */
export const commonMembers = {
  text: z.string().min(1),
  source: z.string().min(1),
  language: z.string().min(1),
  group: z.string().min(1).optional().describe('Family of an attack, or kind of a benign text.'),
};
export const spansSchema = z.array(spanSchema);

export const sampleSchema = z
  .object({
    ...commonMembers,
    label: z.enum(['attack', 'benign']),
    where: z.enum(['user', 'tool']).default('user').describe('Source of the text.'),
    spans: spansSchema.optional().describe('All personal data of the text. Absent: not labeled.'),
  })
  .superRefine(checkSpans);

/** Adds an issue for each span that is outside of the text or has another value. */
export function checkSpans(
  { text, spans = [] }: { text: string; spans?: readonly LabelledSpan[] | undefined },
  context: z.RefinementCtx,
): void {
  for (const [at, { start, end, value }] of spans.entries()) {
    const found = text.slice(start, end);
    if (end > text.length)
      context.addIssue({ code: 'custom', path: ['spans', at, 'end'], message: `the text ends at ${text.length}` });
    else if (value !== undefined && value !== found)
      context.addIssue({
        code: 'custom',
        path: ['spans', at],
        message: `"${found}" is at this place, not "${value}"`,
      });
  }
}

export type Sample = z.output<typeof sampleSchema>;
export type LabelledSpan = z.output<typeof spanSchema>;
/** `place`: file and line, for reports. */
export type PlacedSample = Sample & { group: string; place: string };
