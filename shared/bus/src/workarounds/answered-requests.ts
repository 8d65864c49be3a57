// Settles an answered request without an error. The client removes it as if it were cancelled: for each answer it creates an error with a stack,
// which no caller receives, and which takes about 4 % of an orchestrator's processor time.
import { RequestOne } from '@nats-io/nats-core/internal';

const resolveByClient = RequestOne.prototype.resolver;

/** Replaces the client's handler of answers. A refusal, a timeout and a closed connection still pass the client's own. */
export function settleAnswersWithoutErrors(): void {
  RequestOne.prototype.resolver = function resolveRequest(error, message) {
    if (error) return resolveByClient.call(this, error, message);
    this.timer.cancel();
    this.mux.cancel(this);
    this.deferred.resolve(message);
  };
}
