// The session of this browser.
import { queryOptions } from '@tanstack/react-query';
import type { Identity, Scope } from '@millrace/contracts';
import { requestJson, send } from './request.ts';

export type Session = Omit<Identity, 'limits'>;
const PATH = '/console/session';

export const readSession = async (): Promise<Session | null> =>
  (await requestJson<{ session: Session | null }>(PATH)).session;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Infinity,
});

export const signIn = async (key: string): Promise<Session> =>
  (await requestJson<{ session: Session }>(PATH, { method: 'POST', body: { key } })).session;

export const signOut = async (): Promise<void> => void (await send(PATH, { method: 'DELETE' }));

const hasScope = (session: Session | null | undefined, scope: Scope): boolean =>
  session?.scopes.includes(scope) ?? false;
/** A key that is limited to agents has no rights of an operator. */
export const isOperator = (session: Session | null | undefined): boolean =>
  hasScope(session, 'operate') && session?.agents === undefined;
export const isAdmin = (session: Session | null | undefined): boolean =>
  hasScope(session, 'admin') && session?.agents === undefined;
