const INHERITED = ['NODE_COMPILE_CACHE', 'MILLRACE_TIME_SCALE'];

/**
 * Returns the variables that a test passes to a program of this workspace if it does not pass its whole environment: Node's folder of
 * compiled sources, so that no program compiles a source again, and the scale of durations, which all processes of a test must share.
 * Variables that are not set are absent; vitest.config.ts sets both.
 */
export function inheritedEnv(): Record<string, string> {
  const values = INHERITED.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(values.filter((entry): entry is readonly [string, string] => Boolean(entry[1])));
}
