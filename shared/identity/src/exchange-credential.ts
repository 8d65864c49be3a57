// Exchanges a credential of a caller for a bus token, for a service that receives credentials.
import { exchangeReplySchema, fromWireError, type ExchangeReply, type ExchangeRequest } from '@millrace/contracts';
import { request, type Bus } from '@millrace/bus';

const TIMEOUT_MS = 5_000;
/** A stopped replica keeps its share of the requests: a repeated one reaches another replica. */
const REPEAT_EVERY_MS = 1_000;
export type BusToken = Extract<ExchangeReply, { ok: unknown }>['ok'];

/**
 * @throws credentials-refused; scope-missing for rights that the credential does not have, or NATS cannot enforce;
 * nobody-there if no auth with a callout is running; timeout, bus-unreachable
 */
export async function exchangeCredential(bus: Bus, payload: ExchangeRequest): Promise<BusToken> {
  const options = { payload, reply: exchangeReplySchema, timeoutMs: TIMEOUT_MS, repeatEveryMs: REPEAT_EVERY_MS };
  const answer = await request(bus, { subject: bus.subjects.exchange, ...options });
  if ('error' in answer) throw answer.error;
  if ('error' in answer.ok) throw fromWireError(answer.ok.error);
  return answer.ok.ok;
}
