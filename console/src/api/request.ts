// Requests of the gateway's own API. The cookie of the session is the credential, so that no script holds a key.
import { createUnreachable, Problem, readProblem } from './problem.ts';
import { reportReachable } from './reachability.ts';

type RequestOptions = {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
};

const listeners = new Set<() => void>();

/** Calls the listener when the gateway refuses the session. Returns the function that removes it. */
export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** @throws Problem */
export async function send(
  path: string,
  { method = 'GET', body, headers, signal }: RequestOptions = {},
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    redirect: 'error',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    reportReachable(false);
    throw createUnreachable(error);
  });
  reportReachable(true);
  if (response.ok) return response;
  if (response.status === 401) listeners.forEach((listener) => listener());
  throw await readProblem(response);
}

/** Reads a JSON answer. The type is that of the route in the contracts. @throws Problem */
export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the gateway checks its answers against the schemas of these types
  return (await response.json()) as T;
}

/** Builds a query string from the members that have a value. */
export function writeQuery(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** True if the gateway of an earlier version has no such route: its panel is left out. */
export const isMissingRoute = (error: unknown): boolean => error instanceof Problem && error.code === 'route-unknown';
