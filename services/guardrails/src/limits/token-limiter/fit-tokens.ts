// Selects the messages that fit a limit: first those that must stay, then the newest ones. A call and its result form
// one unit, which stays or is dropped as a whole.
export const TRIM_MODES = ['best-fit', 'contiguous'] as const;
export type TrimMode = (typeof TRIM_MODES)[number];

/** `members`: indexes of the messages. */
export type TokenUnit = { members: number[]; tokens: number; isFixed: boolean };

export type TokenFit = {
  /** Indexes of the dropped messages. */
  dropped: number[];
  /** Tokens of the messages that must stay; above the limit if they alone do not fit. */
  required: number;
};

/**
 * @param units in order of their last message @param mode best-fit: keep older units that still fit; contiguous: keep
 * none before the first gap
 */
export function fitTokens(units: readonly TokenUnit[], limit: number, mode: TrimMode): TokenFit {
  const required = units.reduce((sum, unit) => sum + (unit.isFixed ? unit.tokens : 0), 0);
  let left = limit - required;
  let isOpen = true;
  const dropped: number[] = [];
  for (const unit of units.toReversed()) {
    if (unit.isFixed) continue;
    if (isOpen && unit.tokens <= left) left -= unit.tokens;
    else {
      dropped.push(...unit.members);
      isOpen = mode === 'best-fit';
    }
  }
  return { dropped: dropped.toSorted((one, other) => one - other), required };
}
