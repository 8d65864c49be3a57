// The rooms of a package whose folders have an order: who may import whom among them, so that a reader who follows a run never
// turns back. What stands in no room (service.ts, main.ts) puts them together and may import each. Tests may look anywhere.

export type Rooms = Readonly<Record<string, readonly string[]>>;

export const ROOM_TABLE: Readonly<Record<string, Rooms>> = {
  'services/orchestrator/src': {
    api: ['agents', 'state', 'peers'],
    agents: ['peers'],
    takeover: ['state', 'peers'],
    run: ['model', 'stages', 'state', 'peers'],
    model: ['stages', 'state', 'peers'],
    stages: ['state', 'peers'],
    state: ['peers'],
    peers: [],
  },
};
