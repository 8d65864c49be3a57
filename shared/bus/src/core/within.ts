// Waits for work with a timeout.

/** Resolves after `ms`, or when the work has settled. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  const bound = Promise.withResolvers<void>();
  const timer = setTimeout(bound.resolve, ms);
  await Promise.race([work.catch(() => undefined), bound.promise]);
  clearTimeout(timer);
}
