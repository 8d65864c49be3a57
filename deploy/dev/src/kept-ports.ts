// Keeps the ports of NATS and of the gateway over starts of the stack, so that a client keeps its address. A port that another process has
// taken is replaced by a free one.
import { readFile, writeFile } from 'node:fs/promises';
import { isPortFree } from '@millrace/servers';
import { z } from 'zod';

const portSchema = z.number().int().min(1).max(65_535).optional().catch(undefined);
const portsSchema = z.object({ port: portSchema, monitorPort: portSchema, webSocketPort: portSchema });
export type KeptPorts = Partial<Record<keyof z.infer<typeof portsSchema>, number>>;

/** Returns the ports of the last start that are free now; none if the file is missing or unreadable. */
export async function readKeptPorts(file: string): Promise<KeptPorts> {
  const { port, monitorPort, webSocketPort } = await readPorts(file);
  const [main, monitor, webSocket] = await Promise.all([port, monitorPort, webSocketPort].map(keepFree));
  return {
    ...(main !== undefined && { port: main }),
    ...(monitor !== undefined && { monitorPort: monitor }),
    ...(webSocket !== undefined && { webSocketPort: webSocket }),
  };
}

export const writeKeptPorts = (file: string, ports: KeptPorts): Promise<void> =>
  writeFile(file, `${JSON.stringify(ports)}\n`);

async function readPorts(file: string): Promise<Partial<z.infer<typeof portsSchema>>> {
  try {
    return portsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return {};
  }
}

const keepFree = async (port: number | undefined): Promise<number | undefined> =>
  port !== undefined && (await isPortFree(port)) ? port : undefined;
