// The members of a response that its request defines, not its run.
import type { Client, Run } from '@millrace/client';
import type { Usage } from '@millrace/contracts';
import type { OpenedRequest } from '../../recent/open-request.ts';
import type { ResponseRequest } from './responses-request.ts';

export type ResponseIdentity = {
  model: string;
  /** Seconds since the epoch. */
  createdAt: number;
  threadId: string | undefined;
  previousId: string | undefined;
  metadata: Record<string, string>;
  /** Of a response that continues a suspended run. */
  itemBase?: string | undefined;
};

export type StartedResponse = {
  run: Run;
  client: Client;
  identity: ResponseIdentity;
  headers: Record<string, string>;
  /** Usage of the run before this response: the request has continued a run. */
  before?: Usage;
  opened?: OpenedRequest;
};

const MS_PER_SECOND = 1_000;

export const createIdentity = (
  { model, metadata }: Pick<ResponseRequest, 'model' | 'metadata'>,
  threadId: string | undefined,
): ResponseIdentity => ({
  model,
  createdAt: Math.floor(Date.now() / MS_PER_SECOND),
  threadId,
  previousId: undefined,
  metadata: metadata ?? {},
});
