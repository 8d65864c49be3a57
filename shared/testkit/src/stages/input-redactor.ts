// Replaces a guard at the end of a run: redacts the caller's messages as well as the response through the message
// list, as the redactors of services/guardrails do.
import { defineProcessor, mapMessageText, type ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

export function inputRedactor(pattern: RegExp): ProcessorDefinition {
  const redactText = (text: string) => text.replaceAll(pattern, '[REDACTED]');
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
          messageList.replace(mapMessageText(message, redactText));
      },
    }),
  });
}
