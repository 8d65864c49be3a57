import { QueryClient } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';

const STALE_MS = 2_000;
const MAX_RETRIES = 2;

/** A refusal is final; a gateway that does not answer may be restarting. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof Problem && (error.status === 0 || error.status >= 500),
      },
    },
  });
