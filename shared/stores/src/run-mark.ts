// How long a store remembers what a run has saved, ms: as long as a run that has ended is known at all. A run id that comes again
// after that is another run, and neither replaces nor skips anything of the first.
export const RUN_MARK_TTL_MS = 24 * 3_600_000;
