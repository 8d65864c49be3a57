// The allowed imports between the rooms of a package with ordered folders, so that a reader of a run follows one
// direction. Files outside of the rooms (service.ts, main.ts) connect them and can import each. Tests can import any
// room.

export type Rooms = Readonly<Record<string, readonly string[]>>;

export const ROOM_TABLE: Readonly<Record<string, Rooms>> = {
  'services/orchestrator/src': {
    api: ['agents', 'takeover', 'saves', 'state', 'peers'],
    erase: ['api', 'saves', 'state'],
    check: ['calls', 'peers', 'api', 'agents', 'run', 'model', 'state', 'release'],
    agents: ['peers'],
    takeover: ['run', 'saves', 'release', 'state', 'peers'],
    run: ['model', 'stages', 'saves', 'sessions', 'calls', 'state', 'release', 'peers'],
    model: ['stages', 'sessions', 'calls', 'state', 'release'],
    stages: ['sessions', 'calls', 'state', 'release'],
    saves: ['calls', 'state'],
    sessions: ['calls', 'state', 'release', 'peers'],
    calls: ['state', 'release', 'peers'],
    state: ['release', 'peers'],
    release: [],
    peers: [],
  },
  'services/guardrails/src': {
    guards: ['endpoints', 'guard', 'model', 'patterns', 'segments', 'text', 'work'],
    limits: ['guard', 'model', 'store', 'text', 'work'],
    shape: ['guard', 'store', 'text', 'work'],
    context: ['guard', 'text', 'work'],
    endpoints: [],
    guard: ['segments', 'text', 'work'],
    model: ['guard', 'text', 'work'],
    patterns: ['text'],
    segments: ['text'],
    store: [],
    text: [],
    work: [],
  },
};
