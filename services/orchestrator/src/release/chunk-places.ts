// Converts places to indices. Both are equal until a chunk is cut: each cut adds one chunk, and later chunks move by
// one index.

export type ChunkPlaces = {
  /** Returns the index of the chunk at the place. */
  toIndex(place: number): number;
  /** Returns the place of the chunk that will have the index, at the end of all. */
  toPlace(index: number): number;
  /** Moves the chunks after the place by one index. */
  split(place: number): void;
  /**
   * Makes places equal to indices again from `index` on. Afterwards no caller may use a place after `kept` that was
   * given before.
   */
  renumber(kept: number, index: number): void;
};

export function createPlaces(): ChunkPlaces {
  /** Offsets, ordered by place: a place of at least `from` is `by` below its index. */
  let shifts: { from: number; by: number }[] = [];
  const lastShift = () => shifts.at(-1)?.by ?? 0;
  return {
    toIndex: (place) => place + (shifts.findLast(({ from }) => from <= place)?.by ?? 0),
    toPlace: (index) => index - lastShift(),
    split: (place) => void shifts.push({ from: place + 1, by: lastShift() + 1 }),
    renumber(kept, index) {
      shifts = shifts.filter(({ from }) => from <= kept);
      if (lastShift() > 0) shifts.push({ from: index, by: 0 });
    },
  };
}
