// The client's decisions about calls of a suspended run.
import type { Client } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { z } from 'zod';
import type { Access } from '../../access/access.ts';
import { answerAll, readSuspended } from '../../agents/answer-question.ts';
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

/** Approves or denies calls of a suspended run, which continues as a response of its own. @throws run-not-suspended */
export async function answerApprovals(
  body: ResponseRequest,
  client: Client,
  access: Access,
  left: AbortSignal,
): Promise<StartedResponse | undefined> {
  const answers = listApprovals(body);
  const [first] = answers;
  if (!first) return undefined;
  access.require('answer');
  const { summary, pending = [] } = await client.runs.get(first.runId);
  const open = answers.flatMap(({ runId, pendingId, approved, reason }) => {
    const found = pending.find(({ id, kind }) => id === pendingId && kind === 'question' && runId === first.runId);
    return found?.resumeToken ? [{ token: found.resumeToken, data: { approved, ...(reason && { reason }) } }] : [];
  });
  if (open.length === 0 || summary?.agent !== body.model)
    throw new MillraceError('run-not-suspended', 'The run does not wait for these approvals.', {
      path: 'input',
      remedy: 'Read the response again: another client may have answered.',
    });
  const suspended = await readSuspended(client, first.runId, left);
  const run = await answerAll(client, suspended, open, left);
  const identity = createIdentity(body, readThread(body));
  return {
    run,
    client,
    identity: { ...identity, itemBase: `${first.runId}_${first.pendingId}` },
    headers: { 'x-millrace-run-id': first.runId, 'x-should-retry': 'false' },
  };
}
