// Sends a text through a processor's processOutputStream as deltas of chosen sizes, and collects the output.
import { commonArgs, streamArgs, type TestArgs } from '@millrace/testkit';
import type { Chunk, JsonObject } from '@millrace/contracts';
import type { Processor } from '@millrace/processor';

export type StreamKind = 'text' | 'reasoning' | 'tool';

const base = { runId: 'r1', from: 'AGENT' as const };
const ID = 'part-1';
const OTHER = 'part-2';

export function deltaChunk(kind: StreamKind, text: string, id = ID): Chunk {
  if (kind === 'text') return { ...base, type: 'text-delta', payload: { id, text } };
  if (kind === 'reasoning') return { ...base, type: 'reasoning-delta', payload: { id, text } };
  return { ...base, type: 'tool-call-delta', payload: { toolCallId: id, argsTextDelta: text } };
}

export function endChunk(kind: StreamKind, id = ID): Chunk {
  if (kind === 'text') return { ...base, type: 'text-end', payload: { id } };
  if (kind === 'reasoning') return { ...base, type: 'reasoning-end', payload: { id } };
  return { ...base, type: 'tool-call-input-streaming-end', payload: { toolCallId: id } };
}

export async function send(processor: Processor, part: Chunk, args: TestArgs): Promise<Chunk[]> {
  const answer = await processor.processOutputStream?.(streamArgs(part, args));
  return answer ? [answer].flat() : [];
}

export type StreamOptions = {
  /** Whether the part ends. */
  end?: boolean;
  state?: JsonObject;
  args?: TestArgs;
  /** Text of another part of the same kind, one delta of it after each delta of the first. */
  interleave?: string;
};

/** @param sizes of the deltas in code units, repeated if they run out */
export async function streamText(
  processor: Processor,
  text: string,
  sizes: readonly number[],
  kind: StreamKind,
  { end = true, state = {}, args = commonArgs(state), interleave = '' }: StreamOptions = {},
): Promise<{ passed: string[]; args: TestArgs }> {
  const out: Chunk[] = [];
  for (let at = 0, n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    out.push(...(await send(processor, deltaChunk(kind, text.slice(at, at + size)), args)));
    if (interleave.length > n)
      out.push(...(await send(processor, deltaChunk(kind, interleave.charAt(n), OTHER), args)));
    at += size;
  }
  if (end) out.push(...(await send(processor, endChunk(kind), args)));
  return { passed: out.flatMap((chunk) => listChunkTexts(chunk)), args };
}

function listChunkTexts(chunk: Chunk): string[] {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return chunk.payload.id === ID ? [chunk.payload.text] : [];
    case 'tool-call-delta':
      return chunk.payload.toolCallId === ID ? [chunk.payload.argsTextDelta] : [];
    default:
      return [];
  }
}
