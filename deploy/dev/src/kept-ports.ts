// Keeps the ports of NATS over starts of the stack, so that a client keeps its address. A port that another process has
// taken is replaced by a free one.
import { readFile, writeFile } from 'node:fs/promises';
import { isPortFree } from '@millrace/servers';

const NAMES = ['port', 'monitorPort', 'webSocketPort'] as const;
export type KeptPorts = Partial<Record<(typeof NAMES)[number], number>>;

/** Returns the ports of the last start that are free now; none if the file is missing or unreadable. */
export async function readKeptPorts(file: string): Promise<KeptPorts> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const kept = parsePorts(text);
  const free = await Promise.all(kept.map(async (one) => ((await isPortFree(one[1])) ? [one] : [])));
  return Object.fromEntries(free.flat());
}

export const writeKeptPorts = (file: string, ports: KeptPorts): Promise<void> =>
  writeFile(file, `${JSON.stringify(ports)}\n`);

function parsePorts(text: string): (readonly [string, number])[] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return [];
    const given = new Map<string, unknown>(Object.entries(value));
    return NAMES.flatMap((name) => {
      const port = given.get(name);
      return Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536 ? [[name, Number(port)] as const] : [];
    });
  } catch {
    return [];
  }
}
