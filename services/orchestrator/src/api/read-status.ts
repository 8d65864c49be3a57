// Implements the verb `status`: state of JetStream for operators without rights on it.
import { WIRE_PROTOCOL, type ApiAnswer, type StreamStatus } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';

export type StatusParts = { access: JetStreamAccess; version: string; findProblem: () => string | undefined };

export function createStatusVerb({ access, version, findProblem }: StatusParts) {
  return async (): Promise<ApiAnswer<'status'>> => {
    const { bus, jsm } = access;
    const account = await jsm.getAccountInfo();
    const problem = findProblem();
    return {
      orchestrator: bus.id,
      version,
      protocol: WIRE_PROTOCOL,
      at: new Date().toISOString(),
      ...(problem !== undefined && { problem }),
      streams: await listStreams(access),
      storage: { usedBytes: account.storage, ...toLimit(account.limits.max_storage) },
    };
  };
}

/** Those of this prefix, by name. */
async function listStreams({ bus, jsm }: JetStreamAccess): Promise<StreamStatus[]> {
  const own = bus.subjects.prefix.replaceAll('.', '_');
  const streams: StreamStatus[] = [];
  for await (const { config, state } of jsm.streams.list()) {
    if (!config.name.startsWith(`${own}_`) && !config.name.startsWith(`KV_${own}_`)) continue;
    streams.push({ name: config.name, messages: state.messages, bytes: state.bytes, ...toLimit(config.max_bytes) });
  }
  return streams.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** NATS writes -1 for no limit. */
const toLimit = (bytes: number): { maxBytes?: number } => (bytes > 0 ? { maxBytes: bytes } : {});
