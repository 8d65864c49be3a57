const INHERITED = ['NODE_COMPILE_CACHE', 'MILLRACE_TIME_SCALE', 'TMPDIR'];

/**
 * Returns the variables that a test passes to a program of this workspace if it does not pass its whole environment: Node's folder of
 * compiled sources, so that no program compiles a source again; the scale of durations, which all processes of a test must share; and the
 * folder of temporary files. Variables that are not set are absent.
 */
export function inheritedEnv(): Record<string, string> {
  const values = INHERITED.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(values.filter((entry): entry is readonly [string, string] => Boolean(entry[1])));
}
