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
  const folder = findCacheHome(env['XDG_CACHE_HOME']);
  if (folder !== undefined) enableCompileCache(join(folder, 'millrace', 'compiled'));
}

function findCacheHome(given: string | undefined): string | undefined {
  if (given !== undefined && isAbsolute(given)) return given;
  try {
    const home = homedir();
    // HOME may be empty, and the folder of the command is not a cache.
    return isAbsolute(home) ? join(home, '.cache') : undefined;
  } catch {
    // HOME is not set, and the system does not know the user: a container may run as any.
    return undefined;
  }
}
