// Table of the faults: target, kind, and allowed outcomes.
import type { CutMode } from './cut-proxy.ts';

type FaultRole = 'orchestrator' | 'guardrails' | 'ledger' | 'message-history' | 'redis' | 'nats';
export type Blow = 'kill' | 'stop' | 'term';

export type InjectedFault = {
  name: string;
  strike:
    | { kind: 'process'; role: FaultRole; blow: Blow }
    | { kind: 'cut'; role: 'orchestrator' | 'guardrails'; mode: CutMode }
    /** The connection of a client, which rejoins by itself. */
    | { kind: 'client-cut'; mode: CutMode }
    /** Every replica of a role in turn, like a rolling update. */
    | { kind: 'roll'; role: 'orchestrator' | 'guardrails' }
    /** All services at once, with a restart. */
    | { kind: 'storm' }
    | { kind: 'redis-full' }
    /** Redis rejects writes and answers reads. */
    | { kind: 'redis-read-only' }
    /** NATS is killed and starts again after 1 to 20 s. */
    | { kind: 'nats-outage' }
    /** JetStream accepts no more messages. */
    | { kind: 'nats-full' }
    /**
     * The disk of NATS rejects writes; then it is writable again and NATS restarts, because a stream with a failed
     * write accepts no other.
     */
    | { kind: 'nats-read-only' }
    | { kind: 'cancel' }
    /** No fault: the requirements on every run. */
    | { kind: 'nothing' }
    /** No fault, without the guards' redaction: the oracle must find leaks. */
    | { kind: 'control' };
  /** Number of runs in flight for the figure. */
  runs: number;
  /** Codes with which a run may fail if the only server of its kind failed. Empty: no run may fail. docs/faults.md */
  mayFailWith: readonly string[];
  /** Codes with which a submission may be rejected: the server that stores it failed. */
  mayRefuseWith: readonly string[];
};

/** For faults with another replica, or of a connection only. */
const REPLICATED_RUNS = 1_000;
const ONLY_ONE_RUNS = 200;

const TOOL_CODES: readonly string[] = [];
const BUS_CODES = ['bus-unreachable', 'store-unavailable'];
/** During an outage of NATS. */
const REFUSED_CODES = [...BUS_CODES, 'timeout', 'nobody-there'];
const STORE_CODES = ['store-unavailable', 'bus-unreachable'];

const blows: readonly Blow[] = ['kill', 'stop', 'term'];
const modes: readonly CutMode[] = ['closed', 'silent', 'to-server', 'from-server'];

function processes(role: FaultRole, runs: number, mayFailWith: readonly string[] = []): InjectedFault[] {
  const mayRefuseWith = role === 'nats' ? REFUSED_CODES : [];
  return blows.map((blow) => {
    const strike = { kind: 'process' as const, role, blow };
    return { name: `${role}-${blow}`, strike, runs, mayFailWith, mayRefuseWith };
  });
}

const clientCuts: readonly InjectedFault[] = modes.map((mode) => ({
  name: `client-cut-${mode}`,
  strike: { kind: 'client-cut', mode },
  runs: REPLICATED_RUNS / modes.length,
  mayFailWith: [],
  mayRefuseWith: [],
}));

function cuts(role: 'orchestrator' | 'guardrails'): InjectedFault[] {
  return modes.map((mode) => ({
    name: `${role}-cut-${mode}`,
    strike: { kind: 'cut', role, mode },
    runs: REPLICATED_RUNS / modes.length,
    mayFailWith: [],
    mayRefuseWith: [],
  }));
}

/** Returns whether the fault can end an orchestrator or its connection, so that another one may claim its runs. */
export function mayLoseOwner({ strike }: InjectedFault): boolean {
  return strike.kind === 'storm' || ('role' in strike && strike.role === 'orchestrator');
}

export const FAULTS: readonly InjectedFault[] = [
  { name: 'nothing', strike: { kind: 'nothing' }, runs: 16, mayFailWith: [], mayRefuseWith: [] },
  ...processes('orchestrator', REPLICATED_RUNS),
  ...processes('guardrails', REPLICATED_RUNS),
  ...cuts('orchestrator'),
  ...cuts('guardrails'),
  ...clientCuts,
  {
    name: 'orchestrator-roll',
    strike: { kind: 'roll', role: 'orchestrator' },
    runs: ONLY_ONE_RUNS,
    mayFailWith: [],
    mayRefuseWith: [],
  },
  {
    name: 'guardrails-roll',
    strike: { kind: 'roll', role: 'guardrails' },
    runs: ONLY_ONE_RUNS,
    mayFailWith: [],
    mayRefuseWith: [],
  },
  { name: 'storm', strike: { kind: 'storm' }, runs: ONLY_ONE_RUNS, mayFailWith: [], mayRefuseWith: [] },
  ...processes('nats', REPLICATED_RUNS),
  {
    name: 'nats-outage',
    strike: { kind: 'nats-outage' },
    runs: REPLICATED_RUNS,
    mayFailWith: [],
    mayRefuseWith: REFUSED_CODES,
  },
  {
    name: 'nats-full',
    strike: { kind: 'nats-full' },
    runs: ONLY_ONE_RUNS,
    mayFailWith: BUS_CODES,
    mayRefuseWith: REFUSED_CODES,
  },
  {
    name: 'nats-read-only',
    strike: { kind: 'nats-read-only' },
    runs: ONLY_ONE_RUNS,
    mayFailWith: BUS_CODES,
    mayRefuseWith: REFUSED_CODES,
  },
  ...processes('ledger', ONLY_ONE_RUNS, TOOL_CODES),
  ...processes('message-history', ONLY_ONE_RUNS),
  ...processes('redis', ONLY_ONE_RUNS, STORE_CODES),
  {
    name: 'redis-full',
    strike: { kind: 'redis-full' },
    runs: ONLY_ONE_RUNS,
    mayFailWith: STORE_CODES,
    mayRefuseWith: [],
  },
  {
    name: 'redis-read-only',
    strike: { kind: 'redis-read-only' },
    runs: ONLY_ONE_RUNS,
    mayFailWith: STORE_CODES,
    mayRefuseWith: [],
  },
  { name: 'cancel', strike: { kind: 'cancel' }, runs: ONLY_ONE_RUNS, mayFailWith: [], mayRefuseWith: [] },
  { name: 'control', strike: { kind: 'control' }, runs: 16, mayFailWith: [], mayRefuseWith: [] },
];
