// Which messages stay within a limit: those that must, then the newest ones first. What belongs together (a call and its result)
// is one unit and stays or goes as one.
export const TRIM_MODES = ['best-fit', 'contiguous'] as const;
export type TrimMode = (typeof TRIM_MODES)[number];

/** `members`: places of the messages. */
export type Unit = { members: number[]; tokens: number; mustStay: boolean };

export type Fit = {
  /** Places of the messages that go. */
  dropped: number[];
  /** Of what must stay; more than the limit where that alone does not fit. */
  required: number;
};

/** @param units in order of their last message @param mode best-fit: older units that still fit stay; contiguous: none before the first gap */
export function fitTokens(units: readonly Unit[], limit: number, mode: TrimMode): Fit {
  const required = units.reduce((sum, unit) => sum + (unit.mustStay ? unit.tokens : 0), 0);
  let left = limit - required;
  let isOpen = true;
  const dropped: number[] = [];
  for (const unit of units.toReversed()) {
    if (unit.mustStay) continue;
    if (isOpen && unit.tokens <= left) left -= unit.tokens;
    else {
      dropped.push(...unit.members);
      isOpen = mode === 'best-fit';
    }
  }
  return { dropped: dropped.toSorted((one, other) => one - other), required };
}
