// Delays the end of a part until the next event, because only the finish shows whether the part was cut off. A part
// that was cut off is marked (`complete: false`), so that no processor judges it as if it were whole.
import { cutOff, type Chunk } from '@millrace/contracts';
import type { ModelPart } from './prompt.ts';

/**
 * Finish reasons of an answer that has ended by itself. After any other reason (length, content-filter, error) it was
 * cut off.
 */
const OWN_ENDS: readonly string[] = ['stop', 'tool-calls'];
export const endsByItself = (finishReason: string): boolean => OWN_ENDS.includes(finishReason);

export type PartEnds = (part: ModelPart, chunks: Chunk[]) => Chunk[];

/** Keeps the order of arrival. */
export function createPartEnds(): PartEnds {
  let waiting: Chunk[] = [];
  return (part, chunks) => {
    if (mayBeCutOff(part) || (waiting.length > 0 && isEmptyPart(part))) {
      waiting.push(...chunks);
      return [];
    }
    if (waiting.length === 0) return chunks;
    const cutOff = part.type === 'finish' && !endsByItself(part.finishReason.unified);
    const ends = cutOff ? waiting.flatMap(asCutOff) : waiting;
    waiting = [];
    return [...ends, ...chunks];
  };
}

function mayBeCutOff(part: ModelPart): boolean {
  if (part.type === 'tool-call') return part.providerExecuted !== true;
  return part.type === 'text-end' || part.type === 'reasoning-end' || part.type === 'tool-input-end';
}

/** Types of parts that neither begin nor continue a part. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'response-metadata',
  'raw',
  'source',
  'ping',
  'custom',
  'tool-approval-request',
]);
const isEmptyPart = ({ type }: ModelPart): boolean => SAYS_NOTHING.has(type);

/** Drops a call with incomplete arguments: they are no JSON, and a partial secret in them would not be found. */
function asCutOff(chunk: Chunk): Chunk[] {
  switch (chunk.type) {
    case 'text-end':
    case 'reasoning-end':
    case 'tool-call-input-streaming-end':
      return [cutOff(chunk)];
    case 'tool-call':
      return typeof chunk.payload.args === 'string' ? [] : [chunk];
    default:
      return [chunk];
  }
}
