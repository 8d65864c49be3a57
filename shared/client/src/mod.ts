// The client library: runs, threads, memory, agents and processors of a Millrace, over NATS.
export { MAX_KEPT_CHUNKS, CutOffError } from './chunk-log.ts';
export type { Position } from '@millrace/contracts';
export { FIRST_POSITION, type PositionedChunk } from './chunk-merge.ts';
export { parseAgentFile, withPlaces, type AgentFile, type FilePlace } from './agent-file.ts';
export { attachClient, connect } from './client.ts';
export type { Client, FollowOptions } from './client-api.ts';
export type { ConnectOptions } from './connection.ts';
export type { ProcessorInfo } from '@millrace/contracts';
export type { ProcessorList } from './processor-list.ts';
export { REPLAY_LIMITS, type ReplayLimits } from './replay-pace.ts';
export type { Run } from './run.ts';
export type { RunInput, StartOptions } from './run-request.ts';
