// Defines labels: the origin and the trust of each part of a message and of each system message. The orchestrator sets
// them; a claim of a processor or a memory can only lower trust. Trust means authority: guards judge trusted texts too.
import { z } from 'zod';
import { listModelParts, type Message } from './message.ts';

/** untrusted: the text may be from outside, and must not decide on a consequential tool call alone. */
export const trustSchema = z.enum(['trusted', 'untrusted']);
export type Trust = z.infer<typeof trustSchema>;

/** Guards do not judge labels, so that an origin can hold no text. */
const ORIGIN_PATTERN = /^(?:caller|instructions|model|provider|unlabelled|(?:tool|processor):[A-Za-z0-9_-]{1,64})$/;
export const labelSchema = z.strictObject({
  origin: z
    .string()
    .regex(ORIGIN_PATTERN)
    .describe('caller, instructions, model, provider, tool:NAME, processor:ENTRY, or unlabelled'),
  trust: trustSchema,
});
export type Label = z.infer<typeof labelSchema>;

/** Label of the agent's instructions. */
export const INSTRUCTIONS_LABEL: Label = { origin: 'instructions', trust: 'trusted' };
/** Label of everything without a valid label: text that was stored before labels existed, or that a processor made. */
export const UNLABELLED: Label = { origin: 'unlabelled', trust: 'untrusted' };

/** Returns the label of a part or a system message. */
export const readLabel = (labelled: object): Label =>
  'label' in labelled && isLabel(labelled.label) ? labelled.label : UNLABELLED;

/** Returns whether the value is a label without any other member. Faster than the schema: it is called for each part. */
export function isLabel(value: unknown): value is Label {
  if (typeof value !== 'object' || value === null || !('trust' in value) || !('origin' in value)) return false;
  const { trust, origin } = value;
  if (trust !== 'trusted' && trust !== 'untrusted') return false;
  return typeof origin === 'string' && ORIGIN_PATTERN.test(origin) && Object.keys(value).length === 2;
}

export const isUntrusted = (labelled: object): boolean => readLabel(labelled).trust === 'untrusted';

/** Returns the label of a text that is composed of labelled ones: that of the first untrusted one, else the first. */
export function findLowestLabel(labels: readonly Label[]): Label {
  return labels.find(({ trust }) => trust === 'untrusted') ?? labels[0] ?? UNLABELLED;
}

/** Returns the label of the text of a message. Without text: undefined. */
export function findTextLabel(message: Message): Label | undefined {
  const labels = listModelParts(message).flatMap((part) =>
    part.type === 'text' && part.text !== '' ? [readLabel(part)] : [],
  );
  return labels.length === 0 ? undefined : findLowestLabel(labels);
}

/** Returns the labels of the texts of a message that a model reads. */
export function listLabels(message: Message): Label[] {
  return listModelParts(message).flatMap((part) => (part.type === 'step-start' ? [] : [readLabel(part)]));
}
