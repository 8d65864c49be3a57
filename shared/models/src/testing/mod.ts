// Providers for tests.
export { sseEvents, startByteProvider, type ByteAnswer, type ByteProvider } from './byte-provider.ts';
export { startEndlessProvider, type EndlessAnswer, type EndlessProvider } from './endless-provider.ts';
export { STREAM_SIGNATURE, streamAnswer, type StreamedAnswer } from './provider-streams.ts';
export { DIMENSIONS, startTestProvider, type ProviderFault, type TestProvider } from './test-provider.ts';
