/**
 * What a program of this workspace is given when a test starts it with an environment of its own: Node's folder of compiled sources
 * (vitest.config.ts names it), so that no program strips and compiles again what another has. Empty where there is none.
 */
export function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder ? { NODE_COMPILE_CACHE: folder } : {};
}
