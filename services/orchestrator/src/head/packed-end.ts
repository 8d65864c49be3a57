// The stored form of a run's end. The last chunk of a run that finished holds the same messages as its result: they are stored once.
import { finishChunkSchema, type RunEnd } from '@millrace/contracts';

/** The room that the envelope of a chunk and of the stored entry needs, with a margin. Bytes. */
const ROOM_BYTES = 300 * 1024;

/** The largest end that can be stored, bytes as JSON. @param maxPayload of the server, bytes */
export const computeMaxEndBytes = (maxPayload: number): number => Math.max(maxPayload - ROOM_BYTES, maxPayload / 2);

/** Leaves the messages out of the last chunk if those of the result are the same. */
export function packEnd({ result, lastChunk, input }: RunEnd): RunEnd {
  const given = input ? { input } : {};
  const finish = finishChunkSchema.safeParse(lastChunk);
  if (!finish.success || JSON.stringify(finish.data.payload.messages) !== JSON.stringify(result.messages))
    return { result, lastChunk, ...given };
  return {
    result,
    ...given,
    lastChunk: { ...finish.data, payload: { ...finish.data.payload, messages: [] } },
    sharesMessages: true,
  };
}

export function unpackEnd({ result, lastChunk, sharesMessages, input }: RunEnd): RunEnd {
  const given = input ? { input } : {};
  const finish = sharesMessages ? finishChunkSchema.safeParse(lastChunk) : undefined;
  if (!finish?.success) return { result, lastChunk, ...given };
  return {
    result,
    ...given,
    lastChunk: { ...finish.data, payload: { ...finish.data.payload, messages: result.messages } },
  };
}
