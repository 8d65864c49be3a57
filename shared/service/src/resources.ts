// What a process has opened. Each thing that is opened adds its release; release runs once, last in first out, past errors,
// and also when the start failed half way.
export type Release = () => Promise<void> | void;
export type Resources = {
  /** What is added when all has been released already (a start that went on behind its own failure) is released at once. */
  add(name: string, release: Release): void;
  /** Resolves with what failed; the rest is released all the same. */
  release(): Promise<{ name: string; error: unknown }[]>;
};

export function createResources(): Resources {
  const opened: { name: string; release: Release }[] = [];
  let released: Promise<{ name: string; error: unknown }[]> | undefined;
  const releaseAll = async () => {
    const failures: { name: string; error: unknown }[] = [];
    for (let last = opened.pop(); last; last = opened.pop()) {
      try {
        await last.release();
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
    release: () => (released ??= releaseAll()),
  };
}
