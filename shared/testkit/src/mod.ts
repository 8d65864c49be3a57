// For tests only: real servers, conformance suites, leak checks. Only ever a devDependency.
export { useRedis, type TestRedis } from './redis.ts';
