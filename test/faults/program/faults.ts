// The faults, as a table: whom each strikes, how, and what is allowed to come of it.
import type { CutMode } from './cut-proxy.ts';

type Role = 'orchestrator' | 'guardrails' | 'ledger' | 'message-history' | 'redis' | 'nats';
export type Blow = 'kill' | 'stop' | 'term';

export type Fault = {
  name: string;
  strike:
    | { kind: 'process'; role: Role; blow: Blow }
    | { kind: 'cut'; role: 'orchestrator' | 'guardrails'; mode: CutMode }
    /** What a client reads through: it rejoins by itself. */
    | { kind: 'client-cut'; mode: CutMode }
    /** Every replica of a role, one after the other, as an update does it. */
    | { kind: 'roll'; role: 'orchestrator' | 'guardrails' }
    /** All services at once, and started again. */
    | { kind: 'storm' }
    | { kind: 'redis-full' }
    /** Redis refuses writes and answers reads. */
    | { kind: 'redis-read-only' }
    /** JetStream takes no message any more. */
    | { kind: 'nats-full' }
    /** Its disk takes nothing; then it is writable again, and NATS is started again: a stream whose write failed takes no other. */
    | { kind: 'nats-read-only' }
    | { kind: 'cancel' }
    /** Nothing strikes: what every run must be like. */
    | { kind: 'nothing' }
    /** Nothing strikes, and the guards' redaction is taken out: the oracle must see leaks. */
    | { kind: 'control' };
  /** How many runs in flight make the figure. */
  runs: number;
  /** Codes that a run may fail with: where the only server of its kind was struck. None: no run may fail. docs/faults.md */
  mayFailWith: readonly string[];
  /** Codes that a submission may be refused with: the server that stores it was struck. */
  mayRefuseWith: readonly string[];
};

/** Where somebody else can do the work, and where nothing but the connection breaks. */
const REPLICATED_RUNS = 1_000;
const ONLY_ONE_RUNS = 200;

const TOOL_CODES: readonly string[] = [];
const BUS_CODES = ['bus-unreachable', 'store-unavailable'];
/** While NATS is away. */
const REFUSED_CODES = [...BUS_CODES, 'timeout', 'nobody-there'];
const STORE_CODES = ['store-unavailable', 'bus-unreachable'];

const blows: readonly Blow[] = ['kill', 'stop', 'term'];
const modes: readonly CutMode[] = ['closed', 'silent', 'to-server', 'from-server'];

function processes(role: Role, runs: number, mayFailWith: readonly string[] = []): Fault[] {
  const mayRefuseWith = role === 'nats' ? REFUSED_CODES : [];
  return blows.map((blow) => {
    const strike = { kind: 'process' as const, role, blow };
    return { name: `${role}-${blow}`, strike, runs, mayFailWith, mayRefuseWith };
  });
}

const clientCuts: readonly Fault[] = modes.map((mode) => ({
  name: `client-cut-${mode}`,
  strike: { kind: 'client-cut', mode },
  runs: REPLICATED_RUNS / modes.length,
  mayFailWith: [],
  mayRefuseWith: [],
}));

function cuts(role: 'orchestrator' | 'guardrails'): Fault[] {
  return modes.map((mode) => ({
    name: `${role}-cut-${mode}`,
    strike: { kind: 'cut', role, mode },
    runs: REPLICATED_RUNS / modes.length,
    mayFailWith: [],
    mayRefuseWith: [],
  }));
}

export const FAULTS: readonly Fault[] = [
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
