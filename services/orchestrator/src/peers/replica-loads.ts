// Reads the load of replicas from their answers to $SRV.STATS. Each replica is asked on its own subject, to which only the
// user of its service may subscribe, and an endpoint counts only under the subject that the orchestrator derives.
import {
  endpointLoadSchema,
  toShownText,
  type ProcessorInfo,
  type ReplicaLoad,
  type SrvStats,
  type Subjects,
} from '@millrace/contracts';
import { gatherStats, type Bus } from '@millrace/bus';

/** Adds the loads of the replicas that answer. */
export type ReadLoads = (processors: readonly ProcessorInfo[]) => Promise<ProcessorInfo[]>;

/** A replica that takes longer has no load in the answer, ms. */
const STATS_WITHIN_MS = 500;
/** Maximum number of replicas that one request of the verb asks. */
const MAX_ASKED = 200;
/** Maximum number of replicas in the load of one processor. */
const MAX_LOADS = 32;
const NS_PER_MS = 1_000_000;

export function createLoadReader(bus: Bus): ReadLoads {
  return async (processors) => {
    const addresses = processors.flatMap(({ service, replicas }) => replicas.map((one) => `${service}.${one}`));
    const asked = [...new Set(addresses)].slice(0, MAX_ASKED);
    const stats = new Map(await Promise.all(asked.map(async (one) => [one, await askReplica(bus, one)] as const)));
    return processors.map((processor) => {
      const loads = processor.replicas.slice(0, MAX_LOADS).flatMap((replica) => {
        const answer = stats.get(`${processor.service}.${replica}`);
        return answer ? [sumLoad(bus.subjects, processor, replica, answer)] : [];
      });
      return { ...processor, loads };
    });
  };
}

async function askReplica(bus: Bus, address: string): Promise<SrvStats | undefined> {
  const [answer] = await gatherStats(bus, address, { gatherMs: STATS_WITHIN_MS, max: 1 }).catch(() => []);
  return answer;
}

/** Adds the stages of one processor up. */
function sumLoad(
  subjects: Subjects,
  { id, service, stages }: Pick<ProcessorInfo, 'id' | 'service' | 'stages'>,
  replica: string,
  stats: SrvStats,
): ReplicaLoad {
  const own = new Set(stages.map((stage) => subjects.stage(stage, { service, processor: id })));
  const endpoints = stats.endpoints.filter(({ subject }) => own.has(subject));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + toCount(value), 0);
  const work = endpoints.flatMap(({ data }) => endpointLoadSchema.safeParse(data).data ?? []);
  const requests = sum(endpoints.map((one) => one.num_requests));
  const maxCalls = work[0]?.maxCalls;
  const lastError = endpoints.map((one) => one.last_error).find((text) => text !== '');
  return {
    replica,
    calls: sum(work.map(({ calls }) => calls)),
    ...(maxCalls !== undefined && { maxCalls }),
    requests,
    errors: sum(endpoints.map((one) => one.num_errors)),
    ...(lastError !== undefined && { lastError: toShownText(lastError) }),
    ...(requests > 0 && { averageMs: sum(endpoints.map((one) => one.processing_time)) / NS_PER_MS / requests }),
  };
}

/** A replica in another language may answer with any number. */
const toCount = (value: number): number =>
  Number.isSafeInteger(Math.trunc(value)) && value > 0 ? Math.trunc(value) : 0;
