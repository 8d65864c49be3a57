// Typed NATS: connect, request, serve, listen, publish, consume, entries, discovery. Validates at both ends.
export { answerServer, type ServerRequest } from './verbs/answer-server.ts';
export { askApi, askPublicApi, serveApi, type ApiCall, type ApiHandler } from './verbs/api.ts';
export type { BusLog } from './connection/bus-log.ts';
export { connectBus, type Bus, type BusOptions } from './core/bus.ts';
export {
  checkSettings,
  CONNECTION_VARIABLES,
  readConnectionSettings,
  type BusTls,
  type ConnectionSettings,
} from './connection/connection-settings.ts';
export { publishBytesDurably, publishDurably } from './streams/durable-publish.ts';
export {
  purgeEntries,
  createConflictError,
  locateEntry,
  deleteEntry,
  readEntry,
  writeEntry,
  type BucketEntry,
  type AbsentEntry,
  type LocatedEntry,
  type WriteResult,
} from './streams/key-value.ts';
export { askForget, serveForget, type ForgetHandler, type ForgottenSaves } from './verbs/forget.ts';
export { isBug, isStoreMissing } from './streams/store-error.ts';
export { openJetStream, type JetStreamAccess } from './streams/jetstream-access.ts';
export { isCode } from './streams/jetstream-errors.ts';
export { buildInboxPrefix, checkInboxPrefix, isInbox } from './connection/inbox.ts';
export { ensureBucket } from './streams/ensure-config.ts';
export { ensureTopology } from './queue/topology.ts';
export { startHeartbeat, type Heartbeat, type Living } from './core/heartbeat.ts';
export { createStallGate, STALL_MS, type StallGate } from './core/stall-gate.ts';
export { waitForAbort } from './core/wait-for-abort.ts';
export { guardTopology, type TopologyGuard } from './queue/guard-topology.ts';
export { listen, type Listening } from './core/listen.ts';
export { answerPeers, askPeer, findPeers, type PeerAnswer } from './verbs/peers.ts';
export { publish, publishBytes, publishInBatches } from './core/publish.ts';
export {
  advertise,
  gatherInfo,
  gatherInfoBytes,
  gatherPings,
  gatherStats,
  hasLeft,
  readInfo,
  type MicroEndpoint,
  type MicroService,
} from './core/micro.ts';
export { listInFlight, requeue, type InFlight } from './queue/in-flight-commands.ts';
export { request, type RequestAnswer, type BusRequest } from './core/request.ts';
export { signNatively, verifyNatively } from './workarounds/native-ed25519.ts';
export { findStateEntry, resolveAddress, type BusAddress, type Env } from './connection/resolve-address.ts';
export { readConnectionFile } from './connection/secret-file.ts';
export { locateSeedFile, withStackKey } from './connection/stack-key.ts';
export { serveVerbs, type ApiHandlers } from './verbs/api.ts';
export { isServerAnswering } from './core/server-answers.ts';
export { serve, type ServeContext, type ServeOptions, type Serving } from './core/serve.ts';
export { clearTimer, consumeExpiries, setTimer } from './queue/timers.ts';
export { createUserKey, readUserKey, type KeyOptions, type UserKey } from './connection/user-key.ts';
export { openBucketCopy, type BucketCopy } from './streams/bucket-copy.ts';
export { watchRunShards } from './queue/watch-run-shards.ts';
export { consumeCommands, type CommandTaker, type Delivery } from './queue/work-queue.ts';
export {
  decode,
  decodeStored,
  encode,
  encodeWithin,
  isNoResponders,
  type DecodeResult,
  makeHeaders,
} from './core/wire.ts';
export { waitAtMost } from './core/within.ts';
