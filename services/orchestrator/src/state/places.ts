// Places are indices, until chunks are cut: each cut makes one chunk more, and what comes after it stands further on than its place says.

export type Places = {
  /** Where what has the place stands. */
  indexOf(place: number): number;
  /** The place of what will stand there, at the end of all. */
  placeOf(index: number): number;
  /** What is after the place stands one further on. */
  split(place: number): void;
  /** From the index on places are indices again; nobody names a place after `kept` that was given before. */
  renumber(kept: number, index: number): void;
};

export function createPlaces(): Places {
  /** What has a place from `from` on stands so much further on. By place. */
  let shifts: { from: number; by: number }[] = [];
  const last = () => shifts.at(-1)?.by ?? 0;
  return {
    indexOf: (place) => place + (shifts.findLast(({ from }) => from <= place)?.by ?? 0),
    placeOf: (index) => index - last(),
    split: (place) => void shifts.push({ from: place + 1, by: last() + 1 }),
    renumber(kept, index) {
      shifts = shifts.filter(({ from }) => from <= kept);
      if (last() > 0) shifts.push({ from: index, by: 0 });
    },
  };
}
