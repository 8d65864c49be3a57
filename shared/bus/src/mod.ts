// Typed NATS: connect, request, serve, listen, publish, consume, entries, discovery. Validates at both ends.
export { answerServer, type ServerRequest } from './answer-server.ts';
export { askApi, askPublicApi, serveApi, type ApiCall, type ApiHandler } from './api.ts';
export type { BusLog } from './bus-log.ts';
export { connectBus, type Bus, type BusOptions } from './bus.ts';
export {
  checkSettings,
  CONNECTION_VARIABLES,
  readConnectionSettings,
  type BusTls,
  type ConnectionSettings,
} from './connection-settings.ts';
export { publishBytesDurably, publishDurably } from './durable-publish.ts';
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
} from './key-value.ts';
export { askForget, serveForget, type ForgetHandler, type ForgottenSaves } from './forget.ts';
export { isBug, isStoreMissing } from './store-error.ts';
export { openJetStream, type JetStreamAccess } from './jetstream-access.ts';
export { isCode } from './jetstream-errors.ts';
export { buildInboxPrefix, checkInboxPrefix, isInbox } from './inbox.ts';
export { ensureBucket } from './ensure-config.ts';
export { ensureTopology } from './topology.ts';
export { startHeartbeat, type Heartbeat, type Living } from './heartbeat.ts';
export { createStallGate, STALL_MS, type StallGate } from './stall-gate.ts';
export { guardTopology, type TopologyGuard } from './guard-topology.ts';
export { listen, type Listening } from './listen.ts';
export { answerPeers, askPeer, findPeers, type PeerAnswer } from './peers.ts';
export { publish, publishBytes, publishInBatches } from './publish.ts';
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
} from './micro.ts';
export { listInFlight, requeue, type InFlight } from './in-flight-commands.ts';
export { request, type RequestAnswer, type BusRequest } from './request.ts';
export { signNatively, verifyNatively } from './native-ed25519.ts';
export { resolveAddress, type BusAddress, type Env } from './resolve-address.ts';
export { readConnectionFile } from './secret-file.ts';
export { locateSeedFile, withStackKey } from './stack-key.ts';
export { serveVerbs, type ApiHandlers } from './api.ts';
export { isServerAnswering } from './server-answers.ts';
export { serve, type ServeContext, type ServeOptions, type Serving } from './serve.ts';
export { clearTimer, consumeExpiries, setTimer } from './timers.ts';
export { createUserKey, readUserKey, type KeyOptions, type UserKey } from './user-key.ts';
export { openBucketCopy, type BucketCopy } from './bucket-copy.ts';
export { watchRunShards } from './watch-run-shards.ts';
export { consumeCommands, type CommandTaker, type Delivery } from './work-queue.ts';
export { decode, decodeStored, encode, encodeWithin, isNoResponders, type DecodeResult, makeHeaders } from './wire.ts';
export { waitAtMost } from './within.ts';
