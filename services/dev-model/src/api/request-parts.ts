// What the two text APIs' requests have in common: content parts, and refusals of what the stand-in cannot do.
import { z } from 'zod';

/** A field whose effect on the answer the stand-in does not have: named and refused, never silently ignored. */
export const refused = (why: string) => z.never({ error: why }).nullish();

export const jsonSchemaField = z.record(z.string(), z.unknown());

const textPart = z.object({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() });
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });
const attachment = z.object({ type: z.enum(['image_url', 'input_image', 'input_audio', 'file', 'input_file']) });

/** Text, or parts. Attachments are accepted and stand in the text as `[image_url]`: the stand-in cannot open them. */
export const contentField = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, refusalPart, attachment])),
]);

export function contentText(content: z.infer<typeof contentField>): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if ('text' in part) return part.text;
      return 'refusal' in part ? part.refusal : `[${part.type}]`;
    })
    .join('\n');
}
