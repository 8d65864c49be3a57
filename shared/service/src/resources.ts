// Tracks the open resources of a process. Each resource adds its release; the release runs once, last in first out, continues after
// errors, and also runs if the start failed half way. All releases share one deadline, so that the duration of a stop does not depend on
// their number: each receives the remaining time, and a release that exceeds it is abandoned and reported.

/** `remainingMs()`: time left for the release, 0 after the deadline. Call it again after each wait. */
export type ReleaseStep = (remainingMs: () => number) => Promise<void> | void;
export type ReleaseFailure = { name: string; error: unknown };
export type Resources = {
  /** A resource that is added after the release (by a start that continues after its failure) is released at once. */
  add(name: string, release: ReleaseStep): void;
  /**
   * Resolves with the failed and the hanging releases; the others are released nevertheless. At the latest CLOSE_MS
   * after `graceMs`.
   */
  release(graceMs?: number): Promise<ReleaseFailure[]>;
};

const DEFAULT_GRACE_MS = 10_000;
/** After the deadline, for all that is still open together: connections are closed, not abandoned. */
export const CLOSE_MS = 3_000;

export function createResources(): Resources {
  const opened: { name: string; release: ReleaseStep }[] = [];
  let deadline = 0;
  let released: Promise<ReleaseFailure[]> | undefined;
  const computeRemainingMs = () => Math.max(deadline - performance.now(), 0);
  const releaseAll = async () => {
    const failures: ReleaseFailure[] = [];
    for (let last = opened.pop(); last; last = opened.pop()) {
      try {
        await releaseInTime(last.release, computeRemainingMs, deadline + CLOSE_MS);
      } catch (error) {
        failures.push({ name: last.name, error });
      }
    }
    return failures;
  };
  return {
    add(name, release) {
      opened.push({ name, release });
      if (released) void releaseAll();
    },
    release(graceMs = DEFAULT_GRACE_MS) {
      if (!released) deadline = performance.now() + graceMs;
      return (released ??= releaseAll());
    },
  };
}

/** @throws the error of the release; Error if it has not ended by `endMs` */
async function releaseInTime(release: ReleaseStep, remainingMs: () => number, endMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error('it did not end in time')),
    Math.max(endMs - performance.now(), 0),
  );
  try {
    await Promise.race([release(remainingMs), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
