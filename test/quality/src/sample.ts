// A labelled text, as a line of a .jsonl file has it. Members that mean nothing here are left alone: corpora carry ids.
import { z } from 'zod';

/** `start` and `end` in UTF-16 code units, `end` exclusive. `value`, where given, has to stand there. */
const spanSchema = z
  .object({ start: z.int().min(0), end: z.int(), type: z.string().min(1), value: z.string().optional() })
  .refine(({ start, end }) => end > start, 'a span ends after its start');

export const sampleSchema = z
  .object({
    text: z.string().min(1),
    label: z.enum(['attack', 'benign']),
    where: z.enum(['user', 'tool']).default('user').describe('who the text comes from'),
    spans: z.array(spanSchema).optional().describe('all personal data of the text; absent: nobody has looked for it'),
    source: z.string().min(1),
    language: z.string().min(1),
    group: z.string().min(1).optional().describe('the family of an attack, the kind of a benign text'),
  })
  .superRefine(({ text, spans = [] }, context) => {
    for (const [at, { start, end, value }] of spans.entries()) {
      const found = text.slice(start, end);
      if (end > text.length)
        context.addIssue({ code: 'custom', path: ['spans', at, 'end'], message: `the text ends at ${text.length}` });
      else if (value !== undefined && value !== found)
        context.addIssue({ code: 'custom', path: ['spans', at], message: `"${found}" stands there, not "${value}"` });
    }
  });

type Sample = z.output<typeof sampleSchema>;
export type LabelledSpan = z.output<typeof spanSchema>;
/** `place`: file and line, for people. */
export type PlacedSample = Sample & { group: string; place: string };
