// Stands in for a guard at the end of a run: what it takes out of the response it takes out of the caller's messages too, by way of
// the message list, as the redactors of services/guardrails do.
import { defineProcessor, mapMessageText, type ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

export function inputRedactor(pattern: RegExp): ProcessorDefinition {
  const redacted = (text: string) => text.replaceAll(pattern, '[REDACTED]');
  return defineProcessor({
    id: 'input-redactor',
    description: 'For tests.',
    stages: ['processOutputResult'],
    reads: ['input', 'response'],
    options: z.strictObject({}),
    create: () => ({
      id: 'input-redactor',
      processOutputResult: ({ messageList }) => {
        for (const message of [...messageList.get.input.db(), ...messageList.get.response.db()])
          messageList.replace(mapMessageText(message, redacted));
      },
    }),
  });
}
