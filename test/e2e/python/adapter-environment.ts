// Virtual environments of the adapters in examples/python/adapters, from their hash-locked requirements. The cache keeps them.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runCommand } from '../run-command.ts';

export const PYTHON_EXAMPLES = join(root, 'examples/python');
const CACHE = join(root, 'node_modules/.cache/millrace-python');
/** Written after the installation: an environment without it is incomplete. */
const COMPLETE = 'millrace-complete';

/**
 * Installs the requirements of a folder, and no other package, unless the cache has them. @returns the path of the environment's python
 * @throws with the output of the command if Python or a package index is missing, or if a hash differs
 */
export async function installAdapter(folder: string): Promise<string> {
  const requirements = join(folder, 'requirements.txt');
  const hash = createHash('sha256').update(await readFile(requirements));
  const environment = join(CACHE, hash.digest('hex').slice(0, 16));
  const python = join(environment, 'bin/python');
  if (existsSync(join(environment, COMPLETE))) return python;
  await rm(environment, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  await runOrThrow('python3', ['-m', 'venv', environment]);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-cache-dir'];
  // The file lists every package: resolving dependencies would look for newer versions of the extras, which it does not pin.
  await runOrThrow(python, [...install, '--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', requirements]);
  await writeFile(join(environment, COMPLETE), '');
  return python;
}

async function runOrThrow(command: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runCommand(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exits with ${code}: ${stdout}${stderr}`);
}

/** Python imports this module at its start: it refuses connections except to the loopback interface, and records them. */
const LOOPBACK_ONLY = `import os, sys
def check(event, args):
    if event == "socket.connect":
        host = args[1][0] if isinstance(args[1], tuple) else "localhost"
    elif event == "socket.getaddrinfo":
        host = args[0]
    else:
        return
    if str(host) not in ("127.0.0.1", "::1", "localhost", "None"):
        with open(os.environ["REFUSED_CONNECTIONS"], "a") as file:
            file.write(f"{event} {host}\\n")
        raise OSError(f"The test refuses a connection to {host}.")
sys.addaudithook(check)
`;

/** Writes the module that confines Python programs to the loopback interface. @returns their environment, and the path of the record */
export async function confineToLoopback(into: string): Promise<{ env: Record<string, string>; refused: string }> {
  await writeFile(join(into, 'sitecustomize.py'), LOOPBACK_ONLY);
  const refused = join(into, 'refused-connections');
  await writeFile(refused, '');
  return { env: { PYTHONPATH: `${into}:${PYTHON_EXAMPLES}`, REFUSED_CONNECTIONS: refused }, refused };
}
