// What a process has opened. Each thing that is opened adds its release; release runs once, last in first out, past errors,
// and also when the start failed half way. All of them share one deadline, so that a stop takes as long as was said, however many
// things there are: each is told what is left, and what does not come back in time is left behind and reported.

/** `remainingMs()`: how long the release may still take, 0 when the time is up. Ask again after each wait. */
export type Release = (remainingMs: () => number) => Promise<void> | void;
export type ReleaseFailure = { name: string; error: unknown };
export type Resources = {
  /** What is added when all has been released already (a start that went on after its own failure) is released at once. */
  add(name: string, release: Release): void;
  /**
   * Resolves with what failed or did not end; the rest is released all the same. At the latest CLOSE_MS after `graceMs`.
   * @param graceMs for all of it; a second call does not change it
   */
  release(graceMs?: number): Promise<ReleaseFailure[]>;
};

const DEFAULT_GRACE_MS = 10_000;
/** After the deadline, for all that is still open together: connections are closed, not abandoned. */
export const CLOSE_MS = 3_000;

export function createResources(): Resources {
  const opened: { name: string; release: Release }[] = [];
  let deadline = 0;
  let released: Promise<ReleaseFailure[]> | undefined;
  const remainingMs = () => Math.max(deadline - performance.now(), 0);
  const releaseAll = async () => {
    const failures: ReleaseFailure[] = [];
    for (let last = opened.pop(); last; last = opened.pop()) {
      try {
        await inTime(last.release, remainingMs, deadline + CLOSE_MS);
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

/** @throws what the release throws; Error when it has not ended by `endMs` */
async function inTime(release: Release, remainingMs: () => number, endMs: number): Promise<void> {
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
