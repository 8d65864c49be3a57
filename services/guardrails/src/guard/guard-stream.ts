// The output stream of a guard that rewrites text: deltas held back at their edges, every other field with text judged whole,
// tool arguments and results by their own rule where the guard has one.
import type { Chunk, JsonValue } from '@millrace/contracts';
import { holdBack, mapChunkText, type ProcessOutputStreamArgs, type TextFilter } from '@millrace/processor';
import { objectIn } from './run-state.ts';

export type MapToolValue = (value: JsonValue) => JsonValue;

export function guardStream(
  { part, state }: Pick<ProcessOutputStreamArgs, 'part' | 'state'>,
  filter: TextFilter,
  { mapToolValue, heldIn = 'held' }: { mapToolValue?: MapToolValue; /** the state's member */ heldIn?: string } = {},
): Chunk[] {
  // A step that starts over must not find the end of what was rejected.
  if (part.type === 'step-start') delete state[heldIn];
  const judged = mapChunkText(mapToolValue ? withToolValues(part, mapToolValue) : part, filter.apply);
  return holdBack(judged, objectIn(state, heldIn), filter);
}

function withToolValues(part: Chunk, map: MapToolValue): Chunk {
  switch (part.type) {
    case 'tool-call': {
      const { args } = part.payload;
      return args === undefined ? part : { ...part, payload: { ...part.payload, args: map(args) } };
    }
    case 'tool-result':
      return { ...part, payload: { ...part.payload, result: map(part.payload.result) } };
    default:
      return part;
  }
}
