// Waits for work, but not for ever.

/** Resolves when the work is done, however it ended, or after `ms`. */
export async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const bound = Promise.withResolvers<void>();
  const timer = setTimeout(bound.resolve, ms);
  await Promise.race([work.catch(() => undefined), bound.promise]);
  clearTimeout(timer);
}
