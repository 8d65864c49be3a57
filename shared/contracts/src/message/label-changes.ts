// Labels the changes of a processor. A part that did not change keeps its label; any other one gets at most the
// trust of the content that the processor read, whatever label the processor gives it. Pure.
import type { Conversation, MessageOp, SystemMessage } from './conversation.ts';
import { isLabel, isUntrusted, listLabels, readLabel, type Label, type Trust } from './label.ts';
import { listModelParts, type Message, type MessagePart, type Role } from './message.ts';

/** Decides the labels of the changes of one call. */
export type LabelRule = {
  /** Highest trust of a change: the lowest trust of the content of the call. */
  cap: Trust;
  /** Trust of a change without a valid label. */
  unlabelled: Trust;
  /** Origin of a change; a memory's own labels keep theirs. */
  origin: string;
  /** Whether a label's origin is kept: memories return the labels that they stored. */
  keepsOrigins?: boolean;
  /** Whether an operator has declared that the changes of the entry are trusted. */
  declassifies?: boolean;
};

export function labelNew(given: unknown, { cap, unlabelled, origin, keepsOrigins, declassifies }: LabelRule): Label {
  const claim = isLabel(given) ? given : undefined;
  const claimed = cap === 'untrusted' ? cap : (claim?.trust ?? unlabelled);
  return {
    origin: keepsOrigins && claim ? claim.origin : origin,
    trust: declassifies ? 'trusted' : claimed,
  };
}

/** Returns the operations with a label on each part and each system message. */
export function labelOps(conversation: Conversation, ops: readonly MessageOp[], rule: LabelRule): MessageOp[] {
  if (ops.length === 0) return [];
  const before = new Map(conversation.entries.map(({ message }) => [message.id, message]));
  let known: ReadonlyMap<string, Label> | undefined;
  /** Built once: a processor may send very many operations. */
  const labelText = (message: SystemMessage, given: unknown): Label =>
    (known ??= indexLabelsByContent(conversation.system)).get(buildContentKey(message)) ?? labelNew(given, rule);
  return ops.map((op): MessageOp => {
    switch (op.op) {
      case 'add':
      case 'replace': {
        const message = labelMessage(op.message, before.get(op.message.id), rule);
        before.set(message.id, message);
        return { ...op, message };
      }
      case 'system':
      case 'system-add': {
        const labels = op.contents.map((content, at) => labelText({ tag: op.tag, content }, op.labels?.[at]));
        return { ...op, labels };
      }
      case 'system-all': {
        const messages = op.messages.map((message) => ({ ...message, label: labelText(message, message.label) }));
        return { ...op, messages };
      }
      case 'remove':
        return op;
    }
  });
}

const buildContentKey = ({ tag, content }: SystemMessage): string => JSON.stringify([tag, content]);

/** Returns the lowest label of equal messages. */
function indexLabelsByContent(system: readonly SystemMessage[]): Map<string, Label> {
  const ordered = [...system.filter((message) => !isUntrusted(message)), ...system.filter(isUntrusted)];
  return new Map(ordered.map((message) => [buildContentKey(message), readLabel(message)]));
}

/** Labels each part; the flat content becomes a part, because a label belongs to a part. */
export function labelMessage(message: Message, before: Message | undefined, rule: LabelRule): Message {
  const known = indexLabelsByPart(before);
  const parts = listModelParts(message).map((part) => ({
    ...part,
    label: known.get(buildPartKey(part)) ?? labelNew(part['label'], rule),
  }));
  return { ...message, content: { ...message.content, parts } };
}

const buildPartKey = ({ label: _, ...part }: MessagePart & { label?: unknown }): string => JSON.stringify(part);

/** Returns the lowest label of equal parts. */
function indexLabelsByPart(message: Message | undefined): Map<string, Label> {
  const parts = message ? listModelParts(message) : [];
  const ordered = [...parts.filter((part) => !isUntrusted(part)), ...parts.filter(isUntrusted)];
  return new Map(ordered.map((part) => [buildPartKey(part), readLabel(part)]));
}

/** Returns the lowest trust of the texts of a conversation. Without texts: trusted. */
export function findLowestTrust({ entries, system }: Conversation): Trust {
  const isTainted =
    system.some(isUntrusted) ||
    entries.some(({ message }) => listLabels(message).some(({ trust }) => trust === 'untrusted'));
  return isTainted ? 'untrusted' : 'trusted';
}

/**
 * Labels a submitted message, whatever labels it has. The text of a user is trusted, and that of a system message, which
 * the agent has to allow. Everything else that a caller submits is a claim about others: files, answers, results.
 */
export function labelSubmitted(message: Message): Message {
  return withLabels(message, (part) => ({
    origin: 'caller',
    trust: isOwnText(message.role, part) ? 'trusted' : 'untrusted',
  }));
}

const isOwnText = (role: Role, { type }: MessagePart): boolean =>
  (role === 'user' || role === 'system') && (type === 'text' || type === 'step-start');

/** Labels each part that a model reads. */
export function withLabels(message: Message, label: (part: MessagePart) => Label): Message {
  const parts = listModelParts(message).map((part) => ({ ...part, label: label(part) }));
  return { ...message, content: { ...message.content, parts } };
}
