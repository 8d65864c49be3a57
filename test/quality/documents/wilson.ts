// The Wilson score interval of a share.

/** Quantile of the normal distribution for 95 %. */
const Z = 1.96;

/** Returns the bounds of the 95 % interval, 0 to 1. */
export function computeWilsonInterval(part: number, whole: number): { low: number; high: number } {
  if (whole === 0) return { low: 0, high: 1 };
  const share = part / whole;
  const spread = Z * Math.sqrt((share * (1 - share)) / whole + (Z * Z) / (4 * whole * whole));
  const scale = 1 + (Z * Z) / whole;
  const middle = share + (Z * Z) / (2 * whole);
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/** Renders `3 of 200: 1.5 % (0.5 to 4.3)`. */
export function renderShare(part: number, whole: number): string {
  const { low, high } = computeWilsonInterval(part, whole);
  const percent = (share: number): string => (share * 100).toFixed(1);
  return `${part} of ${whole}: ${percent(whole === 0 ? 0 : part / whole)} % (${percent(low)} to ${percent(high)})`;
}
