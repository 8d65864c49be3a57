import { describe, expect, test } from 'vitest';
import { ADVERTISED_LIMITS } from './advertised.ts';
import { processor, read, service } from './testing/advertised-services.ts';

describe('endpoints', () => {
  test('of processes that together have too many endpoints those with the fewest count', () => {
    const large = Array.from({ length: 60 }, (_service, n) =>
      service(
        `s${n}`,
        Array.from({ length: 500 }, () => processor(`p${n}`)),
        `r${n}`,
      ),
    );
    const { processors, refused } = read(...large, service('guards', [processor('pii')]));
    expect(processors.has('pii')).toBe(true);
    expect(processors.size).toBe(1 + Math.floor(ADVERTISED_LIMITS.maxEndpointsOfAll / 500) - 1);
    expect(refused[0]?.problem).toBe('more than 20000 endpoints are advertised');
  });

  test('no more processors are taken than all services together may have', () => {
    const many = Array.from({ length: 6 }, (_service, n) =>
      service(
        `s${n}`,
        Array.from({ length: 400 }, (_, at) => processor(`p${n}-${at}`)),
      ),
    );
    expect(read(...many).processors.size).toBe(ADVERTISED_LIMITS.maxProcessors);
  });
});
