// Stores the compiled sources of a command for its next start.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Enables the compile cache of Node.js in `$XDG_CACHE_HOME/millrace/compiled` or `~/.cache/millrace/compiled`. Node's default is the folder of
 * temporary files, where another user of the machine could place code. If the folder cannot be written, Node.js compiles at each start. A
 * caller selects another folder with NODE_COMPILE_CACHE, and disables the cache with NODE_DISABLE_COMPILE_CACHE=1.
 */
export function cacheCompiledSources(env: Readonly<Record<string, string | undefined>>): void {
  const cacheHome = env['XDG_CACHE_HOME'];
  const folder = cacheHome !== undefined && isAbsolute(cacheHome) ? cacheHome : join(homedir(), '.cache');
  // HOME may be empty, and the folder of the command is not a cache.
  if (isAbsolute(folder)) enableCompileCache(join(folder, 'millrace', 'compiled'));
}
