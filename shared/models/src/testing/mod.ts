// Providers for tests.
export { sseEvents, startByteProvider, type ByteAnswer, type ByteProvider } from './byte-provider.ts';
export { DIMENSIONS, startTestProvider, type ProviderFault, type TestProvider } from './test-provider.ts';
