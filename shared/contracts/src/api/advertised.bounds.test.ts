import { describe, expect, test } from 'vitest';
import { ADVERTISED_LIMITS } from './advertised.ts';
import { processor, read, service } from '../testing/advertised-services.ts';

describe('endpoints', () => {
  test('If all processes together have too many endpoints, the processes with the fewest endpoints are read first', () => {
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

  test('readAdvertised accepts at most the maximum number of processors of all services', () => {
    const many = Array.from({ length: 6 }, (_service, n) =>
      service(
        `s${n}`,
        Array.from({ length: 400 }, (_, at) => processor(`p${n}-${at}`)),
      ),
    );
    expect(read(...many).processors.size).toBe(ADVERTISED_LIMITS.maxProcessors);
  });
});
