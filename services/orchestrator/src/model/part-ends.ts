// Whether a part of an answer has come to its own end is said by the finish that follows it: until then its end waits. A part that
// was cut off says so (`complete: false`), so that nobody judges what was never finished as if it were whole.
import { cutOff, type Chunk } from '@millrace/contracts';
import type { ModelPart } from './model-parts.ts';

/** An answer that ends for one of these has ended by itself. After any other reason (length, content-filter, error) it was cut off. */
const OWN_ENDS: readonly string[] = ['stop', 'tool-calls'];
export const endsByItself = (finishReason: string): boolean => OWN_ENDS.includes(finishReason);

export type PartEnds = (part: ModelPart, chunks: Chunk[]) => Chunk[];

/** In the order in which they came. */
export function createPartEnds(): PartEnds {
  let waiting: Chunk[] = [];
  return (part, chunks) => {
    if (mayBeCutOff(part) || (waiting.length > 0 && saysNothing(part))) {
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

/** Neither begins a part nor continues one. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'response-metadata',
  'raw',
  'source',
  'ping',
  'custom',
  'tool-approval-request',
]);
const saysNothing = ({ type }: ModelPart): boolean => SAYS_NOTHING.has(type);

/** A call whose arguments broke off is none: they are no JSON, and a part of a secret is not found in them. */
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
