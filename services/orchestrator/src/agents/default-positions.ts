// Default positions of processors that an agent does not list: the place of an entry with `after: pii` in a list without pii. Each running
// processor advertises its own; `memory` has a fixed one. docs/semantics.md, section 2. Pure.
import { MEMORY_POSITION, type ListName, type ProcessorDescriptor } from '@millrace/contracts';

/** Positions by processor id, and that of the word `memory`. */
export type DefaultPositions = ReadonlyMap<string, number>;

type PositionedDescriptor = { readonly descriptor: Pick<ProcessorDescriptor, 'id' | 'positions'> };

/** The error list has none. */
export function collectPositions(list: ListName, advertised: Iterable<PositionedDescriptor>): DefaultPositions {
  const positions = new Map<string, number>();
  if (list === 'error') return positions;
  for (const { descriptor } of advertised) {
    const position = descriptor.positions?.[list];
    if (position !== undefined) positions.set(descriptor.id, position);
  }
  return positions.set('memory', MEMORY_POSITION);
}
