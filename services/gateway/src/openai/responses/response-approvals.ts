// The client's decisions about calls of a suspended run.
import type { Client } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { z } from 'zod';
import type { Access } from '../../access/access.ts';
import { findMark, openAndContinue, readEnd } from '../../agents/run-mark.ts';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { createMark } from '../../recent/repeated-run.ts';
import { readThread } from './response-thread.ts';
import { createIdentity, type StartedResponse } from './response-identity.ts';
import type { Item, ResponseRequest, approvalItemSchema } from './responses-request.ts';

type ApprovalAnswer = { runId: string; pendingId: string; approved: boolean; reason: string | undefined };

const APPROVAL_ID = /^mcpr_([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})$/;

function listApprovals({ input }: ResponseRequest): ApprovalAnswer[] {
  if (typeof input === 'string') return [];
  return input.filter(isApproval).flatMap((item) => {
    const [, runId, pendingId] = APPROVAL_ID.exec(item.approval_request_id) ?? [];
    if (runId === undefined || pendingId === undefined) return [];
    return [{ runId, pendingId, approved: item.approve, reason: item.reason ?? undefined }];
  });
}

const isApproval = (item: Item): item is z.output<typeof approvalItemSchema> => item.type === 'mcp_approval_response';

type ApprovalParts = { access: Access; headers: Headers; left: AbortSignal } & Pick<GatewayContext, 'recent'>;

/**
 * Approves or denies calls of a suspended run, which continues as a response of its own. A repetition of the request continues at the
 * remembered position. @throws run-not-suspended, resume-token-used
 */
export async function answerApprovals(
  body: ResponseRequest,
  client: Client,
  { access, headers, recent, left }: ApprovalParts,
): Promise<StartedResponse | undefined> {
  const approvals = listApprovals(body);
  const [first] = approvals;
  if (!first) return undefined;
  access.require('answer');
  const { runId } = first;
  const mark = createMark(access, body, headers, recent);
  const [repeated, { summary, pending = [] }] = await Promise.all([findMark(mark), client.runs.get(runId)]);
  const answers = approvals.flatMap(({ runId: named, pendingId, approved, reason }) => {
    const found = pending.find(({ id, kind }) => id === pendingId && kind === 'question' && named === runId);
    return found?.resumeToken ? [{ token: found.resumeToken, data: { approved, ...(reason && { reason }) } }] : [];
  });
  if (summary?.agent !== body.model || (answers.length === 0 && !repeated))
    throw new MillraceError('run-not-suspended', 'The run does not wait for these approvals.', {
      path: 'input',
      remedy:
        'Read the response again: the approvals may have been answered. A request with an Idempotency-Key may be repeated for a minute.',
    });
  const parts = { client, runId, answers, left, isExclusive: true };
  const from = repeated?.marked ?? { from: await readEnd(await client.follow(runId, { signal: left })), before: {} };
  const continued = await openAndContinue(mark, from, parts, repeated?.found);
  const identity = createIdentity(body, readThread(body));
  return {
    ...continued,
    client,
    identity: { ...identity, itemBase: `${runId}_${first.pendingId}` },
    headers: { 'x-millrace-run-id': runId, 'x-should-retry': 'false' },
  };
}
