// Replicas on the wire, for programs without a test runner.
export { listChunks, makeOpened, passStream, type StreamTwist } from './pass-stream.ts';
export { makeReply, serveWire, type ScriptedWire, type WireScript } from './serve-wire.ts';
export {
  answerDiscovery,
  describeProcessor,
  sendReply,
  type DiscoveryQuirks,
  type WireJson,
  type WireSubscription,
} from './wire-discovery.ts';
